// The signals that ask a process to end.
#pragma once

#include <array>
#include <csignal>

namespace bloomery {

inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

// Blocks these signals in the calling thread and in threads that it starts. Returns the previous mask.
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
