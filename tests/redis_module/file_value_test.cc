// A file whose exceptions were damaged before it was announced is refused when its load ends.
#include "redis_module/file_value.h"

#include <array>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/crc32c.h"

namespace bloomery::redis_module {
namespace {

std::span<const std::byte> bytes_of(const std::string& file) {
  return std::as_bytes(std::span(file));
}

// Loads a file in one chunk, announced by the checksum of the bytes as they are.
Status load(const std::string& file) {
  const std::uint32_t crc = crc32c(bytes_of(file));
  auto value = FileValue::begin(bytes_of(file).first(kNativeHeaderBytes), crc, std::nullopt, kMostChunkBytes);
  if (!value) {
    return value.error();
  }
  if (Status took = (*value)->take(0, crc, bytes_of(file)); !took) {
    return took;
  }
  return (*value)->finish();
}

TEST(FileValue, EveryDamagedByteOfTheExceptionsIsRefused) {
  AnyFilter filter(*BlockedBloomFilter::for_capacity(1000, 1e-6));
  ASSERT_TRUE(filter.insert(std::string_view("a key")));
  const std::array denied = {filter.hash(std::string_view("a key"))};
  ASSERT_TRUE(filter.add_as_exceptions(denied));
  std::string whole;
  filter.serialize(whole);
  ASSERT_TRUE(load(whole));
  const NativeHeader header = *parse_native_header(bytes_of(whole).first(kNativeHeaderBytes), whole.size());
  ASSERT_GT(header.exception_bytes, 0U);
  for (std::uint64_t i = 0; i < header.exception_bytes; ++i) {
    std::string damaged = whole;
    char& byte = damaged[header.exception_offset() + i];
    byte = static_cast<char>(byte ^ 0x10);
    EXPECT_FALSE(load(damaged)) << "byte " << i << " of the exceptions";
  }
}

}  // namespace
}  // namespace bloomery::redis_module
