// Threads for tests of what filters promise to them.
#pragma once

#include <cstdint>
#include <latch>
#include <thread>
#include <vector>

namespace bloomery {

inline constexpr std::uint64_t kParallelThreads = 4;

// Runs work(thread) in every thread, all starting together.
template <typename Work>
void in_parallel(Work work) {
  std::latch start(kParallelThreads);
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kParallelThreads; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      work(thread);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace bloomery
