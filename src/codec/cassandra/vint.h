// Cassandra's unsigned variable-length integers, from version ma on.
//
//   0xxxxxxx                     7 bits
//   10xxxxxx 8 bits             14 bits
//   ...
//   11111111 and 8 bytes        64 bits
//
// The leading one-bits of the first byte are the number of bytes that follow. Its other bits are the highest
// of the value; the bytes after it are big-endian. Source: docs/formats/cassandra.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

struct CassandraVint {
  std::uint64_t value = 0;
  std::size_t size_bytes = 0;  // 0 if the bytes end before the integer does
};

inline CassandraVint read_cassandra_vint(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return {};
  }
  const auto first = std::to_integer<std::uint8_t>(bytes[0]);
  const auto more = static_cast<std::size_t>(std::countl_one(first));
  if (bytes.size() <= more) {
    return {};
  }
  std::uint64_t value = more >= 7 ? 0 : first & (0xffU >> more);
  for (std::size_t i = 1; i <= more; ++i) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return {.value = value, .size_bytes = more + 1};
}

}  // namespace bloomery
