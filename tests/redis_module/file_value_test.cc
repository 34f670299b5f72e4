// A file that was damaged before it was announced is refused when its load ends. Values that were saved load again.
#include "redis_module/file_value.h"

#include <array>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/ribbon_filter.h"
#include "tests/redis_module/file_values.h"

namespace bloomery::redis_module {
namespace {

Status load(const std::string& file) {
  const auto value = loaded_value(file, file.size());
  return value ? Status() : Status(value.error());
}

TEST(FileValue, EveryDamagedByteOfTheExceptionsIsRefused) {
  AnyFilter filter(*BlockedBloomFilter::for_capacity(1000, 1e-6));
  ASSERT_TRUE(filter.insert(std::string_view("a key")));
  const std::array denied = {filter.hash(std::string_view("a key"))};
  ASSERT_TRUE(filter.add_as_exceptions(denied));
  std::string whole;
  filter.serialize(whole);
  ASSERT_TRUE(load(whole));
  const NativeHeader header = header_of(whole);
  ASSERT_GT(header.exception_bytes, 0U);
  for (std::uint64_t i = 0; i < header.exception_bytes; ++i) {
    std::string damaged = whole;
    char& byte = damaged[header.exception_offset() + i];
    byte = static_cast<char>(byte ^ 0x10);
    EXPECT_FALSE(load(damaged)) << "byte " << i << " of the exceptions";
  }
}

TEST(FileValue, EveryDamagedByteOfTheNoteIsRefused) {
  AnyFilter filter(*BloomFilter::for_capacity(10, 0.1));
  ASSERT_TRUE(filter.set_metadata("a note"));
  std::string whole;
  filter.serialize(whole);
  ASSERT_TRUE(load(whole));
  for (std::size_t i = whole.size() - 6; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_FALSE(load(damaged)) << i;
  }
}

// A quotient file proves its tables as they come. Whatever byte of the payload is damaged, and has a checksum that vouches for
// it, the file is refused or all its answers are in bounds.
TEST(FileValue, ATableOfAQuotientFileIsProvenWhenItHasCome) {
  AnyFilter filter(*QuotientFilter::for_capacity(1000, 0.01));
  for (int i = 0; i < 900; ++i) {
    ASSERT_TRUE(filter.insert("key " + std::to_string(i)));
  }
  std::string whole;
  filter.serialize(whole);
  ASSERT_TRUE(load(whole));
  const NativeHeader header = header_of(whole);
  std::size_t refused = 0;
  for (std::uint64_t i = 0; i < header.payload_bytes; ++i) {
    const std::string changed = damaged(whole, header.payload_offset() + i);
    refused += load(changed) ? 0U : 1U;
    EXPECT_EQ(load(changed).has_value(), AnyFilter::view(bytes_of(changed)).has_value()) << i;
  }
  EXPECT_GT(refused, header.payload_bytes / 4);
}

// ---- RDB

std::string small_file() {
  AnyFilter filter(*CountingBloomFilter::for_capacity(20, 0.1));
  EXPECT_TRUE(filter.insert(std::string_view("a key")));
  EXPECT_TRUE(filter.set_metadata("note"));
  const std::array denied = {filter.hash(std::string_view("denied"))};
  EXPECT_TRUE(filter.add_as_exceptions(denied));
  std::string bytes;
  filter.serialize(bytes);
  return bytes;
}

// What the first release with this type saved of a file.
std::string saved_by_version_1(const std::string& file) {
  return saved_as(file, 1);
}

TEST(FileValue, AValueThatWasSavedBeforeFilesTookItemsLoadsAndTakesSome) {
  use_rdb_in_memory();
  const std::string file = small_file();
  const std::string rdb = saved_by_version_1(file);
  const auto value = from_rdb(rdb);
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(to_rdb(*value), rdb) << "a file that has taken no items is saved as it was";
  const auto keys = *value->keys_of(std::array<std::string_view, 3>{"another", "denied", "a key"});
  std::array<Added, 3> outcomes{};
  EXPECT_EQ(value->taking_items()->insert(keys, ~std::uint64_t{0}, outcomes), 3U);
  const std::string now = to_rdb(*value);
  EXPECT_NE(now, rdb);
  const auto again = from_rdb(now);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->read(0, again->size()), value->read(0, value->size()));
  EXPECT_EQ(to_rdb(*again), now);
}

TEST(FileValue, EveryDamagedOrMissingByteOfASavedValueIsRefused) {
  use_rdb_in_memory();
  const auto value = from_rdb(saved_by_version_1(small_file()));
  ASSERT_NE(value, nullptr);
  const auto keys = *value->keys_of(std::array<std::string_view, 1>{"denied"});
  std::array<Added, 1> outcomes{};
  EXPECT_EQ(value->taking_items()->insert(keys, ~std::uint64_t{0}, outcomes), 1U);
  const std::string rdb = to_rdb(*value);
  for (std::size_t i = 0; i < rdb.size(); ++i) {
    std::string damaged = rdb;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_EQ(from_rdb(damaged), nullptr) << i;
    EXPECT_EQ(from_rdb(rdb.substr(0, i)), nullptr) << i;
  }
}

// Headers whose checksums are right and that a server cannot take.
TEST(FileValue, HeadersThatNoServerTakesAreRefused) {
  const std::string file = small_file();
  const NativeHeader good = *parse_native_header(bytes_of(file).first(kNativeHeaderBytes), file.size());
  const auto begun = [](const NativeHeader& header, const std::optional<HashSecret>& secret = {}) {
    return FileValue::begin(encode(header), 0, secret, kMostChunkBytes);
  };
  EXPECT_TRUE(begun(good));
  EXPECT_FALSE(begun(good, HashSecret())) << "the file is not keyed";
  NativeHeader dirty = good;
  dirty.dirty = true;
  EXPECT_FALSE(begun(dirty));
  NativeHeader of_urls = good;
  of_urls.keys.form = KeyForm::kUrl;
  EXPECT_FALSE(begun(of_urls));
  EXPECT_FALSE(FileValue::begin(encode(good), 0, std::nullopt, file.size() - 1))
      << "beyond the limit of a key";
}

// What a server saves and copies of a copy is what it saves of the value, for files that take items and for those that do not.
TEST(FileValue, ACopyIsSavedAsItsSource) {
  use_rdb_in_memory();
  std::string ribbon;
  RibbonFilter::build(std::vector<std::string>{"a", "b", "c"}, 0.01)->serialize(ribbon);
  for (const std::string& file : {small_file(), ribbon}) {
    const auto value = from_rdb(saved_by_version_1(file));
    ASSERT_NE(value, nullptr);
    const auto copy = value->copy();
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(to_rdb(*copy), to_rdb(*value));
    EXPECT_EQ(copy->taken(), file.size());
    const auto again = from_rdb(to_rdb(*copy));
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(to_rdb(*again), to_rdb(*value));
    const auto moved = again->moved();
    EXPECT_EQ(to_rdb(*moved), to_rdb(*value));
  }
}

// A load goes on only for the same file under the same secret.
TEST(FileValue, ALoadIsTheSameWithTheSameHeaderChecksumAndSecret) {
  const HashSecret one = {.bytes = {1}};
  AnyFilter filter(*BlockedBloomFilter::for_capacity(20, 0.1, {.hash = keyed_hash(one)}));
  std::string file;
  filter.serialize(file);
  const auto header = bytes_of(file).first(kNativeHeaderBytes);
  const auto begun = [&](std::uint32_t crc) { return *FileValue::begin(header, crc, one, kMostChunkBytes); };
  EXPECT_TRUE(begun(7)->is_same(*begun(7)));
  EXPECT_FALSE(begun(7)->is_same(*begun(8)));
  EXPECT_FALSE(FileValue::begin(header, 7, std::nullopt, kMostChunkBytes));
  EXPECT_FALSE(FileValue::begin(header, 7, HashSecret{.bytes = {2}}, kMostChunkBytes));
}

}  // namespace
}  // namespace bloomery::redis_module
