// The queue of writers: each write is led once, in its writer's order, by one leader at a time; a group has
// room for so many bytes, and work that is done alone is a group of its own.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "store/commit_queue.h"

namespace bloomery::store {
namespace {

struct LedGroups {
  std::atomic<int> leaders = 0;
  std::size_t groups = 0;
  std::size_t writes = 0;
  std::size_t most_writes = 0;
  std::size_t most_bytes_of_many = 0;

  void lead(std::span<Write* const> group) {
    EXPECT_EQ(++leaders, 1);
    std::size_t bytes = 0;
    for (Write* write : group) {
      bytes += write->size_bytes;
      if (write->alone != nullptr) {
        EXPECT_EQ(group.size(), 1U);
        write->status = (*write->alone)();
      } else {
        write->status = Error::invalid_argument("write", std::to_string(write->size_bytes));
      }
    }
    ++groups;
    writes += group.size();
    most_writes = std::max(most_writes, group.size());
    most_bytes_of_many = group.size() > 1 ? std::max(most_bytes_of_many, bytes) : most_bytes_of_many;
    std::this_thread::yield();  // others queue meanwhile
    --leaders;
  }
};

// Has threads write `size` bytes each time; every tenth time a thread works alone.
void write_in_threads(CommitQueue& queue, std::size_t size, std::size_t times) {
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < times; ++i) {
        bool was_run = false;
        if (i % 10 == thread) {
          const Status alone = queue.run_alone([&]() -> Status {
            was_run = true;
            return {};
          });
          EXPECT_TRUE(alone && was_run);
          continue;
        }
        Write write{.size_bytes = size + i};
        EXPECT_EQ(queue.commit(write).error().detail(), std::to_string(size + i));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(CommitQueue, OneLeaderWritesForAllThatWait) {
  LedGroups led;
  CommitQueue queue([&](std::span<Write* const> group) { led.lead(group); });
  write_in_threads(queue, 10, 2000);
  EXPECT_EQ(led.writes, 12'000U);
  EXPECT_LT(led.groups, led.writes);
  EXPECT_GT(led.most_writes, 1U);
}

TEST(CommitQueue, AGroupHasABound) {
  LedGroups led;
  CommitQueue queue([&](std::span<Write* const> group) { led.lead(group); });
  write_in_threads(queue, 400 << 10, 500);  // of which two fit
  EXPECT_EQ(led.writes, 3'000U);
  EXPECT_EQ(led.most_writes, 2U);
  EXPECT_LE(led.most_bytes_of_many, std::size_t{1} << 20);
}

}  // namespace
}  // namespace bloomery::store
