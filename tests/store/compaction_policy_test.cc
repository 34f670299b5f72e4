// The choice of files for a compaction.
#include "store/compaction_policy.h"

#include <cstdint>
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

}  // namespace
}  // namespace bloomery::store
