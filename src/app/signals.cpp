#include "app/signals.hpp"

#include <pthread.h>

#include <csignal>
#include <ctime>

namespace parcelflow::app {
namespace {

sigset_t our_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

} // namespace

void block_signals() {
  const auto set = our_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

std::optional<signal_kind> take_signal(std::chrono::milliseconds wait) {
  const auto set = our_signals();
  timespec limit{};
  limit.tv_sec = wait.count() / 1000;
  limit.tv_nsec = (wait.count() % 1000) * 1'000'000;
  const int taken = sigtimedwait(&set, nullptr, &limit);
  if (taken == SIGHUP)
    return signal_kind::reload;
  if (taken == SIGTERM || taken == SIGINT)
    return signal_kind::stop;
  return std::nullopt;
}

} // namespace parcelflow::app
