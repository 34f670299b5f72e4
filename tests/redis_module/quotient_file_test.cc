// Quotient files in keys take and lose items as the library's filter does: the same outcomes, counts, splits and bytes, in
// all copies of a key.
#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "bloomery/filter/any_filter.h"
#include "filter/quotient/quotient_kernel.h"
#include "filter/quotient/quotient_table.h"
#include "filter/quotient/segments_load.h"
#include "tests/redis_module/file_values.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

std::string library_file(const AnyFilter& filter) {
  std::string bytes;
  filter.serialize(bytes);
  return bytes;
}

std::string key_file(const FileValue& value) {
  return text_of(value.read(0, value.size()));
}

// A key, and the library's filter that has received the same items.
struct KeyAndLibrary {
  std::unique_ptr<FileValue> value;
  AnyFilter filter;

  static KeyAndLibrary of(const std::string& file) {
    auto value = loaded_value(file, 10'007);
    EXPECT_TRUE(value) << value.error().to_string();
    return {std::move(*value), *AnyFilter::view(bytes_of(file), {.access = Access::kCopy})};
  }
  KeyAndLibrary copy() const {
    const std::string now = library_file(filter);
    return {value->copy(), *AnyFilter::view(bytes_of(now), {.access = Access::kCopy})};
  }
  void insert(const Hash128& hash) {
    Added outcome{};
    ASSERT_EQ(value->taking_items()->insert({&hash, 1}, kAnySize, {&outcome, 1}), 1U);
    const TestedInsert expected = filter.test_and_insert(hash);
    ASSERT_FALSE(expected.refused);
    ASSERT_EQ(outcome, expected.is_new ? Added::kNew : Added::kKnown);
  }
  void remove(const Hash128& hash) {
    ASSERT_EQ(value->taking_items()->remove(hash), filter.remove(hash) ? Removed::kYes : Removed::kAbsent);
  }
  void expect_equal() const {
    const std::string expected = library_file(filter);
    ASSERT_TRUE(key_file(*value) == expected);
    ASSERT_EQ(value->file_crc(), crc32c(bytes_of(expected)));
    ASSERT_EQ(value->header().inserted, filter.inserted());
  }
};

struct ShapeCase {
  QuotientShape shape;
  std::size_t steps;
};

class QuotientFiles : public ::testing::TestWithParam<ShapeCase> {
 protected:
  // One of few hashes, which then has a count, or a new one.
  Hash128 next_hash() {
    if (random_() % 3 == 0 && !given_.empty()) {
      return given_[random_() % std::min<std::size_t>(given_.size(), 50)];
    }
    given_.push_back({.low = random_(), .high = random_()});
    return given_.back();
  }

  const std::uint64_t seed_ = kModuleSeed + GetParam().steps + GetParam().shape.remainder_bits;
  std::mt19937_64 random_{seed_};
  std::vector<Hash128> given_;
};

TEST_P(QuotientFiles, HaveTheOutcomesCountsAndBytesOfTheLibraryInAllCopies) {
  SCOPED_TRACE(testing::Message() << "seed " << seed_);
  use_rdb_in_memory();
  AnyFilter filter(*QuotientFilter::for_shape(GetParam().shape, 1000, 0.01));
  std::vector<KeyAndLibrary> pairs;
  pairs.push_back(KeyAndLibrary::of(library_file(filter)));
  for (std::size_t step = 0; step < GetParam().steps; ++step) {
    KeyAndLibrary& pair = pairs[random_() % pairs.size()];
    if (const std::uint64_t kind = random_() % 1000; kind < 5 && pairs.size() < 4) {
      pairs.push_back(pair.copy());
    } else if (kind < 250 && !given_.empty()) {
      ASSERT_NO_FATAL_FAILURE(
          pair.remove(random_() % 8 == 0 ? next_hash() : given_[random_() % given_.size()]));
    } else {
      ASSERT_NO_FATAL_FAILURE(pair.insert(next_hash()));
    }
    if (random_() % (GetParam().steps / 64) == 0) {
      ASSERT_NO_FATAL_FAILURE(pair.expect_equal()) << "step " << step;
    }
  }
  for (const KeyAndLibrary& pair : pairs) {
    ASSERT_NO_FATAL_FAILURE(pair.expect_equal());
    for (const Hash128& hash : given_) {
      ASSERT_EQ(pair.value->pieced()->count_at_most(hash), pair.filter.count_at_most(hash));
    }
    const auto again = from_rdb(to_rdb(*pair.value));
    ASSERT_NE(again, nullptr);
    ASSERT_TRUE(key_file(*again) == key_file(*pair.value));
  }
  EXPECT_GT(pairs.front().value->size(), library_file(filter).size()) << "segments have split";
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, QuotientFiles,
    ::testing::Values(ShapeCase{{.quotients = 64, .depth = 0, .remainder_bits = 12}, 6000},
                      ShapeCase{{.quotients = 128, .depth = 3, .remainder_bits = 4}, 12'000},
                      ShapeCase{{.quotients = 512, .depth = 1, .remainder_bits = 20, .growth_doublings = 3},
                                20'000},
                      ShapeCase{{.quotients = 512, .depth = 0, .remainder_bits = 48}, 12'000}));

TEST(QuotientFile, AKeyThatWouldExceedALimitIsRefusedAndLeavesNoTrace) {
  const QuotientShape shape{.quotients = 64, .depth = 0, .remainder_bits = 10};
  KeyAndLibrary pair =
      KeyAndLibrary::of(library_file(AnyFilter(*QuotientFilter::for_shape(shape, 10, 0.01))));
  std::mt19937_64 random(kModuleSeed);
  const std::uint64_t limit = 5 * pair.value->size();
  std::size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const Hash128 hash{.low = random(), .high = random()};
    Added outcome{};
    ASSERT_EQ(pair.value->taking_items()->insert({&hash, 1}, limit, {&outcome, 1}), 1U);
    if (outcome == Added::kOverLimit) {
      ++refused;
    } else {
      ASSERT_TRUE(pair.filter.insert(hash));
    }
    ASSERT_NO_FATAL_FAILURE(pair.expect_equal()) << i << ", seed " << kModuleSeed;
  }
  EXPECT_LE(pair.value->size(), limit);
  EXPECT_GT(refused, 1000U);
}

TEST(QuotientFile, ATableThatCannotSplitTakesItemsUntilItIsFull) {
  const QuotientShape shape{.quotients = 64, .depth = 0, .remainder_bits = 1};
  KeyAndLibrary pair = KeyAndLibrary::of(library_file(AnyFilter(*QuotientFilter::for_shape(shape, 10, 0.5))));
  const std::uint64_t empty = pair.value->size();
  std::mt19937_64 random(kModuleSeed);
  for (int i = 0; i < 3000; ++i) {
    const Hash128 hash{.low = random(), .high = random()};
    Added outcome{};
    ASSERT_EQ(pair.value->taking_items()->insert({&hash, 1}, kAnySize, {&outcome, 1}), 1U);
    const TestedInsert expected = pair.filter.test_and_insert(hash);
    ASSERT_EQ(outcome == Added::kFull, expected.refused) << i << ", seed " << kModuleSeed;
    ASSERT_NO_FATAL_FAILURE(pair.expect_equal()) << i << ", seed " << kModuleSeed;
  }
  EXPECT_EQ(pair.value->size(), empty);
}

// Builds a payload of so many empty segments.
std::string file_of_segments(std::uint32_t depth, std::uint64_t quotients) {
  const QuotientShape shape{.quotients = quotients, .depth = depth, .remainder_bits = 3};
  return library_file(AnyFilter(*QuotientFilter::for_shape(shape, 10, 0.5)));
}

TEST(QuotientFile, MoreSegmentsOrQuotientsThanAKeyMayHaveAreRefused) {
  const auto error_of = [](const std::string& file) {
    const NativeHeader header = header_of(file);
    SegmentsLoad load(header);
    const Status appended =
        load.append(bytes_of(file).subspan(header.payload_offset(), header.payload_bytes));
    return appended ? std::nullopt : std::optional(appended.error().code());
  };
  EXPECT_EQ(error_of(file_of_segments(14, 64)), std::nullopt);
  EXPECT_EQ(error_of(file_of_segments(15, 64)), ErrorCode::kUnsupported);
  EXPECT_EQ(error_of(file_of_segments(0, kMostFileQuotients)), std::nullopt);
  EXPECT_EQ(error_of(file_of_segments(0, kMostFileQuotients + 64)), ErrorCode::kUnsupported);
}

TEST(QuotientKernels, FindTheFirstFreeSlot) {
  std::mt19937_64 random(kModuleSeed);
  auto table = *QuotientTable::create({.quotients = 1000, .remainder_bits = 5});
  for (int i = 0; i < 950; ++i) {
    ASSERT_TRUE(table.insert(random() % 5 == 0 ? random() >> 3 : random()));
    // A slot is free if its remainder and those after it are no part of a run: walk the runs.
    if (i % 50 != 0) {
      continue;
    }
    const QuotientPlan plan = table.plan();
    std::vector<std::uint64_t> words(table.words().begin(), table.words().end());
    const QuotientSlots slots(plan, words.data());
    std::vector<bool> is_taken(slots.slots());
    std::uint64_t free = 0;
    for (std::uint64_t quotient = 0; quotient < plan.quotients; ++quotient) {
      if (slots.is_occupied(quotient)) {
        free = std::max(free, quotient);
        do {
          is_taken[free] = true;
        } while (!slots.is_runend(free++));
      }
    }
    for (const QuotientKernel& kernel : quotient_kernels()) {
      for (std::uint64_t slot = slots.slots(), next = slot; kernel.available() && slot-- > 0;) {
        next = is_taken[slot] ? next : slot;
        ASSERT_EQ(kernel.first_free(slots, slot), next) << kernel.name << ", seed " << kModuleSeed;
      }
    }
  }
}

}  // namespace
}  // namespace bloomery::redis_module
