// Signals for calls that wait: what Ctrl-C does to a read or an open.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <thread>

#include <gtest/gtest.h>

namespace bloomery {

// What the handlers have done; a handler reaches nothing but globals.
inline std::atomic<int> signals_seen{0};
inline std::atomic<bool> stop_by_signal{false};

enum class OnSignal { kNote, kStop };

// Interrupts the calling thread, again and again until the object is gone.
class Signals {
 public:
  explicit Signals(OnSignal action) : target_(::pthread_self()) {
    signals_seen = 0;
    stop_by_signal = false;
    struct sigaction installed {};
    installed.sa_handler = action == OnSignal::kStop ? stop : note;  // no SA_RESTART: calls end with EINTR
    EXPECT_EQ(::sigaction(SIGUSR1, &installed, &old_), 0);
    sender_ = std::thread([this] {
      while (!done_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ::pthread_kill(target_, SIGUSR1);
      }
    });
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    done_ = true;
    sender_.join();
    ::sigaction(SIGUSR1, &old_, nullptr);
  }

 private:
  static void note(int) { ++signals_seen; }
  static void stop(int) {
    stop_by_signal = true;
    ++signals_seen;
  }

  pthread_t target_;
  std::atomic<bool> done_ = false;
  struct sigaction old_ {};
  std::thread sender_;
};

}  // namespace bloomery
