// What the scalable filter's header promises to threads: queries during inserts, also while layers are added
// and their pieces turn from tables into bits. Runs under the thread sanitizer too, with fewer keys.
#include <atomic>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/exceptions.h"
#include "bloomery/filter/scalable_filter.h"
#include "tests/base/sanitized.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kScalableKeys = kThreadSanitized ? 6'000 : 200'000;
constexpr std::uint64_t kScalableWorkers = 3;
constexpr std::uint64_t kFar = std::uint64_t{1} << 32;  // keys of one worker from those of the next

void join_all(std::vector<std::thread>& threads) {
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Inserts one worker's keys, by batches and by single calls, and tells after each how many are in.
void insert_and_tell(ScalableFilter& filter, std::uint64_t worker, std::atomic<std::uint64_t>& told) {
  constexpr std::uint64_t kBatch = 100;
  std::vector<std::uint64_t> answers(answer_words(kBatch));
  for (std::uint64_t done = 0; done < kScalableKeys; done += kBatch) {
    const std::vector<Hash128> hashes = numbered_hashes(worker * kFar + done, kBatch);
    if (done / kBatch % 3 == 0) {
      ASSERT_EQ(filter.insert_batch(hashes), 0u);
    } else if (done / kBatch % 3 == 1) {
      ASSERT_EQ(filter.test_and_insert_batch(hashes, answers), 0u);
    } else {
      for (const Hash128& hash : hashes) {
        ASSERT_TRUE(filter.insert(hash));
      }
    }
    told.store(done + kBatch);
  }
}

// From a first layer of ten keys: whatever a worker has told to be in is in, for every reader, at once.
TEST(ScalableConcurrent, QueriesBesideGrowthMissNothing) {
  ScalableFilter filter = *ScalableFilter::for_capacity(10, 0.01);
  std::vector<std::atomic<std::uint64_t>> told(kScalableWorkers);
  std::atomic<std::uint64_t> working{kScalableWorkers};
  std::atomic<std::uint64_t> denied{0};
  std::atomic<std::uint64_t> wrong_facts{0};
  std::vector<std::thread> threads;
  for (std::uint64_t worker = 0; worker < kScalableWorkers; ++worker) {
    threads.emplace_back([&, worker] {
      insert_and_tell(filter, worker, told[worker]);
      --working;
    });
  }
  for (int reader = 0; reader < 2; ++reader) {
    threads.emplace_back([&] {
      do {
        for (std::uint64_t worker = 0; worker < kScalableWorkers; ++worker) {
          const std::uint64_t in = told[worker].load();
          const std::uint64_t first = in - std::min<std::uint64_t>(in, 2000);
          denied += (in - first) - count_maybes(filter, worker * kFar + first, in - first);
          for (std::uint64_t key = first; key < in; key += 37) {
            denied += filter.may_contain(worker * kFar + key) ? 0U : 1U;
          }
        }
        for (std::size_t i = 0; i < filter.layer_count(); ++i) {
          const LayerFacts facts = filter.layer(i);
          wrong_facts +=
              facts.capacity == std::uint64_t{10} << 2 * i && facts.keys <= facts.capacity ? 0U : 1U;
        }
      } while (working.load() != 0);
    });
  }
  join_all(threads);
  EXPECT_EQ(denied.load(), 0u);
  EXPECT_EQ(wrong_facts.load(), 0u);
  EXPECT_EQ(filter.inserted(), kScalableWorkers * kScalableKeys);
  EXPECT_GE(filter.layer_count(), 7u);
  EXPECT_GT(filter.layer(6).shape.bits(), 8u * 16 * 1024) << "its bits were late";
  for (std::uint64_t worker = 0; worker < kScalableWorkers; ++worker) {
    EXPECT_EQ(count_maybes(filter, worker * kFar, kScalableKeys), kScalableKeys);
  }
  EXPECT_FALSE(filter.over_capacity());
}

// Of many threads that insert one key, exactly one hears that it was new, also of a key that is an exception.
TEST(ScalableConcurrent, ExactlyOneThreadHearsNew) {
  ScalableFilter filter = *ScalableFilter::for_capacity(10, 1e-6);
  const std::vector<Hash128> hashes = numbered_hashes(0, kScalableKeys / 4);
  ASSERT_TRUE(filter.add_as_exceptions(std::span(hashes).first(hashes.size() / 2)));
  std::vector<std::atomic<int>> heard(hashes.size());
  std::vector<std::thread> threads;
  for (std::uint64_t worker = 0; worker < kScalableWorkers; ++worker) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        heard[i] += filter.test_and_insert(hashes[i]) ? 1 : 0;
      }
    });
  }
  join_all(threads);
  std::uint64_t unheard = 0;  // known by chance
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_LE(heard[i].load(), 1) << "key " << i;
    unheard += heard[i].load() == 0 ? 1U : 0U;
  }
  EXPECT_LE(unheard, 3u);
  EXPECT_EQ(filter.exception_count(), 0u);
  EXPECT_EQ(maybes(filter, hashes), hashes.size());
  std::uint64_t keys = 0;
  for (std::size_t i = 0; i < filter.layer_count(); ++i) {
    keys += filter.layer(i).keys;
  }
  EXPECT_LE(keys, hashes.size());
}

}  // namespace
}  // namespace bloomery
