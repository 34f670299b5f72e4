// A deletable filter against a multiset: no item is lost, however it grows, and a delete takes out what an add put in.
#include "filter/quotient/deletable_filter.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/quotient/quotient_table.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

GrowingPlan plan_for(std::uint64_t capacity, double fpp = 0.01, std::uint32_t expansion = 1) {
  return {.capacity = capacity, .fpp = fpp, .expansion = expansion, .hash = {}};
}

Hash128 hash_of(std::uint64_t number) {
  return hash_bytes("item" + std::to_string(number), {});
}

Added add_hash(DeletableFilter& filter, const Hash128& hash, AddWhen when = AddWhen::kAlways,
               std::uint64_t most_bytes = kAnySize) {
  std::vector<Added> outcome(1);
  filter.add({&hash, 1}, when, most_bytes, outcome);
  return outcome[0];
}

bool may_contain(const DeletableFilter& filter, const Hash128& hash) {
  std::uint64_t answer = 0;
  filter.may_contain({&hash, 1}, {&answer, 1});
  return answer == 1;
}

std::vector<std::byte> filter_bytes(const DeletableFilter& filter) {
  std::vector<std::byte> all(filter.size_bytes());
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < filter.segment_count(); ++i) {
    filter.read(i, 0, std::span(all).subspan(at, filter.bytes_of(i)));
    at += filter.bytes_of(i);
  }
  return all;
}

TEST(DeletableFilter, IsAMultisetThatMayCountTooMuch) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    DeletableFilter filter = filter_for(4 + random() % 3000);
    std::map<std::uint64_t, std::uint64_t> model;
    std::uint64_t keys = 0;
    std::uint64_t removed = 0;
    std::uint64_t too_many = 0;
    for (std::uint64_t step = 0; step < 60'000; ++step) {
      const std::uint64_t number = random() % (100 + step);
      const Hash128 hash = hash_of(number);
      const bool grows = step / 15'000 % 2 == 0;
      if (random() % 4 < (grows ? 3U : 1U)) {
        ASSERT_EQ(add_hash(filter, hash), Added::kNew);
        ++model[number];
        ++keys;
      } else if (model[number] > 0) {
        ASSERT_EQ(filter.remove(hash), Removed::kYes);
        --model[number];
        --keys;
        ++removed;
      } else {
        too_many += may_contain(filter, hash) ? 1U : 0U;
      }
      ASSERT_GE(filter.count(hash), model[number]) << "item" << number << " at step " << step;
    }
    EXPECT_EQ(filter.keys(), keys);
    EXPECT_EQ(filter.deleted(), removed);
    EXPECT_LE(too_many, 2u) << "a false positive is one in a million here";
    for (const auto& [number, count] : model) {
      ASSERT_GE(filter.count(hash_of(number)), count) << number;
      ASSERT_TRUE(count == 0 || may_contain(filter, hash_of(number))) << number;
    }
  }
}

TEST(DeletableFilter, WhoseItemsAreAllDeletedIsEmptyAndHoldsNoMemory) {
  DeletableFilter filter = filter_for(100);
  const std::uint64_t before = all_page_bytes();
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(add_hash(filter, hash_of(i)), Added::kNew);
  }
  EXPECT_GT(all_page_bytes(), before);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(filter.remove(hash_of(i)), Removed::kYes);
  }
  EXPECT_EQ(filter.keys(), 0u);
  EXPECT_EQ(filter.current_fpp(), 0);
  EXPECT_EQ(all_page_bytes(), before);
  EXPECT_EQ(filter.remove(hash_of(5)), Removed::kAbsent);
}

TEST(DeletableFilter, CountsItsMemoryAndIsNeverFuller) {
  const std::uint64_t before = all_page_bytes();
  DeletableFilter filter = filter_for(100);
  const auto check = [&] {
    std::uint64_t quotients = 0;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < filter.segment_count(); ++i) {
      ASSERT_EQ(filter.place_of(bytes).segment, i);
      ASSERT_EQ(filter.place_of(bytes + 7).begin, bytes);
      quotients += filter.shape().segments().plan(filter.level_of(i)).quotients;
      bytes += filter.bytes_of(i);
    }
    ASSERT_EQ(bytes, filter.size_bytes());
    ASSERT_LE(filter.keys() * 100, quotients * 97 + 100);
    const std::uint64_t held = all_page_bytes() - before;
    ASSERT_GE(filter.memory_bytes(), held);
    ASSERT_LE(filter.memory_bytes(), held + 1000 + 300 * filter.segment_count());
  };
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(add_hash(filter, hash_of(i)), Added::kNew);
    if (i % 200 == 0) {
      check();
    }
  }
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(filter.remove(hash_of(i)), Removed::kYes);
  }
  check();
}

TEST(DeletableFilter, KeepsItsFppAtItsCapacityAndBeyond) {
  for (const double fpp : {0.03, 0.001}) {
    for (const std::uint32_t expansion : {0U, 1U}) {
      DeletableFilter filter = filter_for(50'000, fpp, expansion);
      for (std::uint64_t i = 0; i < 50'000; ++i) {
        ASSERT_EQ(add_hash(filter, hash_of(i)), Added::kNew);
      }
      std::uint64_t maybes = 0;
      for (std::uint64_t i = 1'000'000; i < 1'200'000; ++i) {
        maybes += may_contain(filter, hash_of(i)) ? 1U : 0U;
      }
      EXPECT_LE(static_cast<double>(maybes), 200'000 * fpp * 1.2) << fpp << " " << expansion;
      EXPECT_LE(filter.current_fpp(), fpp);
      if (expansion == 0) {
        EXPECT_GE(filter.current_fpp(), fpp / 2.1) << "memory for a better fpp than was asked for";
        EXPECT_EQ(add_hash(filter, hash_of(77'777)), Added::kFull);
        EXPECT_EQ(filter.remove(hash_of(0)), Removed::kYes);
        EXPECT_EQ(add_hash(filter, hash_of(77'777)), Added::kNew) << "a delete makes room";
      } else {
        EXPECT_EQ(add_hash(filter, hash_of(77'777)), Added::kNew);
      }
    }
  }
}

TEST(DeletableFilter, TakesTheMemoryThatWasPlanned) {
  // RedisBloom's filter of 65,536 items has 65,536 bytes, at an fpp of 0.0157.
  DeletableFilter filter = filter_for(60'000, 0.0157, 0);
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    ASSERT_EQ(add_hash(filter, hash_of(i)), Added::kNew);
  }
  EXPECT_LT(static_cast<double>(filter.memory_bytes()) * 8 / 60'000, 12.5);
}

TEST(DeletableFilter, CopiesOfOneItemAreBounded) {
  DeletableFilter filter = filter_for(1000);
  const std::uint64_t bytes = filter.size_bytes();
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    ASSERT_EQ(add_hash(filter, hash_of(7)), Added::kNew);
  }
  EXPECT_EQ(filter.size_bytes(), bytes);
  EXPECT_EQ(filter.count(hash_of(7)), 100'000u);
  EXPECT_EQ(add_hash(filter, hash_of(8)), Added::kNew) << "other items have room";
  EXPECT_EQ(add_hash(filter, hash_of(7), AddWhen::kAbsent), Added::kKnown);
}

TEST(DeletableFilter, AnItemWithAsManyCopiesAsCanBeCountedStaysIn) {
  DeletableFilter filter = filter_for(100);
  auto table = QuotientTable::create(filter.shape().segments().plan(filter.level_of(0)));
  ASSERT_TRUE(table);
  ASSERT_TRUE(table->insert(hash_of(7).low, kMaxQuotientCount - 1));
  ASSERT_TRUE(filter.load(0, std::as_bytes(table->words())));
  EXPECT_EQ(add_hash(filter, hash_of(7)), Added::kNew);
  EXPECT_EQ(add_hash(filter, hash_of(7)), Added::kFull);
  EXPECT_EQ(filter.remove(hash_of(7)), Removed::kYes);
  EXPECT_EQ(filter.count(hash_of(7)), kMaxQuotientCount);
  EXPECT_EQ(filter.deleted(), 0u);
}

TEST(DeletableFilter, DoesNotGrowBeyondItsLimitAndLosesNothingThere) {
  DeletableFilter filter = filter_for(1000);
  const std::uint64_t limit = 100'000;
  std::uint64_t taken = 0;
  while (add_hash(filter, hash_of(taken), AddWhen::kAlways, limit) == Added::kNew) {
    ++taken;
  }
  EXPECT_GT(taken, 10'000u);
  EXPECT_LE(filter.size_bytes(), limit);
  EXPECT_EQ(add_hash(filter, hash_of(taken), AddWhen::kAlways, limit), Added::kOverLimit);
  for (std::uint64_t i = 0; i < taken; ++i) {
    ASSERT_TRUE(may_contain(filter, hash_of(i))) << i;
  }
  EXPECT_FALSE(DeletableFilter::create(plan_for(1'000'000), limit));
}

TEST(DeletableFilter, HashesThatAreChosenEndInAnErrorAndLoseNothing) {
  // All begin with the same 16 bits, so a split does not part them.
  DeletableFilter filter = filter_for(1000);
  std::uint64_t taken = 0;
  Added last = Added::kNew;
  for (; last == Added::kNew && taken < 1'000'000; ++taken) {
    last = add_hash(filter, {.low = taken << 28, .high = 0});
  }
  EXPECT_EQ(last, Added::kFull);
  EXPECT_LT(filter.size_bytes(), 4u << 20) << "few bytes for few items";
  for (std::uint64_t i = 0; i + 1 < taken; ++i) {
    ASSERT_TRUE(may_contain(filter, {.low = i << 28, .high = 0})) << i;
  }
}

TEST(DeletableFilter, TheSameStepsMakeTheSameBytesWhateverIsSharedMeanwhile) {
  DeletableFilter a = filter_for(500);
  DeletableFilter b = filter_for(500);
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    add_hash(a, hash_of(i % 20'000));
    add_hash(b, hash_of(i % 20'000));
    if (i % 5'000 == 0) {
      const DeletableFilter copy(b);
      const std::vector<std::byte> before = filter_bytes(copy);
      add_hash(a, hash_of(1));
      add_hash(b, hash_of(1));
      EXPECT_EQ(filter_bytes(copy), before) << "a copy has changed with its filter";
    }
    if (i % 3 == 0) {
      a.remove(hash_of(i / 2));
      b.remove(hash_of(i / 2));
    }
  }
  EXPECT_EQ(filter_bytes(a), filter_bytes(b));
}

TEST(DeletableFilter, ShapesThatCannotBeAreRefused) {
  EXPECT_FALSE(deletable_start(0, 0.01, Grows::kYes));
  EXPECT_FALSE(deletable_start((std::uint64_t{1} << 40) + 1, 0.01, Grows::kYes));
  EXPECT_FALSE(deletable_start(100, 0, Grows::kNo));
  EXPECT_FALSE(deletable_start(100, 1, Grows::kNo));
  EXPECT_FALSE(deletable_start(std::uint64_t{1} << 40, 1e-9, Grows::kNo));
  for (const std::uint64_t capacity : {1U, 60U, 2000U, 4000U, 5000U, 1'000'000U}) {
    for (const double fpp : {0.5, 0.01, 1e-6}) {
      for (const Grows grows : {Grows::kNo, Grows::kYes}) {
        const auto start = deletable_start(capacity, fpp, grows);
        ASSERT_TRUE(start) << capacity << " " << fpp;
        EXPECT_TRUE(check_deletable_shape(start->shape)) << capacity << " " << fpp;
        EXPECT_TRUE(start->shape.segments().is_level(start->level));
        EXPECT_LE(start->shape.segments().table_bytes(start->level), 64u << 10);
      }
    }
  }
}

TEST(DeletableFilter, LevelsThatAreNoFilterAreRefused) {
  const DeletableShape shape = filter_for(1000).shape();
  const auto made = [&](const std::vector<int>& levels) {
    std::vector<std::byte> bytes;
    for (const int level : levels) {
      bytes.push_back(static_cast<std::byte>(level));
    }
    return static_cast<bool>(DeletableFilter::of_levels(plan_for(1000), shape, bytes));
  };
  EXPECT_TRUE(made({1}));
  EXPECT_TRUE(made({7}));
  EXPECT_TRUE(made({8, 8}));
  EXPECT_TRUE(made({8, 9, 9}));
  EXPECT_FALSE(made({}));
  EXPECT_FALSE(made({0}));
  EXPECT_FALSE(made({8}));
  EXPECT_FALSE(made({7, 7}));
  EXPECT_FALSE(made({9, 8, 9})) << "a segment that does not begin at a multiple of its size";
  EXPECT_FALSE(made({8, 9}));
  EXPECT_FALSE(made({200, 200}));
  const std::vector<std::byte> one = {std::byte{1}};
  EXPECT_FALSE(DeletableFilter::of_levels(plan_for(1000), {.quotients = 3000, .remainder_bits = 30}, one));
  DeletableFilter filter = filter_for(1000);
  const std::vector<std::byte> table(filter.bytes_of(0) - 8, std::byte{0});
  EXPECT_FALSE(filter.load(0, table)) << "a table that is too short";
}

}  // namespace
}  // namespace bloomery::redis_module
