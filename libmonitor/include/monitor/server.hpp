// An HTTP server beside the work: threads of its own, which never call MPI, answer from texts that the job gives on
// demand.
//
//   /             the page (libmonitor/page/live_view.html)
//   /status.json  all that the page shows
//   /metrics      the numbers, for Prometheus
//
// Nothing can be changed through it. Everybody who reaches the port can read: it listens on 127.0.0.1 unless told
// otherwise.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace monitor {

/// Where to listen.
struct Endpoint {
  std::string address = "127.0.0.1";
  int port = 0; ///< 0: any that is free
};

/// What is served; both are called on the server's threads.
struct Texts {
  std::function<std::string()> status;  ///< JSON
  std::function<std::string()> metrics; ///< Prometheus
};

/// All functions are local.
class Server {
 public:
  /// Listens when it returns. If that cannot be: core::InputError that names --monitor, or with `patience_seconds` a
  /// thread goes on trying for so long, because whoever had the port may have died a moment ago.
  Server(const Endpoint& endpoint, Texts texts, double patience_seconds = 0);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The port it listens on; 0 while it is still trying.
  [[nodiscard]] int port() const noexcept;
  /// Waits until somebody who has asked for the status in the last second has asked again, at most `seconds`: the last
  /// state of a job is seen by those who watch it.
  void let_watchers_see(double seconds) const;

 private:
  struct Running;
  std::unique_ptr<Running> running_;
};

} // namespace monitor
