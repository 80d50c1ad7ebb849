#include "signals.hpp"

#include <cerrno>
#include <system_error>

#include <sys/signalfd.h>
#include <unistd.h>

namespace supervise {

SignalInbox::SignalInbox() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&wanted, signal);
  // A signal that is ignored (nohup: SIGHUP) never becomes pending, so it stays ignored.
  sigprocmask(SIG_BLOCK, &wanted, &original_mask_);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &original_pipe_action_);
  descriptor_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

SignalInbox::~SignalInbox() {
  close(descriptor_);
}

std::optional<int> SignalInbox::next() {
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

void SignalInbox::restore() const noexcept {
  sigaction(SIGPIPE, &original_pipe_action_, nullptr);
  sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

} // namespace supervise
