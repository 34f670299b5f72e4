// Ribbons that deny a known set: not one positive on it, no member lost, and others as rarely as was asked.
#include "bloomery/filter/ribbon_exceptions.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kRejectedSeed = 20261207;

RibbonFilter denying(const Hashes& members, const Hashes& white, double fpp,
                     const FilterOptions& options = {}) {
  Result<RibbonFilter> filter = build_from_hashes_with_exceptions(members, white, fpp, options);
  EXPECT_TRUE(filter) << filter.error().to_string();
  return std::move(*filter);
}

// Asks one by one.
std::uint64_t single_maybes(const RibbonFilter& filter, const Hashes& hashes) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(hashes, [&](const Hash128& hash) { return filter.may_contain(hash); }));
}

// At most the fpp, and hardly less where keys are enough for the widths to be mixed as finely as that.
void expect_rate_with_exceptions(const RibbonFilter& filter, double fpp, std::size_t keys) {
  constexpr std::uint64_t kAbsent = 200'000;
  const double expected = fpp * kAbsent;
  const double slack = 5 * std::sqrt(expected);
  const auto found = static_cast<double>(count_maybes(filter, kAbsentKeys, kAbsent));
  EXPECT_LE(found, expected + slack) << keys << " keys, fpp " << fpp;
  if (keys >= 5000) {
    EXPECT_GE(found, expected - slack) << keys << " keys, fpp " << fpp;
  }
}

void expect_exact(std::size_t size, std::size_t white_size, double fpp) {
  const Hashes members = numbered_hashes(0, size);
  const Hashes white = numbered_hashes(kWhiteKeys, white_size);
  const RibbonFilter filter = denying(members, white, fpp);
  ASSERT_EQ(maybes(filter, members), size) << white_size << " denied, fpp " << fpp;
  ASSERT_EQ(maybes(filter, white), 0u) << size << " members, fpp " << fpp;
  if (size <= 5000) {
    ASSERT_EQ(single_maybes(filter, members), size);
    ASSERT_EQ(single_maybes(filter, white), 0u);
  }
  EXPECT_EQ(filter.inserted(), size);
  EXPECT_EQ(filter.target_fpp(), fpp);
  EXPECT_EQ(filter.exception_count(), 0u);  // the column rejects them all
  EXPECT_LE(filter.rejected_keys(), white_size);
  expect_rate_with_exceptions(filter, fpp, size);
}

TEST(RibbonExceptions, DenyEveryKeyOfTheSetLoseNoMemberAndKeepTheFpp) {
  for (const double fpp : {0.4, 0.1, 0.01, 1e-3}) {
    for (const std::size_t size : {0u, 1u, 5u, 200u, 5000u}) {
      for (const std::size_t white : {std::size_t{0}, std::size_t{1}, std::size_t{100}, 10 * size}) {
        expect_exact(size, white, fpp);
      }
    }
  }
}

TEST(RibbonExceptions, DenyTenTimesTheMembersOfSeveralShards) {
  for (const double fpp : {0.4, 0.1, 0.01, 1e-3}) {
    expect_exact(200'000, 2'000'000, fpp);
  }
}

// Those of the set that a ribbon of twice the fpp matches, and nobody else, are in the column.
TEST(RibbonExceptions, OnlyWhatTheRibbonMatchesIsRejected) {
  const Hashes members = numbered_hashes(0, 20'000);
  const Hashes white = numbered_hashes(kWhiteKeys, 100'000);
  const RibbonFilter wide = *RibbonFilter::build_from_hashes(members, 2 * 0.01);
  const RibbonFilter filter = denying(members, white, 0.01);
  EXPECT_EQ(filter.rejected_keys(), maybes(wide, white));
  EXPECT_GT(filter.rejected_keys(), 1500u);  // 2,000 expected
  EXPECT_EQ(FileParts::of(serialized(filter)).payload, FileParts::of(serialized(wide)).payload);
}

// Two fpp bits for each key that is denied, beside what the members take.
TEST(RibbonExceptions, CostWhatTheHeaderSays) {
  const Hashes members = numbered_hashes(0, 100'000);
  const Hashes white = numbered_hashes(kWhiteKeys, 500'000);
  const double fpp = 0.01;
  const auto plain = static_cast<double>(RibbonFilter::build_from_hashes(members, fpp)->file_bytes());
  const auto denied = static_cast<double>(denying(members, white, fpp).file_bytes());
  EXPECT_LT((denied - plain) * 8, 2 * fpp * 500'000 * 1.1 + 0.05 * 100'000);
}

TEST(RibbonExceptions, KeysOfAnyTypeAreHashedForBothSets) {
  const std::vector<std::string> black = {"a", "b", "c"};
  std::vector<std::string> white;
  for (int i = 0; i < 1000; ++i) {
    white.push_back("white " + std::to_string(i));
  }
  const HashSecret secret = {.bytes = {7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0}};
  for (const HashSpec& hash : {HashSpec{}, keyed_hash(secret)}) {
    const auto filter = build_with_exceptions(black, white, 0.2, {.hash = hash, .keys = {}});
    ASSERT_TRUE(filter) << filter.error().to_string();
    const auto is_in = [&filter](const std::string& key) { return filter->may_contain(key); };
    EXPECT_TRUE(std::ranges::all_of(black, is_in));
    EXPECT_TRUE(std::ranges::none_of(white, is_in));
    EXPECT_GT(filter->rejected_keys(), 0u);
  }
}

TEST(RibbonExceptions, OfAKeyedRibbonAreThereWithItsSecretAlone) {
  const HashSecret secret = {.bytes = {7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0}};
  const FilterOptions options{.hash = keyed_hash(secret), .keys = {}};
  const Hashes members = numbered_hashes(0, 1000);
  const Hashes white = numbered_hashes(kWhiteKeys, 10'000);
  const FileBytes bytes(serialized(denying(members, white, 0.1, options)));
  EXPECT_FALSE(RibbonFilter::view(bytes.span()));
  const Result<RibbonFilter> opened = RibbonFilter::view(bytes.span(), {.secret = &secret});
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(maybes(*opened, white), 0u);
  EXPECT_EQ(maybes(*opened, members), members.size());
}

TEST(RibbonExceptions, AMemberAmongThemIsRefused) {
  const Hashes members = numbered_hashes(0, 1000);
  Hashes white = numbered_hashes(kWhiteKeys, 1000);
  white.insert(white.end(), {members[3], members[500], members[3]});
  const auto filter = build_from_hashes_with_exceptions(members, white, 0.01);
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(filter.error().detail().find("found 2 that are in both"), std::string::npos)
      << filter.error().to_string();
}

TEST(RibbonExceptions, AnFppOfAHalfOrMoreIsRefused) {
  const Hashes members = numbered_hashes(0, 100);
  for (const double fpp : {0.5, 0.6, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(exception_ribbon_fpp(fpp).error().code(), ErrorCode::kInvalidArgument) << fpp;
    const auto filter = build_from_hashes_with_exceptions(members, {}, fpp);
    ASSERT_FALSE(filter) << fpp;
    EXPECT_NE(filter.error().detail().find("less than 0.5"), std::string::npos);
  }
  for (const double fpp : {0.0, -0.1}) {
    EXPECT_FALSE(build_from_hashes_with_exceptions(members, {}, fpp)) << fpp;
  }
  EXPECT_TRUE(build_from_hashes_with_exceptions(members, {}, 0.49999));
}

TEST(RibbonExceptions, OfReadyDigestsAreRefused) {
  const FilterOptions options{.hash = {.id = HashId::kReadyDigest}, .keys = {}};
  const auto filter =
      build_from_hashes_with_exceptions(numbered_hashes(0, 10), numbered_hashes(20, 10), 0.01, options);
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(filter.error().detail().find("ready digests"), std::string::npos) << filter.error().to_string();
}

TEST(RibbonExceptions, OnlyTheSetsShowInTheBytes) {
  std::mt19937_64 random(kRejectedSeed);
  for (const std::size_t size : {100u, 4000u, 150'000u}) {
    Hashes members = numbered_hashes(0, size);
    Hashes white = numbered_hashes(kWhiteKeys, 2 * size);
    const std::string once = serialized(denying(members, white, 0.05, {.threads = 1}));
    members.insert(members.end(), members.begin(), members.begin() + static_cast<std::ptrdiff_t>(size / 3));
    white.insert(white.end(), white.begin(), white.begin() + static_cast<std::ptrdiff_t>(size / 2));
    std::ranges::shuffle(members, random);
    std::ranges::shuffle(white, random);
    const RibbonFilter again = denying(members, white, 0.05, {.threads = 3});
    EXPECT_TRUE(serialized(again) == once) << size << " members, seed " << kRejectedSeed;
  }
}

// The column knows 63 bits of a key. A stranger that shares them with a member, and is matched, is told from
// it by the table.
TEST(RibbonExceptions, AStrangerThatSharesAMembersBitsInTheColumnIsDeniedByTheTable) {
  for (const std::size_t size : {1u, 200u, 5000u}) {
    const Hashes members = numbered_hashes(0, size);
    Hashes white = numbered_hashes(kWhiteKeys, 1000);
    const std::size_t twins = std::min<std::size_t>(size, 20);
    for (std::size_t i = 0; i < twins; ++i) {
      white.push_back({.low = members[i].low, .high = members[i].high ^ 1});
    }
    const RibbonFilter filter = denying(members, white, 0.01);
    EXPECT_EQ(filter.exception_count(), twins);
    EXPECT_EQ(maybes(filter, members), size);
    EXPECT_EQ(single_maybes(filter, members), size);
    EXPECT_EQ(maybes(filter, white), 0u);
    EXPECT_EQ(single_maybes(filter, white), 0u);
    const FileBytes bytes(serialized(filter));
    const RibbonFilter viewed = *RibbonFilter::view(bytes.span());
    EXPECT_EQ(maybes(viewed, members), size);
    EXPECT_EQ(maybes(viewed, white), 0u);
  }
}

// Strangers that share a member's low word are in the ribbon for ever; the column alone tells them apart.
TEST(RibbonExceptions, StrangersThatShareAMembersLowWordAreRejected) {
  const Hashes members = numbered_hashes(0, 1000);
  Hashes white;
  for (const Hash128& member : members) {
    white.push_back({.low = member.low, .high = ~member.high});
  }
  const RibbonFilter filter = denying(members, white, 0.01);
  EXPECT_EQ(filter.rejected_keys(), 1000u);
  EXPECT_EQ(maybes(filter, members), 1000u);
  EXPECT_EQ(maybes(filter, white), 0u);
}

TEST(RibbonExceptions, MoreAreAddedOnTopOfAColumn) {
  const Hashes members = numbered_hashes(0, 5000);
  const Hashes white = numbered_hashes(kWhiteKeys, 5000);
  const Hashes late = numbered_hashes(kWhiteKeys + 5000, 5000);
  RibbonFilter filter = denying(members, white, 0.05);
  const std::uint64_t rejected = filter.rejected_keys();
  const std::uint64_t matching = maybes(filter, late);
  EXPECT_GT(matching, 100u);
  EXPECT_EQ(*add_exceptions(filter, late), matching);
  EXPECT_EQ(*add_exceptions(filter, white), 0u);
  EXPECT_EQ(filter.exception_count(), matching);
  EXPECT_EQ(filter.rejected_keys(), rejected);
  const FileBytes bytes(serialized(filter));
  EXPECT_EQ(bytes.span().size(), filter.file_bytes());
  const RibbonFilter viewed = *RibbonFilter::view(bytes.span());
  for (const RibbonFilter* const asked : {&std::as_const(filter), &viewed}) {
    EXPECT_EQ(maybes(*asked, members), members.size());
    EXPECT_EQ(maybes(*asked, white), 0u);
    EXPECT_EQ(maybes(*asked, late), 0u);
  }
}

TEST(RibbonExceptions, AFileAnswersAlikeHoweverItIsOpened) {
  const TestFolder folder;
  const Hashes members = numbered_hashes(0, 5000);
  const Hashes white = numbered_hashes(kWhiteKeys, 20'000);
  RibbonFilter filter = denying(members, white, 0.05);
  ASSERT_TRUE(filter.set_metadata("behind the column"));
  const std::string bytes = serialized(filter);
  ASSERT_TRUE(filter.save(folder.path("r")));
  EXPECT_TRUE(folder.read("r") == bytes);
  for (const Access access : {Access::kMap, Access::kCopy, Access::kMapLocked}) {
    for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
      const auto opened = RibbonFilter::open(folder.path("r"), {.access = access, .verify = verify});
      ASSERT_TRUE(opened) << opened.error().to_string();
      EXPECT_EQ(maybes(*opened, members), members.size());
      EXPECT_EQ(maybes(*opened, white), 0u);
      EXPECT_EQ(opened->rejected_keys(), filter.rejected_keys());
      EXPECT_EQ(opened->metadata(), "behind the column");
      EXPECT_TRUE(opened->verify());
      EXPECT_TRUE(serialized(*opened) == bytes);
    }
  }
  EXPECT_FALSE(RibbonFilter::open(folder.path("r"), {.access = Access::kUpdateInPlace}));
}

// One of the two parts of a set.
RibbonFilter part_of(const Hashes& members, std::uint32_t part) {
  RibbonBuilder builder =
      *RibbonBuilder::create(0.01, {.capacity = members.size(), .part = part, .parts = 2});
  EXPECT_TRUE(builder.add(members));
  return *builder.finish();
}

RibbonExceptionBuilder column_of(const Hashes& members) {
  RibbonExceptionBuilder column = *RibbonExceptionBuilder::create(members.size(), 100, {});
  EXPECT_TRUE(column.add(members));
  return column;
}

TEST(RibbonExceptions, PartsWithExceptionsAreNotConcatenated) {
  const TestFolder folder;
  const Hashes members = numbered_hashes(0, 150'000);
  const RibbonFilter first = part_of(members, 1);
  RibbonFilter second = part_of(members, 2);
  const RibbonFilter* const parts[] = {&first, &second};
  ASSERT_TRUE(RibbonFilter::concatenate(parts));
  ASSERT_TRUE(second.add_as_exceptions(numbered_hashes(kWhiteKeys, 1)));
  EXPECT_EQ(RibbonFilter::concatenate(parts).error().code(), ErrorCode::kInvalidArgument);
  const Status written = RibbonFilter::concatenate(parts, folder.path("whole"));
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().detail().find("without exceptions"), std::string::npos);
  EXPECT_TRUE(folder.names().empty());
  const RibbonFilter whole = denying(numbered_hashes(0, 10), numbered_hashes(20, 10), 0.4);
  const RibbonFilter* const alone[] = {&whole};
  EXPECT_FALSE(RibbonFilter::concatenate(alone));
}

TEST(RibbonExceptions, APartGetsNoColumnAndNoRibbonGetsTwo) {
  const Hashes members = numbered_hashes(0, 150'000);
  RibbonFilter part = part_of(members, 1);
  const Status refused = column_of(members).finish(part, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  const Hashes few = numbered_hashes(0, 100);
  const Hashes white = numbered_hashes(kWhiteKeys, 1000);
  RibbonFilter filter = denying(few, white, 0.1);
  const std::string before = serialized(filter);
  const Status twice = column_of(few).finish(filter, {});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(serialized(filter) == before);
}

// A stop gives no column; the ribbon is as it was.
TEST(RibbonExceptions, ACancelledColumnLeavesTheRibbonAlone) {
  const Hashes members = numbered_hashes(0, 1000);
  RibbonFilter filter = *RibbonFilter::build_from_hashes(members, 0.02);
  const std::string before = serialized(filter);
  const std::atomic<bool> cancelled{true};
  const Status stopped = column_of(members).finish(filter, {}, {}, &cancelled);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().errno_value(), EINTR) << stopped.error().to_string();
  EXPECT_TRUE(serialized(filter) == before);
}

// The column is a ribbon of its own, made for the members and for those that it rejects.
TEST(RibbonExceptions, TheColumnRecordsForHowManyKeysItWasMade) {
  const RibbonFilter filter = denying(numbered_hashes(0, 2000), numbered_hashes(kWhiteKeys, 5000), 0.01);
  ASSERT_GT(filter.rejected_keys(), 0u);
  const NativeHeader column = FileParts::of(FileParts::of(serialized(filter)).column).header;
  EXPECT_EQ(column.capacity, 2000 + filter.rejected_keys());
}

}  // namespace
}  // namespace bloomery
