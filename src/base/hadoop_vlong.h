// Hadoop's integers of one to nine bytes, which HFiles use everywhere.
//
//   value               bytes                                                                example
//   -112 .. 127         one byte, the value itself
//   other positive      b = -112 - n, then n = 1..8 bytes: the value, big-endian             255 = 8f ff
//   other negative      b = -120 - n, then n = 1..8 bytes: its complement, big-endian        -113 = 87 70
//
// n is the fewest bytes that hold the number. Writing uses this shortest form, and reading accepts no other.
// Source: docs/formats/hfile.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace bloomery {

inline constexpr std::size_t kMaxHadoopVlongBytes = 9;

struct HadoopVlong {
  std::int64_t value;
  std::size_t size_bytes;
};

// Writes `value` at `out`, which has room for kMaxHadoopVlongBytes. Returns the number of bytes written.
std::size_t write_hadoop_vlong(std::byte* out, std::int64_t value);

// Reads a number of more than one byte. Call read_hadoop_vlong() instead.
std::optional<HadoopVlong> read_long_hadoop_vlong(std::span<const std::byte> bytes);

// Reads a number from the front of `bytes`. Returns nothing if it is cut, or longer than its value needs.
inline std::optional<HadoopVlong> read_hadoop_vlong(std::span<const std::byte> bytes) {
  if (!bytes.empty() && static_cast<std::int8_t>(bytes[0]) >= -112) {
    return HadoopVlong{static_cast<std::int8_t>(bytes[0]), 1};
  }
  return read_long_hadoop_vlong(bytes);
}

}  // namespace bloomery
