// Five things about cpp-httplib have to be put right for a server inside an MPI job. It sets SO_REUSEPORT, with which
// two jobs of one user could listen on the same port; here it is SO_REUSEADDR, which only lets a restarted job have the
// port of the one before. It ignores SIGPIPE in the whole process; here its threads block all signals instead, so that
// those for the job reach the job's thread. Its sockets would be inherited by programs that the job starts. It has no
// limit to what a client sends and how long it takes; a doorman has (doorman.hpp). And its end waits for clients that
// are still being served; here they are shown out.
#include "monitor/server.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <pthread.h>
#include <sys/socket.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "doorman.hpp"
#include "page.hpp"

namespace monitor {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 8;
constexpr auto kBetweenTries = 50ms;
/// A page that polls every quarter of a second and has not been heard of for so long is gone.
constexpr auto kStillWatching = 1s;
/// At the end, for answers that are on their way.
constexpr double kLastAnswersSeconds = 0.2;

/// Threads that are started meanwhile block all signals.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

/// What the process does on SIGPIPE is as before at the end.
class SigpipeKept {
 public:
  SigpipeKept() { sigaction(SIGPIPE, nullptr, &before_); }
  ~SigpipeKept() { sigaction(SIGPIPE, &before_, nullptr); }
  SigpipeKept(const SigpipeKept&) = delete;
  SigpipeKept& operator=(const SigpipeKept&) = delete;

 private:
  struct sigaction before_ {};
};

void prepare_socket(int descriptor) {
  const int yes = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

/// cpp-httplib's pool of threads, which tells the doorman of each connection.
class WatchedQueue final : public httplib::TaskQueue {
 public:
  WatchedQueue(Doorman& doorman, const std::atomic<int>& port) : doorman_(doorman), port_(port) {}

  /// Whether it was taken, in versions that tell.
  decltype(std::declval<httplib::TaskQueue&>().enqueue({})) enqueue(std::function<void()> serve) override {
    doorman_.came(port_);
    return pool_.enqueue([this, serve = std::move(serve)] {
      serve();
      doorman_.left();
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  Doorman& doorman_;
  const std::atomic<int>& port_;
  httplib::ThreadPool pool_{kThreads};
};

} // namespace

struct Server::Running {
  SigpipeKept sigpipe; // until http has been made
  httplib::Server http;
  Texts texts;
  Endpoint endpoint;
  std::unique_ptr<Doorman> doorman;
  std::atomic<int> port{0};
  std::atomic<Clock::rep> last_asked{0}; // for the status
  std::atomic<bool> stopping{false}, done{false};
  std::thread thread;

  void declare_routes();
  [[nodiscard]] bool bind();
  void listen(double patience_seconds);
};

void Server::Running::declare_routes() {
  http.set_default_headers({{"Cache-Control", "no-store"},
                            {"X-Content-Type-Options", "nosniff"},
                            {"Content-Security-Policy",
                             "default-src 'none'; connect-src 'self'; img-src data:; script-src 'unsafe-inline'; "
                             "style-src 'unsafe-inline'"}});
  http.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(std::string(kPage), "text/html; charset=utf-8");
  });
  http.Get("/status.json", [this](const httplib::Request&, httplib::Response& response) {
    response.set_content(texts.status(), "application/json");
    last_asked = Clock::now().time_since_epoch().count();
  });
  http.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
    response.set_content(texts.metrics(), "text/plain; version=0.0.4; charset=utf-8");
  });
  http.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (response.status == 404) response.set_content("there are /, /status.json and /metrics\n", "text/plain");
  });
}

/// errno says why not.
bool Server::Running::bind() {
  errno = 0;
  if (endpoint.port == 0) {
    const int chosen = http.bind_to_any_port(endpoint.address);
    if (chosen > 0) port = chosen;
    return chosen > 0;
  }
  if (!http.bind_to_port(endpoint.address, endpoint.port)) return false;
  port = endpoint.port;
  return true;
}

/// The thread's whole life.
void Server::Running::listen(double patience_seconds) {
  const core::Stopwatch watch;
  while (port == 0 && !stopping && !bind()) {
    if (watch.seconds() > patience_seconds) {
      core::log_warning(fmt::format("warning: no live view: cannot listen on {}:{}: {}", endpoint.address,
                                    endpoint.port, std::strerror(errno)));
      break;
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
  if (port != 0) http.listen_after_bind();
  done = true;
}

Server::Server(const Endpoint& endpoint, Texts texts, double patience_seconds) : running_(std::make_unique<Running>()) {
  Running& r = *running_;
  r.texts = std::move(texts);
  r.endpoint = endpoint;
  r.http.new_task_queue = [&r] { return new WatchedQueue(*r.doorman, r.port); };
  r.http.set_keep_alive_max_count(1); // a watcher must not keep a thread from the others
  r.http.set_read_timeout(2);
  r.http.set_write_timeout(2);
  r.http.set_payload_max_length(0); // nothing is taken in
  r.http.set_tcp_nodelay(true);
  r.http.set_socket_options(prepare_socket);
  r.declare_routes();
  if (!r.bind() && patience_seconds == 0) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "no such address";
    throw core::InputError(fmt::format("--monitor: cannot listen on {}:{}: {}; choose another port (0: any free one){}",
                                       endpoint.address, endpoint.port, reason,
                                       errno == EADDRINUSE ? "" : ", or another --monitor-address"));
  }
  const SignalsBlocked blocked;
  r.doorman = std::make_unique<Doorman>();
  r.thread = std::thread([&r, patience_seconds] { r.listen(patience_seconds); });
}

Server::~Server() {
  Running& r = *running_;
  r.stopping = true;
  // stop() does nothing before the thread listens.
  while (!r.done && !r.http.is_running()) std::this_thread::sleep_for(1ms);
  r.http.stop();
  const core::Stopwatch watch;
  while (!r.done) {
    std::this_thread::sleep_for(1ms);
    if (watch.seconds() > kLastAnswersSeconds) Doorman::show_out_all(r.port);
  }
  r.thread.join();
}

int Server::port() const noexcept {
  return running_->port;
}

void Server::let_watchers_see(double seconds) const {
  const auto asked = [this] { return Clock::time_point(Clock::duration(running_->last_asked)); };
  const Clock::time_point start = Clock::now();
  if (asked() == Clock::time_point() || start - asked() > kStillWatching) return;
  const core::Stopwatch watch;
  while (asked() < start && watch.seconds() < seconds) std::this_thread::sleep_for(5ms);
}

} // namespace monitor
