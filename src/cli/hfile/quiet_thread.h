// A thread that leaves SIGINT, SIGTERM and SIGHUP to the one that starts it, where they interrupt its
// waiting.
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

#include "base/ending_signals.h"

namespace bloomery::cli {

template <typename Work>
std::thread quiet_thread(Work&& work) {
  const sigset_t before = block_ending_signals();  // a thread begins with the mask of its maker
  std::thread thread(std::forward<Work>(work));
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace bloomery::cli
