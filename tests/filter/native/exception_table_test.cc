// The table of exceptions against a set, in memory of its own and over bytes of a file.
#include "filter/native/exception_table.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kExceptionSeed = 90210;

struct Ascending {
  bool operator()(const Hash128& a, const Hash128& b) const {
    return std::tie(a.low, a.high) < std::tie(b.low, b.high);
  }
};
using ExceptionModel = std::set<Hash128, Ascending>;

Hashes made_hashes(std::size_t count, auto&& make) {
  Hashes hashes(count);
  for (std::size_t i = 0; i < count; ++i) {
    hashes[i] = make(static_cast<std::uint64_t>(i));
  }
  return hashes;
}

Hashes uniform_exceptions(std::size_t count) {
  std::mt19937_64 random(kExceptionSeed);
  return made_hashes(count, [&](std::uint64_t) { return Hash128{random(), random()}; });
}

// Inputs, and what is hard about them.
struct ExceptionInput {
  std::string name;
  Hashes hashes;
};

std::vector<ExceptionInput> exception_inputs() {
  constexpr std::size_t kCount = 3000;
  std::mt19937_64 random(kExceptionSeed);
  std::vector<ExceptionInput> inputs;
  for (const std::size_t count : {0u, 1u, 2u, 3u, 100u, 100'000u}) {
    inputs.push_back({std::to_string(count) + " uniform", uniform_exceptions(count)});
  }
  const auto add = [&](const std::string& name, auto&& make) {
    inputs.push_back({name, made_hashes(kCount, make)});
  };
  add("all equal", [](std::uint64_t) { return Hash128{5, 7}; });
  add("equal lows", [&](std::uint64_t) { return Hash128{5, random()}; });
  add("few lows", [&](std::uint64_t) { return Hash128{random() % 20, random() % 1000}; });
  add("lows 0 to n", [](std::uint64_t i) { return Hash128{i, kGreatest - i}; });
  add("powers of two", [&](std::uint64_t i) { return Hash128{std::uint64_t{1} << i % 64, i}; });
  add("skewed", [&](std::uint64_t) { return Hash128{random() >> random() % 64, random() % 4}; });
  add("both ends", [&](std::uint64_t) {
    return Hash128{random() % 2 == 0 ? random() % 9 : kGreatest - random() % 9, random() % 50};
  });
  add("a cluster and an outlier", [](std::uint64_t i) {
    return i == 0 ? Hash128{kGreatest, kGreatest} : Hash128{(std::uint64_t{1} << 40) + i * i, i};
  });
  return inputs;
}

// Hashes of the table, hashes beside them in one word or the other, the ends, and any.
Hashes probes(const Hashes& hashes, std::mt19937_64& random, std::size_t count) {
  return made_hashes(count, [&](std::uint64_t) {
    const Hash128 other = {random(), random()};
    if (hashes.empty() || random() % 8 == 0) {
      return other;
    }
    const Hash128& one = hashes[random() % hashes.size()];
    switch (random() % 8) {
      case 0:
        return Hash128{one.low, one.high + 1};
      case 1:
        return Hash128{one.low, one.high - 1};
      case 2:
        return Hash128{one.low - 1, one.high};
      case 3:
        return Hash128{one.low + 1, one.high};
      case 4:
        return Hash128{random() % 2 == 0 ? 0 : kGreatest, random() % 2 == 0 ? 0 : kGreatest};
      default:
        return one;
    }
  });
}

void expect_exceptions(const ExceptionTable& table, const ExceptionModel& model) {
  EXPECT_EQ(table.live(), model.size());
  EXPECT_EQ(table.empty(), model.empty());
  EXPECT_TRUE(table.entries() == Hashes(model.begin(), model.end()));
  EXPECT_EQ(table.bytes().size() % kExceptionBytes, 0u);
  EXPECT_TRUE(ExceptionTable::check(table.bytes(), table.live()).has_value());
}

// Asks for and withdraws hashes, with a set beside it.
void exercise(ExceptionTable& table, ExceptionModel& model, const Hashes& hashes, std::size_t steps) {
  std::mt19937_64 random(kExceptionSeed);
  for (const Hash128& hash : probes(hashes, random, steps)) {
    ASSERT_EQ(table.contains(hash), model.contains(hash));
    if (random() % 4 == 0) {
      ASSERT_EQ(table.withdraw(hash), model.erase(hash) == 1);
      ASSERT_FALSE(table.contains(hash));
      ASSERT_EQ(table.live(), model.size());
    }
  }
  expect_exceptions(table, model);
}

TEST(ExceptionTable, IsASet) {
  for (const ExceptionInput& input : exception_inputs()) {
    SCOPED_TRACE(input.name + ", seed " + std::to_string(kExceptionSeed));
    ExceptionTable table = ExceptionTable::of(input.hashes);
    ExceptionModel model(input.hashes.begin(), input.hashes.end());
    expect_exceptions(table, model);
    for (const Hash128& hash : input.hashes) {
      ASSERT_TRUE(table.contains(hash));
    }
    ASSERT_NO_FATAL_FAILURE(exercise(table, model, input.hashes, 2 * input.hashes.size() + 10));
    ExceptionTable moved = std::move(table);
    ASSERT_NO_FATAL_FAILURE(exercise(moved, model, input.hashes, 1000));
  }
}

// In any order, to the last: each goes once, the others stay, and the size of the bytes as well.
TEST(ExceptionTable, AllCanBeWithdrawn) {
  for (const ExceptionInput& input : exception_inputs()) {
    for (const std::string order : {"ascending", "descending", "shuffled"}) {
      SCOPED_TRACE(input.name + ", " + order + ", seed " + std::to_string(kExceptionSeed));
      ExceptionTable table = ExceptionTable::of(input.hashes);
      Hashes left = table.entries();
      if (order == "shuffled") {
        std::shuffle(left.begin(), left.end(), std::mt19937_64(kExceptionSeed));
      } else if (order == "ascending") {
        std::reverse(left.begin(), left.end());
      }
      if (left.size() > 10'000 && order != "shuffled") {
        continue;  // quadratic, as the header says
      }
      const std::size_t size = table.bytes().size();
      while (!left.empty()) {
        const Hash128 hash = left.back();
        left.pop_back();
        ASSERT_TRUE(table.withdraw(hash));
        ASSERT_FALSE(table.withdraw(hash));
        ASSERT_FALSE(table.contains(hash));
        ASSERT_TRUE(left.empty() || (table.contains(left.front()) && table.contains(left.back())));
        ASSERT_EQ(table.live(), left.size());
      }
      EXPECT_TRUE(table.empty());
      EXPECT_TRUE(table.entries().empty());
      EXPECT_EQ(table.bytes().size(), size);
      EXPECT_TRUE(ExceptionTable::check(table.bytes(), 0).has_value());
      for (const Hash128& hash : input.hashes) {
        ASSERT_FALSE(table.contains(hash));
      }
    }
  }
}

TEST(ExceptionTable, LaidOutAsTheHeaderSays) {
  const ExceptionTable table = ExceptionTable::of({{0x0102, 1}, {0x0101, 2}, {0x0101, 1}, {0x0102, 1}});
  std::string bytes(48, '\0');
  bytes[0] = bytes[1] = bytes[8] = 1;
  bytes[16] = bytes[17] = 1;
  bytes[24] = 2;
  bytes[32] = 2;
  bytes[33] = bytes[40] = 1;
  ASSERT_EQ(table.bytes().size(), bytes.size());
  EXPECT_EQ(std::memcmp(table.bytes().data(), bytes.data(), bytes.size()), 0);
}

// What a table wrote, another one over its bytes reads, withdrawals and all.
TEST(ExceptionTable, LivesOverBytes) {
  for (const ExceptionInput& input : exception_inputs()) {
    SCOPED_TRACE(input.name + ", seed " + std::to_string(kExceptionSeed));
    const ExceptionTable first = ExceptionTable::of(input.hashes);
    std::vector<std::uint64_t> words(first.bytes().size() / 8);
    std::copy(first.bytes().begin(), first.bytes().end(), std::as_writable_bytes(std::span(words)).begin());
    const auto bytes = std::as_writable_bytes(std::span(words));
    ExceptionModel model(input.hashes.begin(), input.hashes.end());
    {
      ExceptionTable table = ExceptionTable::over(bytes, first.live());
      EXPECT_TRUE(table.is_writable());
      ASSERT_NO_FATAL_FAILURE(exercise(table, model, input.hashes, 500));
    }
    ASSERT_TRUE(ExceptionTable::check(bytes, model.size()).has_value());
    const ExceptionTable reader = ExceptionTable::over(std::span<const std::byte>(bytes), model.size());
    EXPECT_FALSE(reader.is_writable());
    expect_exceptions(reader, model);
    const ExceptionTable none = ExceptionTable::over(bytes, 0);
    EXPECT_TRUE(none.empty() && none.entries().empty());
    for (const Hash128& hash : input.hashes) {
      ASSERT_EQ(reader.contains(hash), model.contains(hash));
      ASSERT_FALSE(none.contains(hash));
    }
  }
}

// Order and count are what check() proves: with any byte flipped it passes only if both still hold, and then,
// as where it is not asked, a table over the bytes stays inside them.
TEST(ExceptionTable, CheckFindsDisorder) {
  const Hashes hashes = {{1, 9}, {3, 4}, {3, 5}, {3, 5}, {900, 1}, {kGreatest, 0}};
  std::vector<std::uint64_t> words;
  for (const Hash128& hash : hashes) {
    words.insert(words.end(), {hash.low, hash.high});
  }
  const auto bytes = std::as_writable_bytes(std::span(words));
  EXPECT_TRUE(ExceptionTable::check(bytes, 5).has_value());
  EXPECT_TRUE(ExceptionTable::check(bytes, 0).has_value());
  EXPECT_TRUE(ExceptionTable::check({}, 0).has_value());
  EXPECT_FALSE(ExceptionTable::check({}, 1).has_value());
  for (const std::uint64_t live : {1u, 4u, 6u}) {
    const Status status = ExceptionTable::check(bytes, live);
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code(), ErrorCode::kCorruption);
    EXPECT_NE(status.error().to_string().find("found 5"), std::string::npos) << status.error().to_string();
  }
  std::size_t found = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    Hashes damaged;
    for (std::size_t i = 0; i < words.size(); i += 2) {
      damaged.push_back({words[i], words[i + 1]});
    }
    const auto disorder = std::is_sorted_until(damaged.begin(), damaged.end(), Ascending());
    const bool holds =
        disorder == damaged.end() && ExceptionModel(damaged.begin(), damaged.end()).size() == 5;
    const Status status = ExceptionTable::check(bytes, 5);
    ASSERT_EQ(status.has_value(), holds);
    if (!status) {
      ++found;
      EXPECT_EQ(status.error().subject(), "exception table");
      EXPECT_EQ(status.error().offset(),
                disorder == damaged.end() ? 0 : static_cast<std::uint64_t>(disorder - damaged.begin()) * 16);
    }
    std::vector<std::uint64_t> copy = words;
    ExceptionTable table = ExceptionTable::over(std::as_writable_bytes(std::span(copy)), 5);
    for (const Hash128& hash : hashes) {
      (void)table.contains(hash);
      (void)table.withdraw(hash);
    }
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  EXPECT_GT(found, 100u);
}

// Every set bit is answered as contains() answers; other bits, and those beyond the hashes, stay.
TEST(ExceptionTable, ClearsWhatItContains) {
  std::mt19937_64 random(kExceptionSeed);
  for (const ExceptionInput& input : exception_inputs()) {
    SCOPED_TRACE(input.name + ", seed " + std::to_string(kExceptionSeed));
    ExceptionTable table = ExceptionTable::of(input.hashes);
    for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 1000u}) {
      const Hashes hashes = probes(input.hashes, random, count);
      std::vector<std::uint64_t> answers(count / 64 + 2);
      for (std::uint64_t& answer : answers) {
        const std::uint64_t kind = random() % 4;
        answer = kind == 0 ? 0 : kind == 1 ? kGreatest : random() & random();
      }
      std::vector<std::uint64_t> expected = answers;
      for (std::size_t i = 0; i < count; ++i) {
        if (table.contains(hashes[i])) {
          expected[i / 64] &= ~(std::uint64_t{1} << i % 64);
        }
      }
      table.clear_excepted(hashes, answers);
      ASSERT_EQ(answers, expected);
      for (std::size_t i = 0; i < hashes.size(); i += 3) {
        table.withdraw(hashes[i]);
      }
    }
  }
}

TEST(ExceptionTable, AnEmptyOneAnswers) {
  ExceptionTable first = ExceptionTable::of({{1, 2}});
  const ExceptionTable second = std::move(first);
  EXPECT_TRUE(second.contains({1, 2}));
  first = ExceptionTable();
  ExceptionTable of_none = ExceptionTable::of({});
  for (ExceptionTable* const table : {&first, &of_none}) {
    EXPECT_TRUE(table->empty());
    EXPECT_FALSE(table->contains({1, 2}));
    EXPECT_TRUE(table->bytes().empty());
    EXPECT_TRUE(table->entries().empty());
    std::vector<std::uint64_t> answers = {kGreatest};
    table->clear_excepted(Hashes(3), answers);
    EXPECT_EQ(answers[0], kGreatest);
  }
  EXPECT_FALSE(of_none.withdraw({1, 2}));
}

}  // namespace
}  // namespace bloomery
