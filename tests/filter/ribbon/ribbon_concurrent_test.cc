// What the ribbon filter promises to threads: everything const at once. Runs under the thread sanitizer too,
// with fewer keys.
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/ribbon_builder.h"
#include "bloomery/filter/ribbon_filter.h"
#include "tests/base/sanitized.h"
#include "tests/base/test_folder.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kKeys = kThreadSanitized ? 140'000 : 500'000;
constexpr int kRounds = kThreadSanitized ? 2 : 4;
constexpr std::uint64_t kThreads = 4;

// Runs work(thread) in every thread, all starting together.
template <typename Work>
void in_parallel(Work work) {
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      work(thread);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// All threads touch all shards of a freshly mapped filter first, in batches, one by one, and by verifying.
TEST(RibbonConcurrent, AFreshlyOpenedFilterAnswersEveryThreadRightly) {
  const TestFolder folder;
  const std::string path = folder.path("shared.ribbon");
  const RibbonFilter built = *RibbonFilter::build_from_hashes(numbered_hashes(0, kKeys), 0.01);
  ASSERT_TRUE(built.save(path));
  const std::uint64_t false_positives = count_maybes(built, kAbsentKeys, kKeys / 4);
  for (int round = 0; round < kRounds; ++round) {
    const Result<RibbonFilter> opened = RibbonFilter::open(path);
    ASSERT_TRUE(opened) << opened.error().to_string();
    std::atomic<std::uint64_t> wrong{0};
    in_parallel([&](std::uint64_t thread) {
      if (thread == 3) {
        wrong += opened->verify() ? 0 : 1;
      }
      if (thread == 2) {
        for (std::uint64_t key = 0; key < kKeys / 4; ++key) {
          wrong += opened->may_contain(key) ? 0 : 1;
        }
      }
      wrong += kKeys - count_maybes(*opened, 0, kKeys);
      wrong += count_maybes(*opened, kAbsentKeys, kKeys / 4) == false_positives ? 0 : 1;
      wrong += opened->status() ? 0 : 1;
    });
    EXPECT_EQ(wrong.load(), 0u);
  }
}

// A damaged shard found by several threads at once: every one of them hears maybe, and then of the damage.
TEST(RibbonConcurrent, DamageIsSeenByEveryThread) {
  const TestFolder folder;
  const std::string path = folder.path("damaged.ribbon");
  ASSERT_TRUE(RibbonFilter::build_from_hashes(numbered_hashes(0, kKeys), 0.01)->save(path));
  std::string bytes = folder.read("damaged.ribbon");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // of the last shard
  folder.write("damaged.ribbon", bytes);
  for (int round = 0; round < kRounds; ++round) {
    const Result<RibbonFilter> opened = RibbonFilter::open(path);
    ASSERT_TRUE(opened) << opened.error().to_string();
    std::atomic<std::uint64_t> lost{0};
    in_parallel([&](std::uint64_t) { lost += kKeys - count_maybes(*opened, 0, kKeys); });
    EXPECT_EQ(lost.load(), 0u);
    ASSERT_FALSE(opened->status());
    EXPECT_EQ(opened->status().error().code(), ErrorCode::kCorruption);
  }
}

// A build on several threads gives what one thread gives.
TEST(RibbonConcurrent, ABuildOnSeveralThreadsIsABuildOnOne) {
  const std::vector<Hash128> hashes = numbered_hashes(0, kKeys);
  std::string alone;
  RibbonFilter::build_from_hashes(hashes, 0.01, {.threads = 1})->serialize(alone);
  for (const unsigned threads : {2u, 3u, 8u}) {
    std::string together;
    RibbonFilter::build_from_hashes(hashes, 0.01, {.threads = threads})->serialize(together);
    EXPECT_EQ(together, alone) << threads << " threads";
  }
}

}  // namespace
}  // namespace bloomery
