// FuseFilter and FuseBuilder: the same bytes however they are built, parts and their union, damage.
#include "bloomery/filter/fuse_filter.h"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/fuse_builder.h"
#include "filter/native/native_header.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

TEST(FuseFilter, TheWorkedExample) {
  const std::vector<std::string> fruits = {"apple", "banana", "cherry"};
  const FuseFilter filter = *FuseFilter::build(fruits, 1.0 / 256);
  for (const std::string& fruit : fruits) {
    EXPECT_TRUE(filter.may_contain(fruit));
  }
  EXPECT_EQ(filter.inserted(), 3u);
  EXPECT_EQ(filter.shape().bits, 8u);
  EXPECT_EQ(filter.current_fpp(), 1.0 / 256);
  EXPECT_EQ(filter.keys_set_aside(), 0u);
}

TEST(FuseFilter, AnFppIsRoundedDown) {
  const auto bits = [](double fpp) { return FuseFilter::build(std::vector<int>{1}, fpp)->shape().bits; };
  EXPECT_EQ(bits(0.9), 4u);
  EXPECT_EQ(bits(1.0 / 16), 4u);
  EXPECT_EQ(bits(0.01), 7u);
  EXPECT_EQ(bits(1.0 / 128), 7u);
  EXPECT_EQ(bits(std::ldexp(1.0, -32)), 32u);
  EXPECT_EQ(FuseFilter::build(std::vector<int>{1}, std::ldexp(0.99, -32)).error().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_FALSE(FuseFilter::build(std::vector<int>{1}, 0.0));
  EXPECT_FALSE(FuseFilter::build(std::vector<int>{1}, 1.0));
}

TEST(FuseFilter, WithoutKeysItAnswersNo) {
  const FuseFilter filter = *FuseFilter::build(std::vector<int>{}, 0.01);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(filter.may_contain(i));
  }
  EXPECT_EQ(filter.current_fpp(), 0);
  EXPECT_EQ(filter.byte_size(), 0u);
}

TEST(FuseFilter, OrderRepeatsThreadsAndMemoryDoNotChangeItsBytes) {
  std::vector<Hash128> hashes = numbered_hashes(0, 2'300'000);
  const FuseFilter filter = *FuseFilter::build_from_hashes(hashes, 0.01, {.threads = 1});
  EXPECT_EQ(filter.shard_count(), 2u);
  EXPECT_EQ(maybes(filter, std::span(hashes).first(100'000)), 100'000u);
  const std::string bytes = serialized(filter);

  std::mt19937_64 random(kTestSeed);
  hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + 200'000);
  std::shuffle(hashes.begin(), hashes.end(), random);
  EXPECT_EQ(serialized(*FuseFilter::build_from_hashes(hashes, 0.01, {.threads = 3})), bytes);
}

// More keys than the memory holds.
TEST(FuseFilter, IsBuiltOutOfCoreToTheSameBytes) {
  const TestFolder folder;
  const std::vector<Hash128> hashes = numbered_hashes(0, 8'500'000);
  FuseBuilder builder = *FuseBuilder::create(
      0.01, {.capacity = hashes.size(), .memory_bytes = kMinFuseMemory, .spool_directory = folder.path("")});
  ASSERT_TRUE(builder.add(hashes));
  EXPECT_GT(builder.spooled_bytes(), 0u);
  const Result<StaticBuildWritten> written = builder.finish(folder.path("f"));
  ASSERT_TRUE(written) << written.error().to_string();
  EXPECT_EQ(written->keys, hashes.size());
  FuseBuilder in_memory =
      *FuseBuilder::create(0.01, {.capacity = hashes.size(), .memory_bytes = kUnlimitedMemory});
  ASSERT_TRUE(in_memory.add(hashes));
  EXPECT_EQ(in_memory.spooled_bytes(), 0u);
  EXPECT_TRUE(folder.read("f") == serialized(*in_memory.finish()));
}

// 10^6 equal keys, and keys whose hashes collide in 64 bits.
TEST(FuseFilter, EqualHashesAreOneKey) {
  std::vector<Hash128> hashes(1'000'000, {.low = 42, .high = 1});
  hashes.push_back({.low = 42, .high = 2});
  const FuseFilter filter = *FuseFilter::build_from_hashes(hashes, 0.01);
  EXPECT_EQ(filter.inserted(), 1u);
  EXPECT_TRUE(filter.may_contain(hashes.back()));
}

TEST(FuseFilter, PartsAreTheBytesOfTheWhole) {
  const std::vector<Hash128> hashes = numbered_hashes(0, 3'300'000);
  const auto build = [&](std::uint32_t part, std::uint32_t parts) {
    FuseBuilder builder = *FuseBuilder::create(
        1.0 / 256, {.capacity = 3'300'000, .memory_bytes = kUnlimitedMemory, .part = part, .parts = parts});
    EXPECT_TRUE(builder.add(hashes));
    return *builder.finish();
  };
  const FuseFilter whole = build(1, 1);
  const FuseFilter first = build(1, 2);
  const FuseFilter second = build(2, 2);
  EXPECT_FALSE(first.is_whole());
  EXPECT_EQ(maybes(first, std::span(hashes).first(10'000)), 10'000u);  // keys of the other part too
  const TestFolder folder;
  const FuseFilter* const parts[] = {&second, &first};
  EXPECT_TRUE(serialized(*FuseFilter::concatenate(parts)) == serialized(whole));
  ASSERT_TRUE(FuseFilter::concatenate(parts, folder.path("f")));
  EXPECT_TRUE(folder.read("f") == serialized(whole));

  AnyFilter any = build(1, 2);
  ASSERT_TRUE(any.merge(build(2, 2)));
  EXPECT_TRUE(serialized(any.native()) == serialized(whole));
  const FuseFilter* const twice[] = {&first, &first};
  const Result<FuseFilter> refused = FuseFilter::concatenate(twice);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().detail().find("found two with shard 0: fuse filters"), std::string::npos)
      << refused.error().to_string();
}

TEST(FuseFilter, ADenseOneIsNotMergedWithAFastOne) {
  const FilterOptions dense{.setting = BlockedSetting::kDense};
  AnyFilter filter = *FuseFilter::build(std::vector<int>{1, 2}, 0.01);
  const AnyFilter other = *FuseFilter::build(std::vector<int>{1, 2}, 0.01, dense);
  EXPECT_EQ(filter.type_name(), "fuse");
  EXPECT_EQ(other.type_name(), "fuse:dense");
  EXPECT_NE(filter.merge(other).error().detail().find("found a whole one: fuse filters"), std::string::npos);
}

// Flips every byte of a file, one at a time. No key is denied, and no damage stays unseen.
TEST(FuseDamage, NoFlippedByteIsBelieved) {
  for (const FilterOptions& options : {FilterOptions{}, FilterOptions{.setting = BlockedSetting::kDense}}) {
    for (const double fpp : {1.0 / 256, 1.0 / 1024}) {
      const std::vector<Hash128> keys = numbered_hashes(0, 300);
      FileBytes bytes(serialized(*FuseFilter::build_from_hashes(keys, fpp, options)));
      for (std::size_t i = 0; i < bytes.span().size(); ++i) {
        for (const char flip : {'\1', '\xff'}) {
          bytes.bytes()[i] ^= static_cast<std::byte>(flip);
          const Result<FuseFilter> opened = FuseFilter::view(bytes.span());
          if (i < kNativeHeaderBytes) {
            ASSERT_FALSE(opened) << "byte " << i;
          } else {
            ASSERT_TRUE(opened) << "byte " << i << ": " << opened.error().to_string();
            ASSERT_EQ(maybes(*opened, keys), keys.size()) << "byte " << i;
            ASSERT_EQ(opened->verify().error().code(), ErrorCode::kCorruption) << "byte " << i;
          }
          bytes.bytes()[i] ^= static_cast<std::byte>(flip);
        }
      }
      EXPECT_TRUE(FuseFilter::view(bytes.span())->verify());
    }
  }
}

TEST(FuseDamage, NoCutFileIsBelieved) {
  const std::string bytes = serialized(*FuseFilter::build_from_hashes(numbered_hashes(0, 300), 0.01));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const FileBytes cut(bytes.substr(0, size));
    ASSERT_FALSE(FuseFilter::view(cut.span())) << size;
  }
}

// An entry that its checksums hide is refused by its sizes, or its shard is believed: then no read leaves the
// payload.
TEST(FuseDamage, AnEntryOfAnySizesIsRefusedOrSafe) {
  std::mt19937_64 random(kTestSeed);
  const std::string bytes = serialized(*FuseFilter::build_from_hashes(numbered_hashes(0, 300), 0.01));
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    FileBytes file(bytes);
    const std::size_t at = native_header::kSoleEntryAt + 4 + random() % 12;
    const auto flip = static_cast<std::uint8_t>(round % 2 == 0 ? random() : std::uint64_t{1} << random() % 8);
    file.set_header_field(at,
                          static_cast<std::uint8_t>(std::to_integer<std::uint8_t>(file.bytes()[at]) ^ flip));
    const Result<FuseFilter> opened = FuseFilter::view(file.span(), {.verify = Verify::kHeaderOnly});
    if (opened) {
      ++accepted;
      (void)maybes(*opened, numbered_hashes(0, 100));
    }
  }
  EXPECT_GT(accepted, 100);  // those of another seed
}

}  // namespace
}  // namespace bloomery
