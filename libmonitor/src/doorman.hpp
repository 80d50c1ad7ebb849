// Who may stay on the server's port, and for how long. cpp-httplib reads a line to its end before it looks at its
// length, and its time limit is one for each read: a client that sends an endless URL fills rank 0's memory, and one
// that sends a byte now and then keeps a thread for good. Both are shown out here: a thread, awake only while there are
// connections, asks the kernel how old each one is and how much it has sent. cpp-httplib keeps its sockets to itself;
// Linux lists them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include <sys/types.h>

namespace monitor {

class Doorman {
 public:
  /// Far more than a request takes that is served.
  static constexpr std::chrono::milliseconds kLongestVisit{2000};
  static constexpr unsigned long long kMostBytes = 32768;
  /// How often he looks. What a client can send meanwhile is what it can make the server hold: some megabytes.
  static constexpr std::chrono::milliseconds kBetweenLooks{20};

  /// All functions are local; the thread inherits the caller's signal mask.
  Doorman();
  ~Doorman();
  Doorman(const Doorman&) = delete;
  Doorman& operator=(const Doorman&) = delete;

  /// A connection to `port`, which is the same each time, was accepted; its answer was sent, or it has ended. From any
  /// thread.
  void came(int port);
  void left();

  /// Ends all connections to `port`.
  static void show_out_all(int port);

 private:
  using Clock = std::chrono::steady_clock;
  void watch();
  void look(int port);

  std::mutex mutex_;
  std::condition_variable changed_;
  int visitors_ = 0, port_ = 0;
  bool stop_ = false;
  std::map<ino_t, Clock::time_point> first_seen_; // by the socket's number in the kernel; the thread's own
  std::thread thread_;
};

} // namespace monitor
