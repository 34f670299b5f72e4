// Layers whose bits come late: no key is lost in any phase, equal keys make equal bytes, and damage is refused.
#include "filter/scalable/late_bits.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "filter/pages/page_memory.h"
#include "redis_module/value_bytes.h"
#include "tests/redis_module/rdb_in_memory.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

// A layer of some pieces. At 0.001 a piece is bits from about 5,700 keys on.
LateShape shape_of(std::uint64_t pieces, double fpp = 0.001) {
  const std::uint64_t windows = pieces * 250;
  const std::uint64_t capacity = windows * 512 / 16;
  const auto shape = late_shape({.words = windows * 8, .hash_count = 10, .setting = BlockedSetting::kFast},
                                late_fingerprint_bits(windows, capacity, fpp));
  EXPECT_TRUE(shape);
  return *shape;
}

std::vector<std::uint64_t> random_hashes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> hashes(count);
  std::ranges::generate(hashes, random);
  return hashes;
}

void insert_late(LateBits& late, std::span<const std::uint64_t> hashes) {
  for (const std::uint64_t hash : hashes) {
    if (const LateBits::Place place = late.place_of(hash); !late.contains(place)) {
      ASSERT_TRUE(late.insert(place));
    }
  }
}

std::size_t count_found(const LateBits& late, std::span<const std::uint64_t> hashes) {
  return static_cast<std::size_t>(
      std::ranges::count_if(hashes, [&](std::uint64_t hash) { return late.contains(late.place_of(hash)); }));
}

std::vector<std::byte> late_bytes(const LateBits& late) {
  std::vector<std::byte> bytes(late.size_bytes());
  if (!bytes.empty()) {
    late.read(0, bytes);
  }
  return bytes;
}

std::uint64_t seed_of_run() {
  const char* const given = std::getenv("BLOOMERY_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  return seed;
}

TEST(LateShapes, EveryFingerprintComesBackFromItsPlaceInATableOfEveryLevel) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("BLOOMERY_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const double fpp : {0.3, 0.01, 0.001, 1e-6, 1e-9}) {
    const LateShape shape = shape_of(3, fpp);
    const std::uint64_t end = std::uint64_t{1} << shape.fingerprint_bits;
    for (const LateLevel& level : late_levels(shape)) {
      for (int i = 0; i < 1000; ++i) {
        const std::uint64_t fingerprint = i == 0 ? 0 : i == 1 ? end - 1 : random() % end;
        const QuotientFingerprint place = place_in_table(level.plan(), shape.fingerprint_bits, fingerprint);
        ASSERT_LT(place.quotient, level.quotients);
        ASSERT_EQ(fingerprint_at(level.plan(), shape.fingerprint_bits, place), fingerprint)
            << level.quotients << " quotients, " << shape.fingerprint_bits << " bits";
      }
    }
  }
}

TEST(LateShapes, LevelsGrowByAtMostAThirdAndEndBelowTheBits) {
  for (const double fpp : {0.3, 0.001, 1e-9}) {
    const LateShape shape = shape_of(2, fpp);
    const std::vector<LateLevel> levels = late_levels(shape);
    ASSERT_GT(levels.size(), 10u);
    for (std::size_t i = 4; i < levels.size(); ++i) {
      EXPECT_GT(levels[i].quotients, levels[i - 1].quotients);
      EXPECT_LE(levels[i].quotients * 3, levels[i - 1].quotients * 4);
    }
    EXPECT_LT(levels.back().bytes, shape.piece_bytes());
  }
}

TEST(LateBitsTest, FindEveryKeyInEveryPhaseAndFewOthers) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("BLOOMERY_SEED=" + std::to_string(seed));
  const LateShape shape = shape_of(4);
  const std::vector<std::uint64_t> hashes = random_hashes(32'000, seed);
  const std::vector<std::uint64_t> others = random_hashes(20'000, seed + 1);
  LateBits late(shape);
  std::set<std::uint8_t> states;
  for (std::size_t done = 0; done < hashes.size(); done += 100) {
    insert_late(late, std::span(hashes).subspan(done, 100));
    states.insert(late.states().begin(), late.states().end());
    if (done % 1000 == 0) {
      const auto in = std::span(hashes).first(done + 100);
      ASSERT_EQ(count_found(late, in), in.size()) << done;
      const double expected = late.fpp(
          in.size(), predicted_fpp({.words = shape.pieces * shape.windows * 8, .hash_count = 10}, in.size()));
      EXPECT_LE(static_cast<double>(count_found(late, others)) / 20'000, expected * 1.2 + 0.001) << done;
    }
  }
  EXPECT_TRUE(late.is_all_bits());
  EXPECT_EQ(states.size(), late_levels(shape).size() + 1) << "every level, and bits";
  EXPECT_EQ(late.size_bytes(), shape.pieces * shape.piece_bytes());
}

TEST(LateBitsTest, HaveBytesThatDependOnTheKeysAlone) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("BLOOMERY_SEED=" + std::to_string(seed));
  for (const std::size_t count : {10U, 1000U, 9000U, 17'000U, 22'500U, 30'000U}) {
    std::vector<std::uint64_t> hashes = random_hashes(count, seed);
    LateBits one(shape_of(4));
    insert_late(one, hashes);
    std::ranges::shuffle(hashes, std::mt19937_64(seed));
    LateBits other(shape_of(4));
    insert_late(other, hashes);
    EXPECT_TRUE(std::ranges::equal(one.states(), other.states())) << count;
    EXPECT_EQ(late_bytes(one), late_bytes(other)) << count;
  }
}

TEST(LateBitsTest, LoseNoKeyOfAStrangerWhoChoosesTheirHashes) {
  const LateShape shape = shape_of(4);
  LateBits late(shape);
  std::vector<std::uint64_t> hashes;
  // All fingerprints are of the last quotient, behind which there are few slots.
  for (std::uint64_t i = 0; i < 3000; ++i) {
    hashes.push_back(~((i << (64 - shape.fingerprint_bits)) / shape.pieces));
  }
  insert_late(late, hashes);
  EXPECT_EQ(count_found(late, hashes), hashes.size());
  EXPECT_EQ(late.states()[3], LateBits::kAsBits);
  EXPECT_EQ(late.states()[0], 0);
}

TEST(LateBitsTest, CopiesShareTheirPiecesUntilOneOfBothIsChanged) {
  for (const std::size_t count : {1000U, 22'500U, 30'000U}) {
    const std::vector<std::uint64_t> hashes = random_hashes(count + 2000, 5);
    LateBits late(shape_of(4));
    insert_late(late, std::span(hashes).first(count));
    const std::uint64_t before = all_page_bytes();
    const LateBits copy(late);
    EXPECT_EQ(all_page_bytes(), before);
    const std::vector<std::byte> bytes = late_bytes(copy);
    insert_late(late, std::span(hashes).subspan(count));
    EXPECT_EQ(late_bytes(copy), bytes);
    EXPECT_EQ(count_found(copy, std::span(hashes).first(count)), count);
    EXPECT_EQ(count_found(late, hashes), hashes.size());
  }
}

// Memory that is lacking for the next `fails` calls.
int& fails() {
  static int left = 0;
  return left;
}

TEST(LateBitsTest, LoseNoKeyWhenMemoryIsLacking) {
  use_page_memory({.try_zeroed = [](std::size_t count, std::size_t size) -> void* {
                     return fails() > 0 && fails()-- > 0 ? nullptr : std::calloc(count, size);
                   },
                   .release = std::free});
  const std::vector<std::uint64_t> hashes = random_hashes(20'000, 6);
  LateBits late(shape_of(2));
  std::size_t refused = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const LateBits::Place place = late.place_of(hashes[i]);
    if (late.contains(place)) {
      continue;
    }
    fails() = 1;
    if (!late.insert(place)) {
      ++refused;
      ASSERT_EQ(count_found(late, std::span(hashes).first(i)), i);
      ASSERT_TRUE(late.insert(place));
    }
  }
  fails() = 0;
  use_page_memory({.try_zeroed = std::calloc, .release = std::free});
  EXPECT_EQ(count_found(late, hashes), hashes.size());
  EXPECT_GE(refused, 2 * late_levels(shape_of(2)).size());
}

TEST(LateBitsTest, RefuseStatesThatNoPieceHas) {
  const LateShape shape = shape_of(2);
  const auto last = static_cast<std::uint8_t>(late_levels(shape).size());
  const auto states = [](std::uint8_t first, std::uint8_t second) {
    return std::vector<std::byte>{std::byte{first}, std::byte{second}};
  };
  EXPECT_TRUE(LateBits::of_states(shape, states(0, last)));
  EXPECT_TRUE(LateBits::of_states(shape, states(LateBits::kAsBits, 1)));
  EXPECT_FALSE(LateBits::of_states(shape, states(0, last + 1)));
  EXPECT_FALSE(LateBits::of_states(shape, states(254, 0)));
  EXPECT_FALSE(LateBits::of_states(shape, std::vector<std::byte>(3)));
  EXPECT_FALSE(late_shape({.words = 2048, .hash_count = 8, .setting = BlockedSetting::kFast}, 30))
      << "one piece is no late layer";
  EXPECT_FALSE(late_shape({.words = 257 * 8, .hash_count = 8, .setting = BlockedSetting::kFast}, 30))
      << "257 windows are no two equal pieces";
  for (const std::uint32_t bits : {0U, 19U, 55U, 64U}) {
    EXPECT_FALSE(late_shape({.words = 258 * 8, .hash_count = 8, .setting = BlockedSetting::kFast}, bits))
        << bits;
  }
}

// ---- whole values

class LateValues : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  LateValues() { use_rdb_in_memory(); }
};

TEST_P(LateValues, LoseNoKeyWhileTheyGrowAreCopiedSavedAndDumped) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("BLOOMERY_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto value = growing_value(1000, GetParam());
  const auto replica = growing_value(1000, GetParam());
  std::unique_ptr<FilterValue> copy;
  int keys_of_copy = 0;
  int keys = 0;
  while (keys < 60'000) {
    const int more = static_cast<int>(random() % 1500) + 1;
    add_keys(*value, keys, keys + more);
    add_keys(*replica, keys, keys + more, static_cast<int>(random() % 300) + 1);
    keys += more;
    switch (random() % 4) {
      case 0:
        copy = std::make_unique<FilterValue>(*value);
        keys_of_copy = keys;
        break;
      case 1:
        value = loaded(saved(*value));
        break;
      case 2:
        value = copied_by_dump(*value);
        break;
      default:
        break;
    }
    ASSERT_NE(value, nullptr) << keys;
    ASSERT_EQ(saved(*value), saved(*replica)) << keys;
    // A key that was lost stays lost, so all are asked now and then.
    const int asked_from = random() % 8 == 0 ? 0 : keys - more;
    ASSERT_EQ(maybes_of_keys(*value, asked_from, keys), keys - asked_from);
    ASSERT_TRUE(copy == nullptr || asked_from > 0 || maybes_of_keys(*copy, 0, keys_of_copy) == keys_of_copy)
        << keys;
  }
  EXPECT_EQ(maybes_of_keys(*value, 0, keys), keys);
  EXPECT_LE(maybes_of_keys(*value, 1'000'000, 1'100'000), 1050);
  EXPECT_LE(value->current_fpp(), 0.01);
  EXPECT_NEAR(value->estimated_keys(), keys, keys / 50);
}

TEST(LateLimits, AKeyGrowsByWhatItTakesUpToItsLimitAndNotBeyond) {
  constexpr std::uint64_t kLimit = 4 << 20;
  const auto value = growing_value(100'000, 100);  // whose second layer would have 17 MB as bits
  int keys = 0;
  Added last = Added::kNew;
  while (last == Added::kNew || last == Added::kKnown) {
    const std::vector<std::string> texts = keys_between(keys, keys + 1000);
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    std::vector<Added> outcomes(texts.size());
    const std::size_t done = value->add(views, kLimit, outcomes);
    last = outcomes[done - 1];
    keys += static_cast<int>(done);
    ASSERT_LE(value->payload_bytes(), kLimit);
  }
  EXPECT_EQ(last, Added::kOverLimit);
  EXPECT_GT(keys, 800'000);
  EXPECT_EQ(maybes_of_keys(*value, 0, keys - 1), keys - 1);
  EXPECT_EQ(maybes_of_keys(*value, keys - 1, keys), 0) << "the one that was refused";
  std::array<Added, 2> outcomes;
  const std::array<std::string_view, 2> known = {"key1", "key799999"};
  EXPECT_EQ(value->add(known, kLimit, outcomes), 2u) << "what is known is not refused";
  EXPECT_EQ(outcomes[1], Added::kKnown);
  add_keys(*value, keys, keys + 1000);  // as a replica does, which has no limit
  EXPECT_EQ(maybes_of_keys(*value, 0, keys - 1), keys - 1);
}

INSTANTIATE_TEST_SUITE_P(Expansions, LateValues, ::testing::Values(1, 2, 4, 8, 100));

// Two late pieces in each phase: tables, a table beside bits, bits.
std::vector<std::unique_ptr<FilterValue>> values_of_all_phases() {
  std::vector<std::unique_ptr<FilterValue>> values;
  const auto grown = growing_value(3000, 4);
  int keys = 0;
  std::set<std::pair<bool, bool>> seen;
  while (seen.size() < 3) {
    add_keys(*grown, keys, keys + 50);
    keys += 50;
    const GrowingFilter::Layer& last = grown->growing().layers().back();
    if (last.late) {
      const auto states = last.late->states();
      const std::pair phase(std::ranges::count(states, LateBits::kAsBits) > 0, last.late->is_all_bits());
      if (seen.insert(phase).second) {
        values.push_back(std::make_unique<FilterValue>(*grown));
      }
    }
  }
  return values;
}

TEST(LateValuesInBytes, OfEveryPhaseAreRefusedIfAnyByteIsDamagedOrCut) {
  use_rdb_in_memory();
  for (const auto& value : values_of_all_phases()) {
    const std::string good = saved(*value);
    ASSERT_NE(loaded(good), nullptr);
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
      ASSERT_EQ(loaded(bad), nullptr) << "byte " << i;
    }
    for (std::size_t size = 0; size < good.size(); size += 13) {
      ASSERT_EQ(loaded(good.substr(0, size)), nullptr) << size;
    }
  }
}

// Chunks whose checksums are right and whose tables may be none: what a stranger might send.
TEST(LateValuesInBytes, AreRefusedIfATableIsNotWholeAndAnswerIfItIs) {
  use_rdb_in_memory();
  const auto values = values_of_all_phases();
  const FilterValue& value = *values.front();
  std::uint64_t refused = 0;
  std::uint64_t tried = 0;
  const auto header = scan_step(value, 0);
  const auto first = scan_step(value, 1);
  const auto second = scan_step(value, first->iterator);
  for (std::size_t i = 24; i < second->bytes.size(); i += 3, ++tried) {
    auto copy = load_header(header->bytes);
    ASSERT_TRUE(load_chunk(**copy, first->iterator, first->bytes));
    auto bad = second->bytes;
    bad[i] ^= std::byte{1};
    store_little(bad.data() + 4, crc32c(std::span(bad).subspan(8)));
    if (load_chunk(**copy, second->iterator, bad)) {
      add_keys(**copy, 0, 20'000);  // every call on it ends, and pours what it holds
      EXPECT_EQ(maybes_of_keys(**copy, 0, 20'000), 20'000);
    } else {
      ++refused;
      EXPECT_EQ((*copy)->loaded(), first->bytes.size() - 24);
    }
  }
  EXPECT_GT(refused, tried / 2);
}

TEST(LateValuesInBytes, AreRefusedInPartsThatAreNoWholePieces) {
  const auto values = values_of_all_phases();
  const FilterValue& value = *values.front();
  const std::size_t layer = value.layer_count() - 1;
  std::vector<std::byte> bytes(value.layer_bytes(layer));
  value.read_layer(layer, 0, bytes);
  FilterValue copy(value);
  EXPECT_TRUE(copy.write_layer(layer, 0, bytes));
  EXPECT_FALSE(copy.write_layer(layer, 0, std::span(bytes).first(bytes.size() - 1)));
  EXPECT_FALSE(copy.write_layer(layer, 8, std::span(bytes).subspan(8)));
}

TEST(LateValuesInBytes, RefuseAChunkOfAnotherState) {
  use_rdb_in_memory();
  const auto values = values_of_all_phases();
  auto copy = load_header(scan_step(*values[0], 0)->bytes);
  const auto chunk = scan_step(*values[1], 1);
  EXPECT_FALSE(load_chunk(**copy, chunk->iterator, chunk->bytes));
}

TEST(LateUnions, HoldTheItemsOfSourcesInEveryPhaseAndGoOnGrowing) {
  use_rdb_in_memory();
  for (const auto& source : values_of_all_phases()) {
    const auto whole = growing_value(3000, 4);
    add_keys(*whole, 100'000, 108'000);
    ASSERT_TRUE(whole->growing().unite(source->growing()));
    whole->set_loaded(whole->payload_bytes());
    const std::string bytes = saved(*source);
    add_keys(*whole, 108'000, 200'000);
    EXPECT_EQ(maybes_of_keys(*whole, 0, static_cast<int>(source->keys())), static_cast<int>(source->keys()));
    EXPECT_EQ(maybes_of_keys(*whole, 100'000, 200'000), 100'000);
    EXPECT_EQ(saved(*source), bytes) << "a source does not change";
    const auto again = loaded(saved(*whole));
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(saved(*again), saved(*whole));
  }
}

// ---- the schedule

TEST(LayerSchedules, ShareAtMostTheFppAmongAllLayers) {
  for (const std::uint64_t capacity : {1ULL, 100ULL, 30'000ULL, 100'000'000ULL}) {
    for (const std::uint32_t expansion : {1U, 2U, 3U, 4U, 10U, 32'768U}) {
      const GrowingPlan plan{.capacity = capacity, .fpp = 0.01, .expansion = expansion, .hash = {}};
      LayersBefore before;
      double sum = 0;
      while (before.count < kMostLayers) {
        const LayerStep step = next_layer_step(plan, before);
        ASSERT_GE(step.capacity, std::min(before.capacity / 8, kMostCapacity));
        ASSERT_GT(step.fpp, 0);
        sum += step.fpp;
        before.capacity += step.capacity;
        before.last_capacity = step.capacity;
        ++before.count;
      }
      EXPECT_LE(sum, 0.01 * (1 + 1e-12)) << capacity << " " << expansion;
      EXPECT_GE(sum, 0.0099) << capacity << " " << expansion;
    }
  }
}

TEST(LayerSchedules, AUnionGrowsOnFromItsOwnLastLayer) {
  const GrowingPlan plan{.capacity = 100, .fpp = 0.01, .expansion = 4, .hash = {}};
  const LayerStep own = next_layer_step(plan, {.count = 3, .capacity = 2100, .last_capacity = 1600});
  const LayerStep united = next_layer_step(plan, {.count = 10, .capacity = 9000, .last_capacity = 1600});
  EXPECT_EQ(own.capacity, 6400u);
  EXPECT_EQ(united.capacity, own.capacity);
  EXPECT_EQ(united.fpp, own.fpp);
}

// These numbers decide the bytes of every filter that grows.
TEST(LayerSchedules, NeverChange) {
  const GrowingPlan plan{.capacity = 100, .fpp = 0.01, .expansion = 4, .hash = {}};
  const LayerStep fifth = next_layer_step(plan, {.count = 4, .capacity = 8500, .last_capacity = 6400});
  EXPECT_EQ(fifth.capacity, 25'600u);
  EXPECT_EQ(fifth.fpp, 0.00201952788802349);
  EXPECT_EQ(late_fingerprint_bits(750, 25'600, 0.001), 30u);
  EXPECT_EQ(late_bits_hash(0), 0xe220a8397b1dcdafu) << "the first number of SplitMix64 with seed 0";
}

}  // namespace
}  // namespace bloomery::redis_module
