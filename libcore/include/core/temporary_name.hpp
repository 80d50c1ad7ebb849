// Temporary files of this process, removed also when a signal ends it: Ctrl-C, a scheduler's time limit, or the
// launcher that ends the other ranks after one has failed (mpirun sends SIGTERM, then SIGKILL). What SIGKILL ends keeps
// its temporary files.
#pragma once

#include <cstddef>
#include <string>

namespace core {

/// From now on these signals remove what is marked, unless somebody handles or ignores them. The first TemporaryName
/// does it at the latest. Local.
void remove_temporary_files_on_signals();

/// Marks `path` for removal by SIGINT, SIGTERM and SIGHUP while the object lives; the signal then ends the process as
/// it would have. A signal that somebody handles or ignores is left alone. Local.
class TemporaryName {
 public:
  TemporaryName() = default;
  explicit TemporaryName(const std::string& path);
  ~TemporaryName();
  TemporaryName(TemporaryName&& other) noexcept;
  TemporaryName& operator=(TemporaryName&& other) noexcept;
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

 private:
  static constexpr std::size_t kUnmarked = ~std::size_t{0};

  std::size_t slot_ = kUnmarked;
};

} // namespace core
