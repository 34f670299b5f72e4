// What the header promises to threads. Runs under the thread sanitizer too, with fewer keys.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "filter/native/exception_table.h"
#include "tests/base/sanitized.h"
#include "tests/filter/in_parallel.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kExceptionKeys = kThreadSanitized ? 5'000 : 100'000;
constexpr std::uint64_t kExceptionRounds = kThreadSanitized ? 10 : 100;
constexpr std::uint64_t kSeed = 4711;

// Shuffled.
Hashes uniform_hashes() {
  std::mt19937_64 random(kSeed);
  Hashes hashes(kExceptionKeys);
  for (Hash128& hash : hashes) {
    hash = {.low = random(), .high = random()};
  }
  return hashes;
}

// All threads withdraw all but the first hundred: one hears true for each, and the hundred stay.
TEST(ExceptionTableConcurrent, ExactlyOneCallerHearsTrue) {
  const Hashes hashes = uniform_hashes();
  ExceptionTable table = ExceptionTable::of(hashes);
  std::vector<std::atomic<int>> heard(kExceptionKeys);
  in_parallel([&](std::uint64_t thread) {
    for (std::uint64_t i = 0; i < kExceptionKeys; ++i) {
      const std::uint64_t key = thread % 2 == 0 ? i : kExceptionKeys - 1 - i;
      heard[key] += key >= 100 && table.withdraw(hashes[key]) ? 1 : 0;
    }
  });
  for (std::uint64_t key = 0; key < kExceptionKeys; ++key) {
    ASSERT_EQ(heard[key].load(), key >= 100 ? 1 : 0) << "key " << key << ", seed " << kSeed;
    ASSERT_EQ(table.contains(hashes[key]), key < 100);
  }
  EXPECT_EQ(table.live(), 100u);
}

// One thread withdraws. In the others a withdrawal that returned is never seen undone, and what is not yet
// withdrawn is never missed, alone or in a batch.
TEST(ExceptionTableConcurrent, WithdrawnIsGoneAndTheOthersStay) {
  const Hashes hashes = uniform_hashes();
  ExceptionTable table = ExceptionTable::of(hashes);
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> withdrawn{0};
  std::atomic<std::uint64_t> wrong{0};
  in_parallel([&](std::uint64_t thread) {
    if (thread == 0) {
      for (std::uint64_t key = 0; key < kExceptionKeys; ++key) {
        begun.store(key + 1);
        wrong += table.withdraw(hashes[key]) ? 0 : 1;
        withdrawn.store(key + 1);
      }
      return;
    }
    std::mt19937_64 random(kSeed + thread);
    for (std::uint64_t gone = 0; gone < kExceptionKeys;) {
      gone = withdrawn.load();
      for (std::uint64_t key = gone - std::min<std::uint64_t>(gone, 8); key < gone; ++key) {
        wrong += table.contains(hashes[key]) ? 1 : 0;
      }
      const std::uint64_t first = random() % kExceptionKeys / 64 * 64;
      const auto batch =
          std::span(hashes).subspan(first, std::min<std::uint64_t>(64, kExceptionKeys - first));
      std::vector<std::uint64_t> answers = {~std::uint64_t{0}};
      const std::uint64_t gone_before = withdrawn.load();
      table.clear_excepted(batch, answers);
      const std::uint64_t begun_after = begun.load();
      for (std::uint64_t i = 0; i < batch.size(); ++i) {
        const bool matches = ((answers[0] >> i) & 1) != 0;
        wrong += first + i < gone_before && !matches ? 1 : 0;
        wrong += first + i >= begun_after && matches ? 1 : 0;
      }
    }
  });
  EXPECT_EQ(wrong.load(), 0u) << "seed " << kSeed;
  EXPECT_TRUE(table.empty());
}

// Hashes (i, i), four of them, are withdrawn from long runs; those that a torn entry would show, (i, j), are
// never met: they may be members. Seen to fail, in most runs, without the version: threads are more than
// processors, so that now and then the writer rests between the two words of an entry.
TEST(ExceptionTableConcurrent, NoHashIsMetThatNoOnePutThere) {
  constexpr std::uint64_t kValues = 4;
  std::vector<std::uint64_t> words(2 * kValues * (kExceptionKeys + kExceptionKeys / 2));
  std::atomic<std::uint64_t> met{0};
  for (std::uint64_t round = 0; round < kExceptionRounds; ++round) {
    for (std::uint64_t i = 0; i < words.size(); ++i) {
      words[i] = i * kValues / words.size();
    }
    ExceptionTable table = ExceptionTable::over(std::as_writable_bytes(std::span(words)), kValues);
    in_parallel([&](std::uint64_t thread) {
      if (thread == 0) {
        for (const std::uint64_t i : {2u, 0u, 3u, 1u}) {
          table.withdraw({(i + round) % kValues, (i + round) % kValues});
        }
        return;
      }
      while (!table.empty()) {
        for (std::uint64_t pair = 0; pair < kValues * kValues; ++pair) {
          const Hash128 torn = {pair / kValues, pair % kValues};
          met += torn.low != torn.high && table.contains(torn) ? 1 : 0;
        }
      }
    });
  }
  EXPECT_EQ(met.load(), 0u);
}

}  // namespace
}  // namespace bloomery
