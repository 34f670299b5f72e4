// Hadoop's integers of one to nine bytes, which HFiles are full of.
//
//   -112 .. 127         one byte, the value itself
//   else                a first byte b, then n = 1..8 bytes, big-endian, the fewest that hold it
//     positive          b = -112 - n                        255 = 8f ff
//     negative          b = -120 - n, and the complement    -113 = 87 70
//
// Reading takes the shortest form only, as writing makes it. Source: docs/formats/hfile.md.
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

// Writes `value` at `out`, which has room for kMaxHadoopVlongBytes, and returns the number of bytes written.
std::size_t write_hadoop_vlong(std::byte* out, std::int64_t value);

// Of more than one byte; read_hadoop_vlong() is what to call.
std::optional<HadoopVlong> read_long_hadoop_vlong(std::span<const std::byte> bytes);

// Reads one from the front of `bytes`; nothing when it is cut or longer than its value needs.
inline std::optional<HadoopVlong> read_hadoop_vlong(std::span<const std::byte> bytes) {
  if (!bytes.empty() && static_cast<std::int8_t>(bytes[0]) >= -112) {
    return HadoopVlong{static_cast<std::int8_t>(bytes[0]), 1};
  }
  return read_long_hadoop_vlong(bytes);
}

}  // namespace bloomery
