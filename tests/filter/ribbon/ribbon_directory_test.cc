// The directory of a ribbon: what is written is read, and no size in it is believed unchecked.
#include "filter/ribbon/ribbon_directory.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/native/native_header.h"
#include "tests/filter/ribbon/ribbon_table.h"

namespace bloomery {
namespace {

constexpr RibbonEntry kLargest = {.checksum = 0xffffffff,
                                  .blocks = {kMaxBand0Blocks, kMaxBand1Blocks},
                                  .narrow_blocks = {kMaxBand0Blocks, kMaxBand1Blocks},
                                  .tail_slots = kMaxTailSlots,
                                  .tail_is_wide = 1,
                                  .seed = kMaxRibbonSeed};

RibbonEntry round_trip(const RibbonEntry& entry) {
  std::array<std::byte, kShardEntryBytes> bytes{};
  encode_ribbon_entry(entry, bytes.data());
  return decode_ribbon_entry(bytes.data());
}

// Each field at 0, 1 and its greatest value between neighbours at 0 and at theirs: none spills into another.
TEST(RibbonDirectory, EveryFieldRoundTripsAtItsExtremes) {
  for (const RibbonEntry& others : {RibbonEntry{}, kLargest}) {
    EXPECT_EQ(round_trip(others), others);
    const auto check = [&others](auto field, std::uint32_t largest) {
      for (const std::uint32_t value : {0U, 1U, largest / 2, largest - 1, largest}) {
        RibbonEntry entry = others;
        field(entry) = value;
        EXPECT_EQ(round_trip(entry), entry) << value;
      }
    };
    check([](RibbonEntry& e) -> std::uint32_t& { return e.checksum; }, 0xffffffff);
    check([](RibbonEntry& e) -> std::uint32_t& { return e.blocks[0]; }, kMaxBand0Blocks);
    check([](RibbonEntry& e) -> std::uint32_t& { return e.blocks[1]; }, kMaxBand1Blocks);
    check([](RibbonEntry& e) -> std::uint32_t& { return e.narrow_blocks[0]; }, kMaxBand0Blocks);
    check([](RibbonEntry& e) -> std::uint32_t& { return e.narrow_blocks[1]; }, kMaxBand1Blocks);
    check([](RibbonEntry& e) -> std::uint32_t& { return e.tail_slots; }, kMaxTailSlots);
    check([](RibbonEntry& e) -> std::uint32_t& { return e.tail_is_wide; }, 1);
    check([](RibbonEntry& e) -> std::uint32_t& { return e.seed; }, kMaxRibbonSeed);
  }
}

// The bits are where the header comment says, for ever.
TEST(RibbonDirectory, TheBytesAreThoseOfTheFormat) {
  std::array<std::byte, kShardEntryBytes> bytes{};
  encode_ribbon_entry({.checksum = 0x44332211,
                       .blocks = {0x123456, 0x2aaaa},
                       .narrow_blocks = {0x0fedcb, 0x15555},
                       .tail_slots = 0x2ab,
                       .tail_is_wide = 1,
                       .seed = 0x19},
                      bytes.data());
  // 0x44332211 | 0x123456 << 32 | 0x0fedcb << 54 | 0x2aaaa << 76 | 0x15555 << 94 | 0x2ab << 112 | 1 << 122 |
  // 0x19
  // << 123
  const std::array<unsigned, kShardEntryBytes> expected = {0x11, 0x22, 0x33, 0x44, 0x56, 0x34, 0xd2, 0x72,
                                                           0xfb, 0xa3, 0xaa, 0x6a, 0x55, 0x55, 0xab, 0xce};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), expected[i]) << "byte " << i;
  }
}

// Any sixteen bytes are some entry, and give themselves again.
TEST(RibbonDirectory, AnyBytesRoundTrip) {
  std::mt19937_64 random(kRibbonSeed);
  for (int i = 0; i < 1000; ++i) {
    const std::array<std::uint64_t, 2> words = {random(), random()};
    const auto bytes = std::as_bytes(std::span(words));
    std::array<std::byte, kShardEntryBytes> again{};
    encode_ribbon_entry(decode_ribbon_entry(bytes.data()), again.data());
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), again.begin())) << "seed " << kRibbonSeed;
  }
}

constexpr std::uint32_t kDirectoryColumns = 5;

// A payload of these shards, their words 0, of `more_words` more or less than they need.
std::vector<std::uint64_t> payload_of(std::span<const RibbonEntry> entries, int more_words = 0) {
  std::uint64_t words = entries.size() * kShardEntryBytes / 8;
  for (const RibbonEntry& entry : entries) {
    words += shard_words(entry, kDirectoryColumns);
  }
  std::vector<std::uint64_t> payload(words + static_cast<std::uint64_t>(more_words));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    encode_ribbon_entry(entries[i], reinterpret_cast<std::byte*>(payload.data()) + i * kShardEntryBytes);
  }
  return payload;
}

std::vector<RibbonEntry> three_shards() {
  return {{.blocks = {70, 5}, .narrow_blocks = {30, 2}, .tail_slots = 65, .seed = 1},
          {.tail_slots = 3},
          {.blocks = {2, 0}, .narrow_blocks = {2, 0}, .tail_slots = 1023, .tail_is_wide = 1, .seed = 31}};
}

Result<std::vector<RibbonShard>> read(const std::vector<std::uint64_t>& payload, std::uint32_t held) {
  return read_ribbon_directory(std::as_bytes(std::span(payload)).first(held * kShardEntryBytes),
                               held * kShardEntryBytes / 8, payload.size(), kDirectoryColumns);
}

TEST(RibbonDirectory, ShardsFollowEachOther) {
  const auto entries = three_shards();
  const auto shards = read(payload_of(entries), 3);
  ASSERT_TRUE(shards) << shards.error().to_string();
  ASSERT_EQ(shards->size(), 3u);
  // 38 buckets and a tail of 65 * 5 bits take seven words; blocks 75 * 5 columns and 43 wide ones.
  EXPECT_EQ((*shards)[0].front, 6u);
  EXPECT_EQ((*shards)[0].band0, 13u);
  EXPECT_EQ((*shards)[1].front, 13u + 75 * 5 + 43);
  EXPECT_EQ((*shards)[1].band0, (*shards)[1].front + 1);
  EXPECT_EQ((*shards)[2].front, (*shards)[1].band0);
  EXPECT_EQ((*shards)[2].tail_columns, kDirectoryColumns + 1);
  EXPECT_EQ((*shards)[2].narrow0, 2u);
  EXPECT_EQ((*shards)[2].tail_slots, 1023u);
  EXPECT_EQ((*shards)[2].seed, 31u);
  for (const RibbonShard& shard : *shards) {
    EXPECT_EQ(shard.state, static_cast<std::uint8_t>(ShardState::kUnverified));
  }
}

// The error is a corruption, names shard `index`, and points at its entry in the file.
void expect_names_shard(const Result<std::vector<RibbonShard>>& shards, std::uint64_t index) {
  ASSERT_FALSE(shards);
  const Error& error = shards.error();
  EXPECT_EQ(error.code(), ErrorCode::kCorruption) << error.to_string();
  EXPECT_NE(error.detail().find("shard " + std::to_string(index) + ":"), std::string::npos)
      << error.to_string();
  EXPECT_NE(error.detail().find("expected"), std::string::npos) << error.to_string();
  EXPECT_EQ(error.offset(), kNativeHeaderBytes + index * kShardEntryBytes) << error.to_string();
}

TEST(RibbonDirectory, MoreNarrowBlocksThanBlocksNameTheShard) {
  for (std::size_t shard = 0; shard < 3; ++shard) {
    for (const std::size_t band : {0u, 1u}) {
      auto entries = three_shards();
      auto payload = payload_of(entries);
      entries[shard].narrow_blocks[band] = entries[shard].blocks[band] + 1;
      encode_ribbon_entry(entries[shard],
                          reinterpret_cast<std::byte*>(payload.data()) + shard * kShardEntryBytes);
      expect_names_shard(read(payload, 3), shard);
    }
  }
}

TEST(RibbonDirectory, AShardThatIsTooLargeIsNamed) {
  const auto entries = three_shards();
  for (std::size_t shard = 0; shard < 3; ++shard) {
    auto payload = payload_of(entries);
    RibbonEntry huge = kLargest;
    huge.narrow_blocks = {0, 0};
    encode_ribbon_entry(huge, reinterpret_cast<std::byte*>(payload.data()) + shard * kShardEntryBytes);
    expect_names_shard(read(payload, 3), shard);
  }
  expect_names_shard(read(payload_of(entries, -1), 3), 2);  // by one word
}

// The payload goes on behind the last shard: what is named is a shard that exists.
TEST(RibbonDirectory, WordsBehindTheLastShardAreAnErrorThatNamesIt) {
  const auto entries = three_shards();
  for (const int more : {1, 2, 1000}) {
    expect_names_shard(read(payload_of(entries, more), 3), 2);
  }
}

}  // namespace
}  // namespace bloomery
