// Values without a server: what is saved loads again, and every damage of it is refused.
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "filter/blocked/blocked_kernel.h"
#include "redis_module/filter_value.h"
#include "redis_module/settings.h"
#include "redis_module/value_bytes.h"
#include "tests/redis_module/rdb_in_memory.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

std::unique_ptr<FilterValue> value_of(Layout layout, std::uint64_t capacity, std::uint32_t expansion = 2) {
  auto value = make_value(
      {.layout = layout, .plan = {.capacity = capacity, .fpp = 0.01, .expansion = expansion, .hash = {}}},
      kAnySize);
  EXPECT_TRUE(value);
  return std::move(value).value();
}

std::vector<std::string> names(int from, int to) {
  std::vector<std::string> texts;
  for (int i = from; i < to; ++i) {
    texts.push_back("key" + std::to_string(i));
  }
  return texts;
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

void add_names(FilterValue& value, int from, int to) {
  const std::vector<std::string> texts = names(from, to);
  std::vector<Added> outcomes(texts.size());
  ASSERT_EQ(value.add(views(texts), kAnySize, outcomes), texts.size());
}

std::uint64_t maybes_of_names(const FilterValue& value, int from, int to) {
  const std::vector<std::string> texts = names(from, to);
  std::vector<std::uint64_t> answers((texts.size() + 63) / 64);
  value.may_contain(views(texts), 0, answers);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    count += answers[i / 64] >> (i % 64) & 1;
  }
  return count;
}

class Values : public ::testing::TestWithParam<Layout> {
 protected:
  Values() { use_rdb_in_memory(); }
};

TEST_P(Values, GrowWithoutLosingAKeyAndKeepTheirFpp) {
  const auto value = value_of(GetParam(), 100);
  add_names(*value, 0, 100'000);
  EXPECT_EQ(maybes_of_names(*value, 0, 100'000), 100'000u);
  EXPECT_LT(maybes_of_names(*value, 1'000'000, 1'100'000), 1'100u) << "1 % was agreed";
  EXPECT_GT(value->layer_count(), 5u);
  EXPECT_LE(value->current_fpp(), 0.01);
  EXPECT_NEAR(value->estimated_keys(), 100'000, 2'000);
}

TEST_P(Values, ACopySharesItsChunksUntilOneOfBothIsChanged) {
  const auto value = value_of(GetParam(), 4'000'000);
  add_names(*value, 0, 1000);
  const std::uint64_t before = all_page_bytes();
  const FilterValue copy(*value);
  EXPECT_EQ(all_page_bytes(), before);
  const std::string bytes = saved(copy);
  add_names(*value, 1000, 1001);
  EXPECT_GT(all_page_bytes(), before);
  EXPECT_EQ(saved(copy), bytes);
  EXPECT_EQ(maybes_of_names(copy, 1000, 1001), 0u);
  EXPECT_EQ(maybes_of_names(*value, 0, 1001), 1001u);
}

TEST_P(Values, SavedOnesLoadAgain) {
  const auto value = value_of(GetParam(), 3'000'000);
  add_names(*value, 0, 500);
  value->set_lease_until(77);
  value->set_record("a feeder's");
  const auto again = loaded(saved(*value));
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(saved(*again), saved(*value));
  EXPECT_EQ(again->lease_until(), 77);
  EXPECT_EQ(again->record(), "a feeder's");
}

TEST_P(Values, EveryDamagedByteOfASavedValueIsRefused) {
  const auto value = value_of(GetParam(), 20);
  add_names(*value, 0, 200);
  for (const char* const record : {"", "a feeder's"}) {
    value->set_record(record);
    const std::string good = saved(*value);
    ASSERT_NE(loaded(good), nullptr);
    for (std::size_t i = 0; i < good.size(); ++i) {
      for (const int bit : {0, 3, 7}) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
        EXPECT_EQ(loaded(bad), nullptr) << "byte " << i << ", bit " << bit;
      }
    }
  }
}

TEST_P(Values, EveryCutOfASavedValueIsRefused) {
  const auto value = value_of(GetParam(), 20);
  add_names(*value, 0, 100);
  const std::string good = saved(*value);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(loaded(good.substr(0, size)), nullptr) << size;
  }
}

TEST_P(Values, OfANewerModuleAreRefused) {
  EXPECT_EQ(loaded(saved(*value_of(GetParam(), 20)), 2), nullptr);
}

TEST_P(Values, AHalfLoadedOneIsSavedAsSuchAndTakesEachChunkOnce) {
  const auto value = value_of(GetParam(), 3'000'000);
  add_names(*value, 0, 10);
  auto copy = load_header(scan_step(*value, 0)->bytes);
  ASSERT_TRUE(copy);
  const auto first = scan_step(*value, 1);
  ASSERT_TRUE(load_chunk(**copy, first->iterator, first->bytes));
  EXPECT_FALSE(load_chunk(**copy, first->iterator, first->bytes));
  const auto again = loaded(saved(**copy));
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->loaded(), (*copy)->loaded());
  EXPECT_FALSE(again->is_loaded());
}

TEST_P(Values, AHalfLoadedOneAnswersMaybe) {
  const auto value = value_of(GetParam(), 3'000'000);
  add_names(*value, 0, 10);
  auto copy = load_header(scan_step(*value, 0)->bytes);
  ASSERT_TRUE(copy);
  EXPECT_EQ(maybes_of_names(**copy, 5000, 5100), 100u);
  for (std::uint64_t iterator = 1;;) {
    const auto step = scan_step(*value, iterator);
    ASSERT_TRUE(step);
    if (step->iterator == 0) {
      break;
    }
    EXPECT_FALSE((*copy)->is_loaded());
    ASSERT_TRUE(load_chunk(**copy, step->iterator, step->bytes));
    iterator = step->iterator;
  }
  EXPECT_EQ(maybes_of_names(**copy, 5000, 5100), 0u);
  EXPECT_EQ(maybes_of_names(**copy, 0, 10), 10u);
  EXPECT_EQ(saved(**copy), saved(*value));
}

// What the server of the next test was asked. Its functions have no argument for it.
unsigned long defrag_cursor = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::uint64_t defrag_moves = 0;   // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

TEST_P(Values, AreDefragmentedInStepsAndStayTheSame) {
  server.DefragCursorGet = [](DefragContext* /*context*/, unsigned long* cursor) {
    *cursor = defrag_cursor;
    return kOk;
  };
  server.DefragCursorSet = [](DefragContext* /*context*/, unsigned long cursor) {
    defrag_cursor = cursor;
    return kOk;
  };
  server.DefragShouldStop = [](DefragContext* /*context*/) { return 1; };
  server.DefragAlloc = [](DefragContext* /*context*/, void* memory) -> void* {
    ++defrag_moves;
    void* const place = std::malloc(::malloc_usable_size(memory));
    std::memcpy(place, memory, ::malloc_usable_size(memory));
    std::free(memory);
    return place;
  };
  const auto value = value_of(GetParam(), 700'000, 0);  // more than ten pages
  add_names(*value, 0, 90'000);
  const std::string before = saved(*value);
  defrag_cursor = 0;
  defrag_moves = 0;
  void* address = value.get();
  int steps = 1;
  while (type_methods(family_of(GetParam())).defrag(nullptr, nullptr, &address) != 0) {
    ASSERT_LT(++steps, 1000);
  }
  EXPECT_GT(steps, 1);
  EXPECT_GE(defrag_moves, 10u);
  EXPECT_EQ(saved(*value), before);
  const FilterValue copy(*value);
  defrag_moves = 0;
  defrag_cursor = 0;
  static_cast<void>(type_methods(family_of(GetParam())).defrag(nullptr, nullptr, &address));
  EXPECT_EQ(defrag_moves, 0u) << "what a copy shares is not moved";
}

INSTANTIATE_TEST_SUITE_P(Layouts, Values,
                         ::testing::Values(Layout::kBloomery, Layout::kRedisBloom, Layout::kQuotient),
                         [](const auto& layout) {
                           return layout.param == Layout::kBloomery     ? "Bloomery"
                                  : layout.param == Layout::kRedisBloom ? "RedisBloom"
                                                                        : "Quotient";
                         });

class Chunks : public ::testing::TestWithParam<Layout> {};

TEST_P(Chunks, EveryDamagedByteOfAMarkedChunkIsRefused) {
  const auto value = value_of(GetParam(), 100);
  add_names(*value, 0, 50);
  const auto header = scan_step(*value, 0);
  const auto chunk = scan_step(*value, 1);
  for (std::size_t i = 0; i < header->bytes.size(); ++i) {
    auto bad = header->bytes;
    bad[i] ^= std::byte{4};
    EXPECT_FALSE(load_header(bad)) << i;
  }
  for (std::size_t i = 0; i < chunk->bytes.size(); ++i) {
    auto copy = load_header(header->bytes);
    auto bad = chunk->bytes;
    bad[i] ^= std::byte{4};
    EXPECT_FALSE(load_chunk(**copy, chunk->iterator, bad)) << i;
    EXPECT_FALSE(load_chunk(**copy, chunk->iterator, std::span(chunk->bytes).first(i))) << i;
    EXPECT_EQ((*copy)->loaded(), 0u);
  }
}

TEST_P(Chunks, OfAFilterThatHasGrownSinceItsHeaderAreRefused) {
  const auto value = value_of(GetParam(), 100);
  auto copy = load_header(scan_step(*value, 0)->bytes);
  add_names(*value, 0, 500);
  const auto chunk = scan_step(*value, 1);
  EXPECT_FALSE(load_chunk(**copy, chunk->iterator, chunk->bytes));
}

INSTANTIATE_TEST_SUITE_P(Layouts, Chunks, ::testing::Values(Layout::kBloomery, Layout::kQuotient),
                         [](const auto& layout) {
                           return layout.param == Layout::kBloomery ? "Bloomery" : "Quotient";
                         });

// A chunk whose checksums are right and whose table is none: what a stranger might send.
TEST(QuotientChunks, WhoseTableIsNotWholeAreRefused) {
  use_rdb_in_memory();
  const auto value = value_of(Layout::kQuotient, 100);
  add_names(*value, 0, 50);
  const auto header = scan_step(*value, 0);
  const auto chunk = scan_step(*value, 1);
  std::uint64_t refused = 0;
  std::uint64_t words = 0;
  for (std::size_t i = 24; i < chunk->bytes.size(); i += 8, ++words) {
    auto copy = load_header(header->bytes);
    auto bad = chunk->bytes;
    bad[i] ^= std::byte{1};
    store_little(bad.data() + 4, crc32c(std::span(bad).subspan(8)));
    if (load_chunk(**copy, chunk->iterator, bad)) {
      // A remainder of another item: the table is whole, and every call on it ends.
      static_cast<void>(maybes_of_names(**copy, 0, 100));
    } else {
      ++refused;
      EXPECT_EQ((*copy)->loaded(), 0u);
    }
  }
  EXPECT_GT(refused, words / 2);
}

TEST(QuotientChunks, DeletesAreSaved) {
  use_rdb_in_memory();
  const auto value = value_of(Layout::kQuotient, 100);
  add_names(*value, 0, 50);
  EXPECT_EQ(value->remove("key7"), Removed::kYes);
  const auto again = loaded(saved(*value));
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->deletable().deleted(), 1u);
  EXPECT_EQ(again->keys(), 49u);
  EXPECT_EQ(again->remove("key7"), Removed::kAbsent);
}

TEST(QuotientChunks, AHeaderThatNamesAnotherNumberOfLayersIsRefused) {
  auto header = scan_step(*value_of(Layout::kQuotient, 100), 0)->bytes;
  header[72] ^= std::byte{2};
  store_little(header.data() + header.size() - 4, crc32c(std::span(header).first(header.size() - 4)));
  EXPECT_FALSE(load_header(header));
}

TEST(QuotientChunks, KeysOfTheTwoTypesDoNotLoadAsEachOther) {
  use_rdb_in_memory();
  for (const Layout layout : {Layout::kBloomery, Layout::kQuotient}) {
    const Family other = layout == Layout::kQuotient ? Family::kBloom : Family::kDeletable;
    RdbStream stream{.bytes = saved(*value_of(layout, 100))};
    EXPECT_EQ(type_methods(other).rdb_load(&stream, 1), nullptr);
  }
}

TEST(BlockedChunks, ABlockedFilterHasTheBitsOfTheLibrary) {
  // The windows of chunks are those of one table: a filter of the library, opened over the payload, knows all keys.
  const auto value = value_of(Layout::kBloomery, 3'000'000, 0);
  add_names(*value, 0, 20'000);
  const GrowingFilter::Layer& layer = value->growing().layers()[0];
  std::vector<std::byte> payload(layer.bits.size_bytes());
  layer.bits.load(0, payload);
  const BlockedTable table =
      blocked_table(reinterpret_cast<std::uint64_t*>(payload.data()), layer.size.shape);
  for (const std::string& name : names(0, 20'000)) {
    const Hash128 hash = hash_bytes(name, value->growing().plan().hash);
    ASSERT_TRUE(kScalarBlockedKernel.one.may_contain(table, hash.low)) << name;
  }
}

}  // namespace
}  // namespace bloomery::redis_module
