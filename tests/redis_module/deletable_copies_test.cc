// A deletable filter against tables that are built from a multiset: it has their bytes, answers and counts, whatever copies
// share its segments.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/pages/page_memory.h"
#include "filter/quotient/deletable_filter.h"
#include "filter/quotient/quotient_table.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

using Multiset = std::map<std::uint64_t, std::uint64_t>;  // from hash to count

Added add_number(DeletableFilter& filter, std::uint64_t hash, AddWhen when = AddWhen::kAlways) {
  const Hash128 one = {.low = hash, .high = 0};
  std::vector<Added> outcome(1);
  filter.add({&one, 1}, when, kAnySize, outcome);
  return outcome[0];
}

Removed remove(DeletableFilter& filter, std::uint64_t hash) {
  return filter.remove({.low = hash, .high = 0});
}

std::vector<std::byte> segment_bytes(const DeletableFilter& filter, std::size_t segment) {
  std::vector<std::byte> bytes(filter.bytes_of(segment));
  filter.read(segment, 0, bytes);
  return bytes;
}

// The number of the first segment whose bytes are not those of a table that was built from its items; nothing if all are right.
std::optional<std::size_t> first_wrong(const DeletableFilter& filter, const Multiset& items) {
  auto item = items.begin();
  std::uint64_t begin = 0;  // of the segment's hashes
  for (std::size_t i = 0; i < filter.segment_count(); ++i) {
    const std::uint32_t depth = filter.shape().segments().depth(filter.level_of(i));
    const std::uint64_t last = begin + (~std::uint64_t{0} >> depth);
    auto table = QuotientTable::create(filter.shape().segments().plan(filter.level_of(i)));
    for (; item != items.end() && item->first <= last; ++item) {
      if (item->second > 0 && !table->insert(item->first << depth, item->second)) {
        return i;
      }
    }
    if (!std::ranges::equal(segment_bytes(filter, i), std::as_bytes(table->words()))) {
      return i;
    }
    begin = last + 1;
  }
  return std::nullopt;
}

TEST(DeletableCopies, HaveTheBytesOfTablesOfTheirItems) {
  struct Shape {
    std::uint64_t capacity;
    double fpp;
    std::uint32_t expansion;
  };
  // The second has remainders of 1 or 2 bits, the third of 30.
  for (const Shape& shape : {Shape{1'000'000, 0.01, 1}, Shape{6'000'000, 0.5, 0}, Shape{500'000, 1e-9, 0}}) {
    const std::uint64_t seed = 7 + shape.capacity;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::uint64_t before = all_page_bytes();
    {
      DeletableFilter filter = filter_for(shape.capacity, shape.fpp, shape.expansion);
      ASSERT_GT(filter.size_bytes(), 1U << 20);
      std::vector<DeletableFilter> copies;
      std::vector<Multiset> models;  // of the copies
      std::vector<std::uint64_t> hashes(4000);
      std::ranges::generate(hashes, std::ref(random));
      Multiset items;
      std::uint64_t keys = 0;
      for (std::uint64_t step = 0; step < 30'000; ++step) {
        const std::uint64_t hash = hashes[random() % hashes.size()];
        const bool grows = step / 12'000 % 2 == 0;
        if (random() % 4 < (grows ? 3U : 1U)) {
          const AddWhen when = random() % 4 == 0 ? AddWhen::kAbsent : AddWhen::kAlways;
          const Added outcome = add_number(filter, hash, when);
          ASSERT_EQ(outcome == Added::kKnown, when == AddWhen::kAbsent && outcome != Added::kNew);
          ASSERT_FALSE(outcome == Added::kNew && when == AddWhen::kAbsent && items[hash] > 0);
          items[hash] += outcome == Added::kNew ? 1 : 0;
          keys += outcome == Added::kNew ? 1 : 0;
        } else if (items[hash] > 0) {
          ASSERT_EQ(remove(filter, hash), Removed::kYes);
          --items[hash];
          --keys;
        }
        ASSERT_GE(filter.count({.low = hash, .high = 0}), items[hash]) << "step " << step;
        ASSERT_EQ(filter.keys(), keys);
        if (step % 4000 == 0) {
          copies.push_back(filter);
          models.push_back(items);
          if (copies.size() == 4) {
            copies.erase(copies.begin());
            models.erase(models.begin());
          }
        }
        if (step % 10'000 == 0) {
          ASSERT_EQ(first_wrong(filter, items), std::nullopt) << "step " << step;
        }
      }
      ASSERT_EQ(first_wrong(filter, items), std::nullopt);
      for (std::size_t i = 0; i < copies.size(); ++i) {
        ASSERT_EQ(first_wrong(copies[i], models[i]), std::nullopt) << "copy " << i;
      }
      // A copy goes on as its filter does.
      DeletableFilter& copy = copies.back();
      for (auto& [hash, count] : models.back()) {
        if (count > 0) {
          ASSERT_EQ(remove(copy, hash), Removed::kYes);
          --count;
        }
      }
      ASSERT_EQ(first_wrong(copy, models.back()), std::nullopt);
      ASSERT_EQ(first_wrong(filter, items), std::nullopt);
    }
    EXPECT_EQ(all_page_bytes(), before);
  }
}

TEST(DeletableCopies, WhoseItemsAreAllDeletedHoldNoMemory) {
  const std::uint64_t before = all_page_bytes();
  DeletableFilter filter = filter_for(1'000'000);
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> hashes(20'000);
  std::ranges::generate(hashes, std::ref(random));
  for (const std::uint64_t hash : hashes) {
    ASSERT_EQ(add_number(filter, hash), Added::kNew);
  }
  EXPECT_GE(filter.memory_bytes(), all_page_bytes() - before);
  for (const bool shared : {true, false}) {
    std::optional<DeletableFilter> copy = shared ? std::optional(filter) : std::nullopt;
    const std::size_t half = hashes.size() / 2;
    for (std::size_t i = shared ? 0 : half; i < (shared ? half : hashes.size()); ++i) {
      ASSERT_EQ(remove(filter, hashes[i]), Removed::kYes);
      ASSERT_EQ(remove(filter, hashes[i]), Removed::kAbsent);
    }
  }
  EXPECT_EQ(filter.keys(), 0u);
  EXPECT_EQ(filter.current_fpp(), 0);
  EXPECT_EQ(first_wrong(filter, {}), std::nullopt);
  EXPECT_EQ(all_page_bytes(), before);
}

TEST(DeletableCopies, TakeChosenItemsAsAFilterAlone) {
  // Chosen items of the last quotients of one segment fill the slots behind them.
  DeletableFilter alone = filter_for(1'000'000);
  DeletableFilter shared = filter_for(1'000'000);
  std::optional<DeletableFilter> copy;
  Multiset items;
  std::mt19937_64 random(5);
  const std::uint64_t step = std::uint64_t{1} << 26;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    if (i % 40 == 0) {
      copy.emplace(shared);
    }
    const std::uint64_t hash = ~std::uint64_t{0} - random() % 400 * step;
    const Added outcome = add_number(alone, hash);
    ASSERT_EQ(add_number(shared, hash), outcome) << i;
    items[hash] += outcome == Added::kNew ? 1 : 0;
    if (random() % 8 == 0 && items[hash] > 0) {
      ASSERT_EQ(remove(alone, hash), Removed::kYes);
      ASSERT_EQ(remove(shared, hash), Removed::kYes);
      --items[hash];
    }
  }
  EXPECT_EQ(alone.keys(), shared.keys());
  EXPECT_EQ(first_wrong(alone, items), std::nullopt);
  EXPECT_EQ(first_wrong(shared, items), std::nullopt);
}

TEST(DeletableCopies, SplitAsAFilterAlone) {
  DeletableFilter alone = filter_for(200'000);
  DeletableFilter shared = filter_for(200'000);
  std::optional<DeletableFilter> copy;
  Multiset items;
  std::mt19937_64 random(9);
  for (std::uint64_t i = 0; i < 500'000; ++i) {
    if (i % 20'000 == 0) {
      copy.emplace(shared);
    }
    const std::uint64_t hash = random();
    ASSERT_EQ(add_number(alone, hash), Added::kNew);
    ASSERT_EQ(add_number(shared, hash), Added::kNew);
    ++items[hash];
  }
  EXPECT_EQ(alone.levels_in_order(), shared.levels_in_order());
  EXPECT_EQ(first_wrong(shared, items), std::nullopt);
  EXPECT_EQ(first_wrong(alone, items), std::nullopt);
}

TEST(DeletableCopies, ADumpHasTheirItems) {
  auto made = make_value(
      {.layout = Layout::kQuotient, .plan = {.capacity = 1'000'000, .fpp = 0.01, .expansion = 1, .hash = {}}},
      kAnySize);
  ASSERT_TRUE(made);
  FilterValue& value = **made;
  add_keys(value, 0, 10'000);
  const FilterValue copy(value);
  add_keys(value, 5'000, 12'000);
  const auto loaded = copied_by_dump(value);
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(loaded->keys(), 17'000u);
  EXPECT_EQ(maybes_of_keys(*loaded, 0, 12'000), 12'000);
  EXPECT_EQ(front_bytes(*loaded), front_bytes(value));
  for (std::size_t i = 0; i < value.layer_count(); ++i) {
    ASSERT_EQ(segment_bytes(loaded->deletable(), i), segment_bytes(value.deletable(), i)) << "segment " << i;
  }
}

}  // namespace
}  // namespace bloomery::redis_module
