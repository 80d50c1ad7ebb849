// Linked into every executable of the asan build, and into nothing else.
//
// Open MPI unloads its plug-ins in MPI_Finalize. Memory they have leaked is reported after that, when the leak
// sanitizer can no longer tell whose it was ("<unknown module>"), and the suppressions that name the plug-ins do not
// match. So nothing is unloaded: this definition comes before the C library's.
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) int dlclose(void* /*handle*/) noexcept {
  return 0;
}
