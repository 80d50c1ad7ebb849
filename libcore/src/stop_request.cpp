#include "core/stop_request.hpp"

#include <csignal>

namespace core {
namespace {

volatile std::sig_atomic_t requested = 0;

void note_request(int) {
  requested = 1;
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  (void)sigaction(signal, &action, nullptr);
}

} // namespace

StopRequest::StopRequest() {
  requested = 0;
  handle(SIGTERM, note_request, SA_RESTART | static_cast<int>(SA_RESETHAND));
  handle(SIGUSR1, note_request, SA_RESTART);
}

StopRequest::~StopRequest() {
  handle(SIGTERM, SIG_DFL, 0);
  handle(SIGUSR1, SIG_DFL, 0);
}

bool StopRequest::made() noexcept {
  return requested != 0;
}

} // namespace core
