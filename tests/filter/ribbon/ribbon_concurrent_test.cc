// What the ribbon filter promises to threads: everything const at once. Runs under the thread sanitizer too,
// with fewer keys.
#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/ribbon_builder.h"
#include "bloomery/filter/ribbon_filter.h"
#include "tests/base/sanitized.h"
#include "tests/base/test_folder.h"
#include "tests/filter/in_parallel.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kRibbonKeys = kThreadSanitized ? 140'000 : 500'000;
constexpr int kRibbonRounds = kThreadSanitized ? 2 : 4;

// All threads touch all shards of a freshly mapped filter first, in batches, one by one, and by verifying.
TEST(RibbonConcurrent, AFreshlyOpenedFilterAnswersEveryThreadRightly) {
  const TestFolder folder;
  const std::string path = folder.path("shared.ribbon");
  const RibbonFilter built = *RibbonFilter::build_from_hashes(numbered_hashes(0, kRibbonKeys), 0.01);
  ASSERT_TRUE(built.save(path));
  const std::uint64_t false_positives = count_maybes(built, kAbsentKeys, kRibbonKeys / 4);
  for (int round = 0; round < kRibbonRounds; ++round) {
    const Result<RibbonFilter> opened = RibbonFilter::open(path);
    ASSERT_TRUE(opened) << opened.error().to_string();
    std::atomic<std::uint64_t> wrong{0};
    in_parallel([&](std::uint64_t thread) {
      if (thread == 3) {
        wrong += opened->verify() ? 0 : 1;
      }
      if (thread == 2) {
        for (std::uint64_t key = 0; key < kRibbonKeys / 4; ++key) {
          wrong += opened->may_contain(key) ? 0 : 1;
        }
      }
      wrong += kRibbonKeys - count_maybes(*opened, 0, kRibbonKeys);
      wrong += count_maybes(*opened, kAbsentKeys, kRibbonKeys / 4) == false_positives ? 0 : 1;
      wrong += opened->status() ? 0 : 1;
    });
    EXPECT_EQ(wrong.load(), 0u);
  }
}

// A damaged shard found by several threads at once: every one of them hears maybe, and then of the damage.
TEST(RibbonConcurrent, DamageIsSeenByEveryThread) {
  const TestFolder folder;
  const std::string path = folder.path("damaged.ribbon");
  ASSERT_TRUE(RibbonFilter::build_from_hashes(numbered_hashes(0, kRibbonKeys), 0.01)->save(path));
  std::string bytes = folder.read("damaged.ribbon");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // of the last shard
  folder.write("damaged.ribbon", bytes);
  for (int round = 0; round < kRibbonRounds; ++round) {
    const Result<RibbonFilter> opened = RibbonFilter::open(path);
    ASSERT_TRUE(opened) << opened.error().to_string();
    std::atomic<std::uint64_t> lost{0};
    in_parallel([&](std::uint64_t) { lost += kRibbonKeys - count_maybes(*opened, 0, kRibbonKeys); });
    EXPECT_EQ(lost.load(), 0u);
    ASSERT_FALSE(opened->status());
    EXPECT_EQ(opened->status().error().code(), ErrorCode::kCorruption);
  }
}

// A build on several threads gives what one thread gives.
TEST(RibbonConcurrent, ABuildOnSeveralThreadsIsABuildOnOne) {
  const std::vector<Hash128> hashes = numbered_hashes(0, kRibbonKeys);
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
