// What the header promises to threads. Runs under the thread sanitizer too, with fewer keys.
#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/counting_bloom_filter.h"
#include "tests/base/sanitized.h"
#include "tests/filter/in_parallel.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kSharedKeys = kThreadSanitized ? 20'000 : 400'000;

template <typename Filter>
class Concurrent : public ::testing::Test {};
using FilterTypes = ::testing::Types<BloomFilter, BlockedBloomFilter, CountingBloomFilter>;
TYPED_TEST_SUITE(Concurrent, FilterTypes);

// Inserts from several threads lose no bit: the filter is the one a single thread builds.
TYPED_TEST(Concurrent, InsertsLoseNothing) {
  TypeParam shared = *TypeParam::for_capacity(kSharedKeys, 0.01);
  in_parallel([&shared](std::uint64_t thread) {
    const std::uint64_t part = kSharedKeys / kParallelThreads;
    insert_numbered(shared, thread * part, part / 2);  // batches
    for (std::uint64_t key = thread * part + part / 2; key < (thread + 1) * part; ++key) {
      shared.insert(key);
    }
  });
  TypeParam alone = *TypeParam::for_capacity(kSharedKeys, 0.01);
  insert_numbered(alone, 0, kSharedKeys);
  std::string shared_bytes;
  std::string alone_bytes;
  shared.serialize(shared_bytes);
  alone.serialize(alone_bytes);
  EXPECT_EQ(shared_bytes, alone_bytes);
}

// An exception whose insert has returned is a member in every thread, and is taken back by one insert alone,
// while others are still denied.
TYPED_TEST(Concurrent, InsertedExceptionsAreMembersAtOnce) {
  TypeParam filter = *TypeParam::for_capacity(kSharedKeys, 0.01);
  insert_numbered(filter, 0, kSharedKeys / 2);  // so that many exceptions match
  constexpr std::uint64_t kExceptions = kSharedKeys / 16;
  const auto key_of = [](std::uint64_t i) { return hash_key(kSharedKeys + i, HashSpec{}); };
  std::vector<Hash128> exceptions;
  for (std::uint64_t i = 0; i < kExceptions; ++i) {
    exceptions.push_back(key_of(i));
  }
  ASSERT_TRUE(filter.add_as_exceptions(exceptions));
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> news{0};
  in_parallel([&](std::uint64_t thread) {
    // Every thread inserts the same first half, in an order of its own, and asks about the other half.
    for (std::uint64_t i = 0; i < kExceptions / 2; ++i) {
      const std::uint64_t mine = (i * (2 * thread + 1) + thread) % (kExceptions / 2);
      news += filter.test_and_insert(key_of(mine)) ? 1U : 0U;
      wrong += filter.may_contain(key_of(mine)) ? 0U : 1U;
      wrong += filter.may_contain(key_of(kExceptions / 2 + mine)) ? 1U : 0U;
    }
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(news, kExceptions / 2);
  EXPECT_EQ(filter.withdrawn_exceptions(), kExceptions / 2);
  EXPECT_EQ(filter.exception_count(), kExceptions / 2);
}

// A key whose insert has returned answers maybe in every thread, while others insert.
TYPED_TEST(Concurrent, WhatIsInsertedIsSeen) {
  TypeParam filter = *TypeParam::for_capacity(kSharedKeys, 0.01);
  std::atomic<std::uint64_t> inserted{0};
  std::atomic<std::uint64_t> lost{0};
  in_parallel([&](std::uint64_t thread) {
    if (thread == 0) {
      for (std::uint64_t key = 0; key < kSharedKeys; ++key) {
        filter.insert(key);
        inserted.store(key + 1, std::memory_order_release);
      }
      return;
    }
    for (std::uint64_t known = 0; known < kSharedKeys;) {
      known = inserted.load(std::memory_order_acquire);
      for (std::uint64_t key = known - std::min<std::uint64_t>(known, 8); key < known; ++key) {
        lost += filter.may_contain(key) ? 0 : 1;
      }
    }
  });
  EXPECT_EQ(lost.load(), 0u);
}

// All threads offer all keys; of the calls for one key exactly one hears "new", or none for a false positive.
TYPED_TEST(Concurrent, ExactlyOneCallerHearsNew) {
  TypeParam filter = *TypeParam::for_capacity(kSharedKeys, 1e-6);
  std::vector<std::atomic<int>> heard(kSharedKeys);
  in_parallel([&](std::uint64_t thread) {
    const std::vector<Hash128> hashes = numbered_hashes(0, kSharedKeys);
    std::vector<std::uint64_t> answers(answer_words(64));
    for (std::uint64_t start = 0; start + 64 <= kSharedKeys; start += 64) {
      if (thread % 2 == 0) {
        filter.test_and_insert_batch(std::span(hashes).subspan(start, 64), answers);
        for (std::uint64_t i = 0; i < 64; ++i) {
          heard[start + i] += static_cast<int>((answers[0] >> i) & 1);
        }
      } else {
        for (std::uint64_t i = start; i < start + 64; ++i) {
          heard[i] += filter.test_and_insert(hashes[i]) ? 1 : 0;
        }
      }
    }
  });
  std::uint64_t new_keys = 0;
  for (std::uint64_t key = 0; key + 64 <= kSharedKeys; ++key) {
    ASSERT_LE(heard[key].load(), 1) << "key " << key;
    new_keys += static_cast<std::uint64_t>(heard[key].load());
  }
  EXPECT_GE(new_keys, kSharedKeys / 64 * 64 - 64 - 5);  // at 1e-6 about 0.1 false positive
}

}  // namespace
}  // namespace bloomery
