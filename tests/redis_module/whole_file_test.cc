// Exact and windowed files in keys answer as the library does that opens the file, whatever the chunks and the clock are.
// Damage that checksums vouch for is refused where the library refuses it.
#include "filter/any/whole_file.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bloomery/filter/any_filter.h"
#include "filter/windowed/window_ring.h"
#include "tests/filter/windowed/test_clock.h"
#include "tests/redis_module/file_values.h"

namespace bloomery::redis_module {
namespace {

constexpr std::uint64_t kWholeFileSeed = 20261126;

std::string file_of(const AnyFilter& filter) {
  std::string bytes;
  filter.serialize(bytes);
  return bytes;
}

std::string key(int i) {
  return "key " + std::to_string(i);
}

// A whole file over bytes that outlive it.
WholeFile whole_of(const std::string& file) {
  const NativeHeader header = header_of(file);
  WholeFile whole = *WholeFile::begin(header, Room::kWhole);
  EXPECT_TRUE(whole.append(header, bytes_of(file)));
  EXPECT_TRUE(whole.finish(header));
  return whole;
}

// ---- exact

AnyFilter exact_set(FilterType becomes, int keys, int denied) {
  AnyFilter set =
      *make_filter({.type = becomes, .capacity = 5000, .fpp = 0.01, .exact_below = 5000, .options = {}});
  std::vector<Hash128> hashes;
  for (int i = 0; i < keys + denied; ++i) {
    hashes.push_back(set.hash(key(i)));
    for (int times = 0; i < keys && times < 1 + i % 3; ++times) {
      EXPECT_TRUE(set.insert(hashes.back()));
    }
  }
  // Exceptions are keys that the filter of the plan would match, and here also a key that is in.
  if (denied > 0) {
    hashes.push_back(hashes.front());
    EXPECT_TRUE(set.add_as_exceptions(std::span(hashes).last(static_cast<std::size_t>(denied) + 1)));
  }
  return set;
}

TEST(ExactFile, AnswersAsTheSetDoesWhateverTheChunksAre) {
  for (const FilterType becomes : {FilterType::kBlocked, FilterType::kCounting}) {
    for (const int keys : {0, 1, 3000}) {
      const AnyFilter set = exact_set(becomes, keys, keys / 10);
      const std::string file = file_of(set);
      for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, file.size()}) {
        if (chunk < 4096 && keys > 1) {
          continue;
        }
        const auto value = loaded_value(file, chunk);
        ASSERT_TRUE(value) << value.error().to_string();
        const auto copy = (*value)->copy();
        EXPECT_FALSE(copy->takes_items());
        EXPECT_EQ(copy->whole()->counts(), becomes == FilterType::kCounting);
        for (int i = 0; i < 2 * keys + 10; ++i) {
          const Hash128 hash = set.hash(key(i));
          std::uint64_t answer = 0;
          copy->whole()->may_contain({&hash, 1}, {&answer, 1});
          ASSERT_EQ(answer, set.may_contain(hash) ? 1U : 0U) << key(i);
          if (copy->whole()->counts()) {
            ASSERT_EQ(copy->whole()->count(hash), *set.count_at_most(hash)) << key(i);
          }
        }
      }
    }
  }
}

TEST(ExactFile, DamageThatChecksumsVouchForIsRefusedAsTheSetRefusesIt) {
  for (const FilterType becomes : {FilterType::kBlocked, FilterType::kQuotient}) {
    const std::string file = file_of(exact_set(becomes, 40, 0));
    const NativeHeader header = header_of(file);
    std::size_t refused = 0;
    for (std::uint64_t i = 0; i < header.payload_bytes; ++i) {
      const std::string bytes = damaged(file, header.payload_offset() + i);
      const bool is_taken = loaded_value(bytes, 100).has_value();
      refused += is_taken ? 0U : 1U;
      EXPECT_EQ(is_taken, AnyFilter::view(bytes_of(bytes)).has_value()) << i;
    }
    EXPECT_GT(refused, 64U);
  }
}

TEST(ExactFile, ACountThatTheHeaderDoesNotHaveIsRefused) {
  for (const FilterType becomes : {FilterType::kBlocked, FilterType::kCounting}) {
    std::string file = file_of(exact_set(becomes, 40, 0));
    NativeHeader header = header_of(file);
    header.inserted = 39;
    std::ranges::copy(encode(header), std::as_writable_bytes(std::span(file)).begin());
    EXPECT_FALSE(loaded_value(file, file.size()));
    EXPECT_FALSE(AnyFilter::view(bytes_of(file)));
  }
}

// ---- windowed

using std::chrono::hours;

// A filter of the time, with keys in some of its generations.
AnyFilter filter_of_time(TestClock& clock, std::mt19937_64& random, std::uint32_t generations) {
  const Window window = Window::time(hours(10), generations);
  AnyFilter filter(*WindowedFilter::for_capacity(2000, 1e-4, {.window = window, .clock = &clock.clock()}));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(filter.insert(key(i)));
    if (random() % 40 == 0) {
      clock.pass(random() % window.generation_length());
    }
  }
  const std::vector<Hash128> denied = {filter.hash(key(999)), filter.hash(key(5))};
  EXPECT_TRUE(filter.add_as_exceptions(std::span(denied).first(1)));
  return filter;
}

void expect_same_answers(const std::string& file, const WholeFile& whole, const ClockReading& now) {
  const WindowClock clock = [&now] { return now; };
  const AnyFilter opened = *AnyFilter::view(bytes_of(file), {.clock = &clock});
  std::vector<Hash128> hashes;
  for (int i = 0; i < 1100; ++i) {
    hashes.push_back(opened.hash(key(i)));
  }
  std::vector<std::uint64_t> expected((hashes.size() + 63) / 64);
  std::vector<std::uint64_t> answers = expected;
  opened.may_contain_batch(hashes, expected);
  whole.windowed()->may_contain(hashes, answers, now);
  ASSERT_EQ(answers, expected);
  std::uint64_t live = 0;
  const std::vector<WindowGeneration> generations = std::get<WindowedFilter>(opened.variant()).generations();
  std::uint64_t keys = 0;
  for (const WindowGeneration& generation : generations) {
    keys += generation.keys;
    live += generation.keys == 0 ? 0U : 1U;
  }
  ASSERT_EQ(whole.windowed()->remembered(now).keys, keys);
  ASSERT_GE(whole.windowed()->remembered(now).generations, live);
}

TEST(WindowedFile, AnswersAtEveryMomentAsAFilterThatOpensTheFileThen) {
  RecordProperty("seed", std::to_string(kWholeFileSeed));
  std::mt19937_64 random(kWholeFileSeed);
  for (int turn = 0; turn < 60; ++turn) {
    TestClock clock;
    const std::uint32_t generations = turn % 3 == 0 ? 1 : 1 + static_cast<std::uint32_t>(random() % 8);
    const std::string file = file_of(filter_of_time(clock, random, generations));
    const WholeFile whole = whole_of(file);
    const ClockReading written = clock.clock()();
    const auto hour = static_cast<std::uint64_t>(std::chrono::nanoseconds(hours(1)).count());
    for (int moment = 0; moment < 20; ++moment) {
      ClockReading now = written;
      now.since_boot_ns += random() % (15 * hour);
      now.wall_ns += static_cast<std::int64_t>(random() % (30 * hour)) - static_cast<std::int64_t>(15 * hour);
      now.boot_id[0] = static_cast<std::byte>(random() % 3);
      SCOPED_TRACE(testing::Message()
                   << "turn " << turn << ", moment " << moment << ", seed " << kWholeFileSeed);
      ASSERT_NO_FATAL_FAILURE(expect_same_answers(file, whole, now));
    }
  }
}

TEST(WindowedFile, ForgetsOneGenerationAfterTheOther) {
  TestClock clock;
  const Window window = Window::time(hours(4), 4);
  AnyFilter filter(*WindowedFilter::for_capacity(1000, 1e-6, {.window = window, .clock = &clock.clock()}));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(filter.insert(key(i)));
    clock.pass(i < 4 ? window.generation_length() : 0);
  }
  const std::string file = file_of(filter);
  const WholeFile whole = whole_of(file);
  const auto remembered = [&](const ClockReading& now) {
    std::string text;
    for (int i = 0; i < 5; ++i) {
      const Hash128 hash = filter.hash(key(i));
      std::uint64_t answer = 0;
      whole.windowed()->may_contain({&hash, 1}, {&answer, 1}, now);
      text += answer == 0 ? '0' : '1';
    }
    return text;
  };
  const ClockReading written = clock.clock()();
  EXPECT_EQ(remembered(written), "11111");
  std::string before = "11111";
  for (const char* const left : {"01111", "00111", "00011", "00001", "00000", "00000"}) {
    clock.pass(window.generation_length() - 1);
    EXPECT_EQ(remembered(clock.clock()()), before);
    clock.pass(1);
    EXPECT_EQ(remembered(clock.clock()()), left);
    before = left;
  }
  // A clock behind that of the file, of the same boot and of another one: no time has passed.
  ClockReading behind = written;
  behind.since_boot_ns = 0;
  behind.wall_ns = 0;
  EXPECT_EQ(remembered(behind), "11111");
  behind.boot_id[0] = std::byte{9};
  EXPECT_EQ(remembered(behind), "11111");
  EXPECT_EQ(whole.windowed()->remembered(behind).keys, 5U);
}

TEST(WindowedFile, AWindowOfKeysForgetsNothingMore) {
  AnyFilter filter(*WindowedFilter::for_capacity(0, 1e-6, {.window = Window::keys(100, 4)}));
  for (int i = 0; i < 130; ++i) {
    ASSERT_TRUE(filter.insert(key(i)));
  }
  const std::string file = file_of(filter);
  const WholeFile whole = whole_of(file);
  for (const std::int64_t wall : {std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
    ASSERT_NO_FATAL_FAILURE(expect_same_answers(file, whole, {.since_boot_ns = 1, .wall_ns = wall}));
    EXPECT_EQ(whole.windowed()->remembered({.since_boot_ns = 1, .wall_ns = wall}).generations, 5U);
  }
}

TEST(WindowedFile, DamageThatChecksumsVouchForIsRefusedAsTheFilterRefusesIt) {
  TestClock clock;
  std::mt19937_64 random(kWholeFileSeed);
  const std::vector<std::string> files = {
      file_of(filter_of_time(clock, random, 2)),
      file_of(AnyFilter(*WindowedFilter::for_capacity(0, 0.1, {.window = Window::keys(100, 4)})))};
  for (const std::string& file : files) {
    const NativeHeader header = header_of(file);
    std::size_t refused = 0;
    for (std::uint64_t i = 0; i < WindowRing::front_bytes_for(4); ++i) {
      const std::string bytes = damaged(file, header.payload_offset() + i);
      const auto value = loaded_value(bytes, 100'000);
      refused += value ? 0U : 1U;
      EXPECT_EQ(value.has_value(), AnyFilter::view(bytes_of(bytes)).has_value()) << i;
      if (value) {  // no reading of a clock leads out of the tables
        for (const std::int64_t wall :
             {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
          ASSERT_NO_FATAL_FAILURE(expect_same_answers(
              bytes, *(*value)->whole(), {.since_boot_ns = ~std::uint64_t{0} >> 1, .wall_ns = wall}));
        }
      }
    }
    EXPECT_GT(refused, 20U);
  }
}

// Fields of the header that its own checksum vouches for.
TEST(WholeFile, HeadersThatNoFilterHasAreRefusedAsTheLibraryRefusesThem) {
  TestClock clock;
  std::mt19937_64 random(kWholeFileSeed);
  const std::vector<std::string> files = {
      file_of(exact_set(FilterType::kCounting, 20, 2)), file_of(filter_of_time(clock, random, 2)),
      file_of(AnyFilter(*WindowedFilter::for_capacity(0, 0.1, {.window = Window::keys(100, 4)})))};
  using Change = void (*)(NativeHeader&);
  constexpr Change kChanges[] = {[](NativeHeader& header) { header.hash_count += 1; },
                                 [](NativeHeader& header) { header.hash_count = 100; },
                                 [](NativeHeader& header) { header.bits += 64; },
                                 [](NativeHeader& header) { header.bits += 3 * 5 * 512; },
                                 [](NativeHeader& header) { header.bits = ~std::uint64_t{0}; },
                                 [](NativeHeader& header) { header.capacity += 1; },
                                 [](NativeHeader& header) { header.inserted -= 1; },
                                 [](NativeHeader& header) { header.dirty = true; },
                                 [](NativeHeader& header) { header.stride_bytes = 8; }};
  std::size_t refused = 0;
  for (const std::string& file : files) {
    for (const Change change : kChanges) {
      NativeHeader header = header_of(file);
      change(header);
      std::string bytes = file;
      std::ranges::copy(encode(header), std::as_writable_bytes(std::span(bytes)).begin());
      const bool is_taken = loaded_value(bytes, 1000).has_value();
      refused += is_taken ? 0U : 1U;
      EXPECT_EQ(is_taken, AnyFilter::view(bytes_of(bytes)).has_value());
    }
  }
  EXPECT_GT(refused, 12U);
}

// ---- RDB

TEST(WholeFile, TypesThatCameLaterAreSavedInVersion2) {
  use_rdb_in_memory();
  const std::string quotient = file_of(AnyFilter(*QuotientFilter::for_capacity(100, 0.01)));
  EXPECT_NE(from_rdb(saved_as(quotient, 1)), nullptr);
  EXPECT_EQ(from_rdb(saved_as(quotient, 2)), nullptr);
  const std::vector<std::string> later = {
      file_of(exact_set(FilterType::kCounting, 20, 2)),
      file_of(AnyFilter(*WindowedFilter::for_capacity(0, 0.1, {.window = Window::keys(100, 4)})))};
  for (const std::string& file : later) {
    const std::string rdb = saved_as(file, 2);
    EXPECT_EQ(from_rdb(saved_as(file, 1)), nullptr) << "what a module of before would have to refuse";
    EXPECT_EQ(from_rdb(saved_as(file, 3)), nullptr);
    const auto value = from_rdb(rdb);
    ASSERT_NE(value, nullptr);
    std::string front = value->front();
    auto* const at = reinterpret_cast<std::byte*>(front.data());
    store_little(at + 4, std::uint16_t{3});
    store_little(at + 240, crc32c({at, 240}));
    EXPECT_EQ(FileValue::of_front(bytes_of(front)).error().code(), ErrorCode::kUnsupported);
    RdbStream again;
    file_type_methods().rdb_save(&again, value.get());
    EXPECT_EQ(again.bytes, rdb);
    for (std::size_t i = 0; i < rdb.size(); ++i) {
      std::string wrong = rdb;
      wrong[i] = static_cast<char>(wrong[i] ^ 0x10);
      EXPECT_EQ(from_rdb(wrong), nullptr) << i;
      EXPECT_EQ(from_rdb(rdb.substr(0, i)), nullptr) << i;
    }
  }
}

}  // namespace
}  // namespace bloomery::redis_module
