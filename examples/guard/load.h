// Threads that ask, and what they saw.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

struct Seen {
  std::uint64_t answers = 0;
  std::uint64_t errors = 0;
  double seconds = 0;
  std::vector<float> ms;  // of each answer, sorted

  double at(double share) const {
    return ms.empty() ? 0
                      : ms[std::min(ms.size() - 1,
                                    static_cast<std::size_t>(share * static_cast<double>(ms.size())))];
  }
};

struct Load {
  int threads = 1;
  std::uint64_t each = ~std::uint64_t{0};  // questions of a thread
  std::chrono::nanoseconds lasts = std::chrono::hours(1);
  std::chrono::nanoseconds pace{};  // of a thread; 0: one question behind the other
};

// Calls `ask(random, number)` in all threads. A late question counts from the moment when it was due.
template <typename Ask>
Seen run_load(const Load& load, Ask ask) {
  std::vector<Seen> seen(static_cast<std::size_t>(load.threads));
  std::vector<std::thread> running;
  std::atomic<int> waiting{load.threads};
  const auto begin = Clock::now();
  for (int thread = 0; thread < load.threads; ++thread) {
    running.emplace_back([&, thread] {
      std::mt19937_64 random(static_cast<std::uint64_t>(thread));
      Seen& mine = seen[static_cast<std::size_t>(thread)];
      for (--waiting; waiting > 0;) {  // all begin together
        std::this_thread::yield();
      }
      auto due = Clock::now();
      for (std::uint64_t i = 0; i < load.each && Clock::now() - begin < load.lasts; ++i) {
        if (load.pace.count() > 0) {
          due += load.pace;
          std::this_thread::sleep_until(due);
        } else {
          due = Clock::now();
        }
        mine.errors += ask(random, (static_cast<std::uint64_t>(thread) << 32U) + i) ? 0 : 1;
        mine.ms.push_back(std::chrono::duration<float, std::milli>(Clock::now() - due).count());
      }
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
  Seen all;
  all.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  for (const Seen& part : seen) {
    all.answers += part.ms.size();
    all.errors += part.errors;
    all.ms.insert(all.ms.end(), part.ms.begin(), part.ms.end());
  }
  std::sort(all.ms.begin(), all.ms.end());
  return all;
}
