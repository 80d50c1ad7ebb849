#include "core/stop_request.hpp"

#include <csignal>

#include "core/temporary_name.hpp"

namespace core {
namespace {

volatile std::sig_atomic_t requested = 0;
// What the signals did before.
struct sigaction earlier_term, earlier_usr1;

void note_request(int signal) {
  requested = 1;
  if (signal == SIGTERM) (void)sigaction(SIGTERM, &earlier_term, nullptr); // the second one is meant
}

void handle(int signal, struct sigaction& earlier) {
  struct sigaction action {};
  action.sa_handler = note_request;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  (void)sigaction(signal, &action, &earlier);
}

} // namespace

StopRequest::StopRequest() {
  requested = 0;
  remove_temporary_files_on_signals(); // below this handler, or it would find SIGTERM taken, and not be back afterwards
  handle(SIGTERM, earlier_term);
  handle(SIGUSR1, earlier_usr1);
}

StopRequest::~StopRequest() {
  (void)sigaction(SIGTERM, &earlier_term, nullptr);
  (void)sigaction(SIGUSR1, &earlier_usr1, nullptr);
}

bool StopRequest::made() noexcept {
  return requested != 0;
}

} // namespace core
