// Starts a thread that blocks SIGINT, SIGTERM and SIGHUP, so that the starting thread receives them and its
// wait is interrupted.
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

#include "base/ending_signals.h"

namespace bloomery::cli {

template <typename Work>
std::thread quiet_thread(Work&& work) {
  const sigset_t before = block_ending_signals();  // a thread inherits the mask of its creator
  std::thread thread(std::forward<Work>(work));
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace bloomery::cli
