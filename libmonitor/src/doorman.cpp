#include "doorman.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace monitor {
namespace {

/// The port of a connected socket at this end; 0 if the descriptor is something else.
int port_of_connection(int descriptor) {
  sockaddr_storage there{};
  socklen_t length = sizeof there;
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&there), &length) != 0) return 0;
  sockaddr_storage here{};
  length = sizeof here;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&here), &length) != 0) return 0;
  if (here.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(here).sin_port);
  if (here.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(here).sin6_port);
  return 0;
}

/// Calls visit(descriptor) for each connection to the port. The descriptor is a copy of the server's: that one may be
/// closed and its number given to a socket of MPI's at any moment, the copy stays what it was looked at for.
template <class Visit>
void for_each_connection(int port, Visit&& visit) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
       entry.increment(error)) {
    const int original = std::atoi(entry->path().filename().c_str());
    if (port_of_connection(original) != port) continue;
    const int copy = fcntl(original, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) continue;
    if (port_of_connection(copy) == port) visit(copy);
    close(copy);
  }
}

/// Ends a connection at once, by a reset. A shutdown() would not do: Linux goes on taking in what is sent, and who
/// reads goes on getting it.
void reset(int connection) {
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  if (connect(connection, &nobody, sizeof nobody) != 0) shutdown(connection, SHUT_RDWR);
}

/// 0 where the kernel does not tell.
unsigned long long bytes_received(int descriptor) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
  return info.tcpi_bytes_received;
}

} // namespace

Doorman::Doorman() : thread_([this] { watch(); }) {}

Doorman::~Doorman() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Doorman::came(int port) {
  const std::lock_guard lock(mutex_);
  port_ = port;
  if (visitors_++ == 0) changed_.notify_one();
}

void Doorman::left() {
  const std::lock_guard lock(mutex_);
  --visitors_;
}

void Doorman::show_out_all(int port) {
  for_each_connection(port, reset);
}

/// The thread's whole life. Most visits are over before he has looked once.
void Doorman::watch() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    changed_.wait(lock, [this] { return visitors_ > 0 || stop_; });
    if (changed_.wait_for(lock, kBetweenLooks, [this] { return stop_; })) return;
    if (visitors_ == 0) {
      first_seen_.clear();
      continue;
    }
    const int port = port_;
    lock.unlock();
    look(port);
    lock.lock();
  }
}

void Doorman::look(int port) {
  const Clock::time_point now = Clock::now();
  std::map<ino_t, Clock::time_point> present;
  for_each_connection(port, [&](int connection) {
    struct stat status {};
    if (fstat(connection, &status) != 0) return;
    const auto seen = first_seen_.find(status.st_ino);
    const Clock::time_point since = seen == first_seen_.end() ? now : seen->second;
    present.emplace(status.st_ino, since);
    if (now - since > kLongestVisit || bytes_received(connection) > kMostBytes) reset(connection);
  });
  first_seen_ = std::move(present);
}

} // namespace monitor
