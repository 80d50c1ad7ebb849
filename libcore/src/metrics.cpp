// The stamp of a metrics file, and writing such files.
#include "core/metrics.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include <mpi.h>

#include "build_info.hpp"
#include "core/atomic_file.hpp"
#include "core/binding.hpp"
#include "core/communicator.hpp"

namespace core {
namespace {

// Initialised before main: the moment the program started.
const std::time_t kProgramStart = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return "unknown";
  // Open MPI appends the packager's host, MPICH its whole configure line: the name and the number suffice.
  std::string version(text.data(), static_cast<std::size_t>(length));
  version.resize(std::min(version.find_first_of(",\n"), version.size()));
  for (char& c : version)
    if (c == '\t') c = ' ';
  return version;
}

std::string utc(std::time_t time) {
  std::tm broken_down{};
  gmtime_r(&time, &broken_down);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &broken_down)};
}

} // namespace

nlohmann::json build_stamp() {
  return {{"version", build_info::kVersion},
          {"commit", build_info::kCommit},
          {"build_type", build_info::kBuildType},
          {"build_flags", build_info::kFlags},
          {"compiler", build_info::kCompiler},
          {"native", build_info::kNative},
          {"mpi", mpi_version()},
          {"ulfm", built_with_ulfm()},
          {"hostname", host_name()},
          {"started", utc(kProgramStart)}};
}

void write_json(const std::string& path, const nlohmann::json& document) {
  AtomicFile file(path);
  // The library writes NaN and infinity as null; bytes that are not UTF-8 (odd file names) become U+FFFD.
  file.write(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  file.write("\n");
  file.commit();
}

} // namespace core
