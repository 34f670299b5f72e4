// Fronts whose checksum is right and whose fields do not fit: what a stranger might send, or a later version might mean. And what a
// growing filter refuses by itself.
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "redis_module/value_bytes.h"
#include "tests/base/test_bytes.h"
#include "tests/redis_module/rdb_in_memory.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

// Offsets in a front of version 3 whose record is empty (docs/formats/redis-module.md).
constexpr std::size_t kLoaded = 8;
constexpr std::size_t kLease = 16;
constexpr std::size_t kRecordSize = 24;
constexpr std::size_t kPlan = 26;
constexpr std::size_t kSchedule = kPlan + 22;
constexpr std::size_t kLayers = kPlan + 48;
constexpr std::size_t kLayer = kPlan + 56;
constexpr std::size_t kLayerSize = 40;

class Fronts : public ::testing::Test {
 protected:
  Fronts() : value(growing_value(3000, 4)) {
    add_keys(*value, 0, 5000);  // a full layer, and one in pieces
    good = front_bytes(*value);
  }
  template <typename T>
  T field(std::size_t at) const {
    return load_little<T>(bytes_of(good).data() + at);
  }
  // Whether a front is refused after a change, with the checksum that it should have.
  bool is_refused(const std::function<void(std::string&)>& change) const {
    std::string front = good.substr(0, good.size() - 4);
    change(front);
    std::array<std::byte, 4> crc;
    store_little(crc.data(), crc32c(bytes_of(front)));
    front.append(reinterpret_cast<const char*>(crc.data()), crc.size());
    return !read_front(bytes_of(front));
  }
  template <typename T>
  bool is_refused_with(std::size_t at, T number) const {
    return is_refused(
        [&](std::string& front) { store_little(reinterpret_cast<std::byte*>(front.data()) + at, number); });
  }

  std::unique_ptr<FilterValue> value;
  std::string good;
};

TEST_F(Fronts, AreTakenAsTheyAreAndRefusedWithFieldsThatDoNotFit) {
  ASSERT_EQ(value->layer_count(), 2U);
  ASSERT_EQ(field<std::uint16_t>(4), 3) << "version";
  ASSERT_EQ(field<std::uint32_t>(kLayers), 2U);
  const auto capacity = field<std::uint64_t>(kLayer + 8);
  ASSERT_EQ(capacity, 3000U);
  EXPECT_FALSE(is_refused([](std::string&) {}));
  for (const unsigned schedule : {2U, 3U, 7U, 256U, 65535U}) {
    EXPECT_TRUE(is_refused_with(kSchedule, static_cast<std::uint16_t>(schedule))) << schedule;
  }
  for (const unsigned version : {0U, 4U, 255U, 65535U}) {
    EXPECT_TRUE(is_refused_with(4, static_cast<std::uint16_t>(version))) << version;
  }
  for (const std::uint32_t layers : {0U, 1U, 3U, 1025U, ~0U}) {
    EXPECT_TRUE(is_refused_with(kLayers, layers)) << layers;
  }
  EXPECT_FALSE(is_refused_with(kLayer, capacity));
  EXPECT_TRUE(is_refused_with(kLayer, capacity + 1)) << "more keys than the layer takes";
  for (const std::size_t layer : {std::size_t{0}, std::size_t{1}}) {
    for (const int shift : {33, 34, 40, 60}) {
      EXPECT_TRUE(is_refused_with(kLayer + layer * kLayerSize + 24, std::uint64_t{1} << shift))
          << layer << " " << shift;
    }
  }
  EXPECT_TRUE(is_refused([](std::string& front) { front.push_back('\0'); })) << "a state too many";
  EXPECT_TRUE(is_refused([](std::string& front) { front.pop_back(); })) << "a state too few";
  EXPECT_FALSE(is_refused_with(kLoaded, value->payload_bytes()));
  EXPECT_TRUE(is_refused_with(kLoaded, value->payload_bytes() + 1));
  EXPECT_TRUE(is_refused_with(kLease, ~std::uint64_t{0}));
  EXPECT_TRUE(is_refused_with(kRecordSize, std::uint16_t{513}));
}

TEST_F(Fronts, HaveARecordOfTheSizeThatTheyName) {
  const auto with_record = [&](std::size_t said, std::size_t size) {
    return is_refused([&](std::string& front) {
      front.insert(kPlan, size, 'r');
      store_little(reinterpret_cast<std::byte*>(front.data()) + kRecordSize,
                   static_cast<std::uint16_t>(said));
    });
  };
  EXPECT_FALSE(with_record(5, 5));
  EXPECT_FALSE(with_record(512, 512));
  EXPECT_TRUE(with_record(513, 513));
  EXPECT_TRUE(with_record(5, 4));
  EXPECT_TRUE(with_record(65535, 0));
}

TEST_F(Fronts, OfVersion2HaveARecord) {
  FilterValue planned(*growing_value(1000, 0));
  planned.set_record("r");
  const std::string front = front_bytes(planned);
  ASSERT_EQ(load_little<std::uint16_t>(bytes_of(front).data() + 4), 2);
  good = front;
  EXPECT_FALSE(is_refused([](std::string&) {}));
  EXPECT_TRUE(is_refused_with(4, std::uint16_t{4})) << "a later version that looks the same";
  EXPECT_TRUE(is_refused([](std::string& bytes) {
    bytes.erase(kPlan, 1);
    bytes[kRecordSize] = 0;
  }));
}

// A load that stopped inside a piece cannot go on: chunks hold whole pieces.
TEST_F(Fronts, ThatSayALoadStoppedInsideAPieceTakeNoChunk) {
  const std::uint64_t first = value->layer_bytes(0);
  for (const std::uint64_t within : {std::uint64_t{1}, std::uint64_t{8}}) {
    std::string front = good.substr(0, good.size() - 4);
    store_little(reinterpret_cast<std::byte*>(front.data()) + kLoaded, first + within);
    std::array<std::byte, 4> crc;
    store_little(crc.data(), crc32c(bytes_of(front)));
    front.append(reinterpret_cast<const char*>(crc.data()), crc.size());
    auto half = read_front(bytes_of(front));
    ASSERT_TRUE(half);
    const std::vector<std::byte> rest(value->payload_bytes() - first - within);
    EXPECT_FALSE((*half)->load_payload(first + within, rest));
    EXPECT_EQ((*half)->loaded(), first + within);
  }
}

TEST(MarkedChunks, OfAnotherPlaceOfTheSameFilterAreRefused) {
  const auto whole = growing_value(3'000'000, 0);
  add_keys(*whole, 0, 1000);
  const auto first = scan_step(*whole, 1);
  const auto second = scan_step(*whole, first->iterator);
  ASSERT_EQ(first->bytes.size(), second->bytes.size());
  auto copy = load_header(scan_step(*whole, 0)->bytes);
  EXPECT_FALSE(load_chunk(**copy, first->iterator, second->bytes));
  EXPECT_TRUE(load_chunk(**copy, first->iterator, first->bytes));
  EXPECT_FALSE(load_chunk(**copy, second->iterator, first->bytes));
  EXPECT_TRUE(load_chunk(**copy, second->iterator, second->bytes));
}

TEST_F(Fronts, LoadedOnesTakeAsMuchMemoryAsTheirSources) {
  use_rdb_in_memory();
  int keys = 5000;
  while (!value->growing().layers().back().late || !value->growing().layers().back().late->is_all_bits()) {
    add_keys(*value, keys, keys + 100);
    keys += 100;
  }
  const auto again = loaded(saved(*value));
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(again->growing().layers().back().late->is_all_bits());
  EXPECT_EQ(again->memory_bytes(), value->memory_bytes());
}

// ---- what a growing filter refuses

TEST(GrowingFilters, OfMoreThan2To39BitsAreRefusedBeforeTheyAreMade) {
  GrowingPlan plan{.capacity = 1'000'000'000, .fpp = 0.001, .expansion = 0, .hash = {}};
  EXPECT_TRUE(GrowingFilter::bytes_of(plan));
  plan.capacity = kMostCapacity;
  const auto refused = GrowingFilter::bytes_of(plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kCapacity);
}

TEST(GrowingFilters, AreUnitedUpTo1024LayersAndWithTheSameHashOnly) {
  const auto value = growing_value(100, 4);
  add_keys(*value, 0, 90);
  GrowingFilter whole = value->growing();
  while (whole.layers().size() * 2 <= kMostLayers) {
    ASSERT_TRUE(whole.unite(GrowingFilter(whole)));
  }
  ASSERT_EQ(whole.layers().size(), kMostLayers);
  const Status refused = whole.unite(value->growing());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(whole.layers().size(), kMostLayers);
  GrowingPlan other = value->growing().plan();
  other.hash.seed += 1;
  EXPECT_FALSE(GrowingFilter(value->growing()).unite(*GrowingFilter::create(other)));
}

TEST(GrowingFilters, WhoseLayersAreBitsGrowUpToTheirLimit) {
  GrowingFilter filter = *GrowingFilter::create(
      {.capacity = 1000, .fpp = 0.01, .expansion = 2, .hash = {}, .schedule = Schedule::kByIndex});
  constexpr std::uint64_t kLimit = 10'000;
  std::uint64_t last = 0;
  std::vector<Added> outcome(1);
  for (std::uint64_t i = 1; outcome[0] == Added::kNew || outcome[0] == Added::kKnown; ++i) {
    ASSERT_LT(i, 100'000U);
    const Hash128 hash = {.low = i * 0x9e3779b97f4a7c15, .high = i};
    ASSERT_EQ(filter.add({&hash, 1}, kLimit, outcome), 1U);
    ASSERT_LE(filter.payload_bytes(), kLimit);
    last = i;
  }
  EXPECT_EQ(outcome[0], Added::kOverLimit);
  EXPECT_GT(last, 3000U);
  GrowingFilter fixed = *GrowingFilter::create({.capacity = 100, .fpp = 0.01, .expansion = 0, .hash = {}});
  outcome[0] = Added::kNew;
  for (std::uint64_t i = 1; i < 200 && outcome[0] != Added::kFull; ++i) {
    const Hash128 hash = {.low = i * 0x9e3779b97f4a7c15, .high = i};
    ASSERT_EQ(fixed.add({&hash, 1}, kAnySize, outcome), 1U);
  }
  EXPECT_EQ(outcome[0], Added::kFull);
  EXPECT_EQ(fixed.layers().size(), 1U);
}

}  // namespace
}  // namespace bloomery::redis_module
