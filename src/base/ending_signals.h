// The signals that ask a process to end.
#pragma once

#include <array>
#include <csignal>

namespace bloomery {

inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

// Holds them back from the calling thread, and from threads that it starts. Returns the mask from before.
inline sigset_t block_ending_signals() {
  sigset_t signals;
  sigset_t before;
  sigemptyset(&signals);
  for (const int signal : kEndingSignals) {
    sigaddset(&signals, signal);
  }
  (void)::pthread_sigmask(SIG_BLOCK, &signals, &before);
  return before;
}

}  // namespace bloomery
