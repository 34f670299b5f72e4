// The choice of files for a compaction.
#include "store/compaction_policy.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery::store {
namespace {

FileRange chosen(const std::vector<std::uint64_t>& sizes, StoreOptions options = {.flush_bytes = 10}) {
  options.compaction_excess = 0;
  return choose_minor_compaction(sizes, options);
}

TEST(CompactionPolicy, TakesTheRunThatRemovesMostFiles) {
  EXPECT_EQ(chosen({100, 100, 100, 100}), (FileRange{0, 4}));
  EXPECT_EQ(chosen({100, 100}), FileRange{});
  EXPECT_EQ(chosen({}), FileRange{});
  EXPECT_EQ(chosen({1000, 20, 20, 20}), (FileRange{1, 4}));
  // 100 is not above 1.2 times the rest, and 121 is.
  EXPECT_EQ(chosen({120, 50, 50}), (FileRange{0, 3}));
  EXPECT_EQ(chosen({121, 50, 50}), FileRange{});
}

TEST(CompactionPolicy, OfRunsWithAsManyFilesTakesTheOneWithFewestBytes) {
  EXPECT_EQ(chosen({100, 100, 100, 5000, 40, 40, 40}), (FileRange{4, 7}));
}

TEST(CompactionPolicy, TakesNoMoreFilesThanAllowed) {
  EXPECT_EQ(chosen(std::vector<std::uint64_t>(12, 100)), (FileRange{0, 10}));
  const StoreOptions few{.flush_bytes = 10, .compaction_least_files = 2, .compaction_most_files = 2};
  EXPECT_EQ(chosen({100, 100, 50, 50}, few), (FileRange{2, 4}));
}

TEST(CompactionPolicy, JoinsWhatTogetherIsSmallerThanAFlush) {
  EXPECT_EQ(chosen({7, 1, 1}), (FileRange{0, 3}));
  EXPECT_EQ(chosen({8, 1, 1}), FileRange{});
}

// Each file is more than the later ones together, so that no run is balanced.
TEST(CompactionPolicy, TakesAnyRunWhileWritersWait) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 1 << 30; size >= 1 << 6; size /= 4) {
    sizes.push_back(size);
  }
  EXPECT_EQ(chosen(sizes), FileRange{});
  const StoreOptions crowded{.flush_bytes = 10, .most_files = 10};
  EXPECT_EQ(chosen(sizes, crowded), (FileRange{sizes.size() - 3, sizes.size()}));
}

TEST(CompactionPolicy, WhileWritersWaitTakesTheRunThatRemovesMostFilesForItsBytes) {
  const StoreOptions crowded{.flush_bytes = 10, .most_files = 4};
  EXPECT_EQ(chosen({1000, 1000, 1000, 20, 20, 20}, crowded), (FileRange{3, 6}));
}

TEST(CompactionPolicy, TakesAllFilesOnceTheNewerOnesAreHalfOfTheOldest) {
  const StoreOptions options{.flush_bytes = 10};
  EXPECT_EQ(choose_minor_compaction(std::vector<std::uint64_t>{1000, 400, 99}, options), FileRange{});
  EXPECT_EQ(choose_minor_compaction(std::vector<std::uint64_t>{1000, 400, 100}, options), (FileRange{0, 3}));
  EXPECT_EQ(choose_minor_compaction(std::vector<std::uint64_t>{1000, 500}, options), FileRange{});  // too few
  const std::vector<std::uint64_t> many(20, 100);  // also more than compaction_most_files
  EXPECT_EQ(choose_minor_compaction(many, options), (FileRange{0, 20}));
}

constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kMade = 1'700'000'000'000;  // when the oldest file was made

std::optional<std::int64_t> due(const std::vector<FileAge>& files,
                                std::optional<std::int64_t> time_to_live_ms = {},
                                std::uint64_t period_ms = 7 * kDay, double jitter = 0) {
  return next_major_compaction(files, time_to_live_ms, period_ms, {.major_compaction_jitter = jitter});
}

TEST(MajorCompaction, IsDueAPeriodAfterTheOldestFileWasMade) {
  const FileAge oldest{.name = "a", .created_ms = kMade};
  const FileAge newer{.name = "b", .created_ms = kMade + kDay};
  EXPECT_EQ(due({oldest, newer}), kMade + 7 * kDay);
  EXPECT_EQ(due({newer, oldest}), kMade + 7 * kDay);
  EXPECT_EQ(due({oldest, newer}, {}, 0), std::nullopt);
  EXPECT_EQ(due({}), std::nullopt);
  EXPECT_EQ(due({{.name = "a"}, newer}), std::nullopt);  // nobody knows when it was made
  EXPECT_EQ(due({oldest, newer}, {}, std::numeric_limits<std::int64_t>::max()), std::nullopt);
}

TEST(MajorCompaction, LeavesMoreFilesThanAMinorOneMayHaveToThat) {
  EXPECT_TRUE(due(std::vector<FileAge>(9, {.name = "a", .created_ms = kMade})));
  EXPECT_FALSE(due(std::vector<FileAge>(10, {.name = "a", .created_ms = kMade})));
}

TEST(MajorCompaction, OfOneFileIsDueOnlyIfCellsHaveExpired) {
  const FileAge file{.name = "a", .created_ms = kMade, .oldest_ms = kMade - kDay};
  EXPECT_EQ(due({file}), std::nullopt);
  EXPECT_EQ(due({file}, 30 * kDay), kMade + 29 * kDay);
  EXPECT_EQ(due({file}, 2 * kDay), kMade + 7 * kDay);
  EXPECT_EQ(due({file}, std::numeric_limits<std::int64_t>::max()), std::nullopt);
  EXPECT_EQ(due({{.name = "a", .created_ms = kMade}}, 2 * kDay), std::nullopt);  // no cells
}

// The moments are spread over the range, and the same for the same file.
TEST(MajorCompaction, VariesByTheNameOfTheOldestFile) {
  std::vector<std::int64_t> days(7);
  for (int i = 0; i < 700; ++i) {
    const std::string name = std::to_string(i);
    const std::vector<FileAge> files(2, {.name = name, .created_ms = kMade});
    const auto at = due(files, {}, 7 * kDay, 0.5);
    ASSERT_TRUE(at);
    EXPECT_EQ(at, due(files, {}, 7 * kDay, 0.5));
    const std::int64_t after = *at - kMade - 7 * kDay / 2;
    ASSERT_TRUE(after >= 0 && after <= 7 * kDay) << after;
    ++days[static_cast<std::size_t>(std::min(after / kDay, std::int64_t{6}))];
  }
  for (const std::int64_t count : days) {
    EXPECT_GT(count, 50);
  }
}

}  // namespace
}  // namespace bloomery::store
