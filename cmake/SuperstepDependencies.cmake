# Everything Superstep uses, found on the machine: nothing is vendored and nothing is downloaded.
# scripts/install_dependencies.sh installs the Debian packages. What a user of the installed libraries needs again is
# repeated in SuperstepConfig.cmake.in.

# The C++ bindings were removed from MPI in 2012; Open MPI 4 still ships them and they cost warnings and a library.
set(MPI_CXX_SKIP_MPICXX TRUE)
find_package(MPI 3.1 REQUIRED COMPONENTS CXX)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Boost CONFIG REQUIRED COMPONENTS serialization)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
include(SuperstepHdf5)
include(SuperstepZstd)
include(SuperstepHttplib)

if(SUPERSTEP_TESTS)
  find_package(GTest REQUIRED)
endif()
if(SUPERSTEP_BENCHMARKS)
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    message(STATUS "Google Benchmark not found: micro-benchmarks are left out")
  endif()
endif()

include(SuperstepUlfm)
include(SuperstepMpiLauncher)
