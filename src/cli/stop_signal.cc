#include "cli/stop_signal.h"

#include <csignal>

namespace bloomery::cli {
namespace {

// The one mutable global: a signal handler can reach nothing else.
std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "only lock-free atomics may be set in a signal handler");

void request_stop(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = request_stop;  // without SA_RESTART: a read that waits for input must come back
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    // Whoever started us with a signal ignored (nohup) meant it.
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) {
      (void)::sigaction(signal, &action, nullptr);
    }
  }
  return stop_requested;
}

}  // namespace bloomery::cli
