// What the counting filter's header promises to threads that remove. Runs under the thread sanitizer too,
// with fewer keys.
#include <atomic>
#include <bit>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/counting_bloom_filter.h"
#include "tests/base/sanitized.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kCountedKeys = kThreadSanitized ? 4'000 : 40'000;
constexpr int kCountingRounds = kThreadSanitized ? 3 : 10;
constexpr std::uint64_t kCountedThroughout = 1000;  // keys that are in throughout
constexpr std::uint64_t kCountingWorkers = 3;

// Inserts and removes the keys of one worker, by batches and by single calls; counts what was refused.
std::uint64_t come_and_go(CountingBloomFilter& filter, std::uint64_t worker) {
  const std::vector<Hash128> hashes =
      numbered_hashes((worker + 1) * 1'000'000, kCountedKeys / kCountingWorkers);
  const auto half = std::span(hashes).first(hashes.size() / 2);
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  std::uint64_t refused = 0;
  for (int round = 0; round < kCountingRounds; ++round) {
    filter.insert_batch(half);
    filter.test_and_insert_batch(std::span(hashes).subspan(half.size()), answers);
    refused += filter.remove_batch(half, answers);
    for (const Hash128& hash : std::span(hashes).subspan(half.size())) {
      refused += filter.remove(hash) ? 0U : 1U;
    }
  }
  return refused;
}

// A small, full filter, so that every key shares its counters with keys that come and go: those that stay are
// never denied, no remove of a key that is in is refused, and in the end only those that stayed are left.
TEST(CountingConcurrent, RemovesOfOtherKeysNeverDenyAKey) {
  CountingBloomFilter filter =
      *CountingBloomFilter::for_shape({.bits = kCountedKeys * 4, .hash_count = 5}, kCountedKeys);
  insert_numbered(filter, 0, kCountedThroughout);
  const std::string before = serialized(filter);
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> denied{0};
  std::atomic<std::uint64_t> working{kCountingWorkers};
  std::vector<std::thread> threads;
  for (std::uint64_t worker = 0; worker < kCountingWorkers; ++worker) {
    threads.emplace_back([&, worker] {
      refused += come_and_go(filter, worker);
      --working;
    });
  }
  threads.emplace_back([&] {
    do {
      denied += kCountedThroughout - count_maybes(filter, 0, kCountedThroughout);
      for (std::uint64_t key = 0; key < kCountedThroughout; key += 7) {
        denied += filter.may_contain(key) ? 0U : 1U;
        denied += filter.count_at_most(key) == 0U ? 1U : 0U;
      }
    } while (working.load() != 0);
  });
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(denied.load(), 0u);
  EXPECT_EQ(refused.load(), 0u);
  EXPECT_EQ(filter.inserted(), kCountedThroughout);
  EXPECT_EQ(filter.saturated_count(), 0u);  // so full a counter is one in 10^10
  EXPECT_EQ(serialized(filter), before);
}

// Of many removers of one key that is in once, exactly one takes it out.
TEST(CountingConcurrent, ExactlyOneRemoverIsAnsweredTrue) {
  CountingBloomFilter filter = *CountingBloomFilter::for_capacity(kCountedKeys, 1e-9);
  const std::vector<Hash128> hashes = numbered_hashes(0, kCountedKeys);
  filter.insert_batch(hashes);
  std::vector<std::atomic<int>> removed(kCountedKeys);
  std::vector<std::thread> threads;
  for (std::uint64_t worker = 0; worker < kCountingWorkers; ++worker) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < kCountedKeys; ++i) {
        removed[i] += filter.remove(hashes[i]) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (std::uint64_t i = 0; i < kCountedKeys; ++i) {
    ASSERT_EQ(removed[i].load(), 1) << "key " << i;
  }
  EXPECT_EQ(filter.inserted(), 0u);
  EXPECT_EQ(filter.fill_ratio(), 0);
}

// Increments of one counter by many threads at once are all counted, up to where it saturates.
TEST(CountingConcurrent, NoIncrementIsLost) {
  for (const std::uint32_t each : {1u, 4u, 6u}) {
    CountingBloomFilter filter = *CountingBloomFilter::for_shape({.bits = 16, .hash_count = 1}, 1);
    std::vector<std::thread> threads;
    for (std::uint64_t worker = 0; worker < kCountingWorkers; ++worker) {
      threads.emplace_back([&] {
        for (std::uint32_t i = 0; i < each; ++i) {
          filter.insert("a key");
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    const std::optional<std::uint32_t> most = filter.count_at_most("a key");
    EXPECT_EQ(most.value_or(15), std::min<std::uint32_t>(15, each * kCountingWorkers));
    EXPECT_EQ(filter.inserted(), each * kCountingWorkers);
  }
}

// The same by batches, which begin together: removers that only look and then take would take a key twice.
TEST(CountingConcurrent, ExactlyOneBatchOfManyRemovesAKey) {
  constexpr std::size_t kBatch = 64;
  const std::vector<Hash128> hashes = numbered_hashes(0, kBatch);
  for (int round = 0; round < (kThreadSanitized ? 200 : 3000); ++round) {
    CountingBloomFilter filter = *CountingBloomFilter::for_shape({.bits = 1 << 14, .hash_count = 7}, kBatch);
    filter.insert_batch(hashes);
    std::atomic<std::uint64_t> waiting{kCountingWorkers};
    std::atomic<std::uint64_t> removed{0};
    std::vector<std::thread> threads;
    for (std::uint64_t worker = 0; worker < kCountingWorkers; ++worker) {
      threads.emplace_back([&] {
        std::uint64_t answers = 0;
        --waiting;
        for (int turns = 0; waiting.load() != 0; ++turns) {
          if (turns > 20'000) {
            std::this_thread::yield();  // there are fewer processors than threads
          }
        }
        filter.remove_batch(hashes, {&answers, 1});
        removed += static_cast<std::uint64_t>(std::popcount(answers));
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    ASSERT_EQ(removed.load(), kBatch) << "round " << round;
    ASSERT_EQ(filter.inserted(), 0u);
  }
}

}  // namespace
}  // namespace bloomery
