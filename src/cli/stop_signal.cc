#include "cli/stop_signal.h"

#include <csignal>
#include <ctime>

#include "base/ending_signals.h"

namespace bloomery::cli {
namespace {

// Global and mutable, because a signal handler can access nothing else.
std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
                  std::atomic<long>::is_always_lock_free,
              "only lock-free atomics may be set in a signal handler");

// When the first signal arrived, in milliseconds; 0 before it.
std::atomic<long> first_signal{0};

// The number of the first signal; 0 before it.
std::atomic<int> asked_by{0};

// timeout(1) signals both the command and its process group, so that one request arrives twice. A user needs
// longer than this to press Ctrl-C again.
constexpr long kOneWishMilliseconds = 250;

long milliseconds_now() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<long>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000 + 1;
}

void request_stop(int signal) {
  const long now = milliseconds_now();
  long first = 0;
  if (first_signal.compare_exchange_strong(first, now)) {
    asked_by = signal;
    stop_requested = true;
  } else if (now - first >= kOneWishMilliseconds) {
    (void)std::signal(signal, SIG_DFL);
    (void)std::raise(signal);
  }
}

}  // namespace

std::atomic<bool>& catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = request_stop;  // no SA_RESTART, so that a blocked read returns
  for (const int signal : kEndingSignals) {
    struct sigaction old {};
    // A signal that is ignored at the start stays ignored, as nohup requires.
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) {
      (void)::sigaction(signal, &action, nullptr);
    }
  }
  return stop_requested;
}

int stop_signal() {
  const int signal = asked_by;
  return signal == 0 ? SIGINT : signal;
}

bool forget_interrupt() {
  if (asked_by == SIGINT) {
    asked_by = 0;
    stop_requested = false;
    first_signal = 0;
  }
  return stop_requested;
}

}  // namespace bloomery::cli
