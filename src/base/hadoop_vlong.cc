#include "base/hadoop_vlong.h"

#include <bit>

namespace bloomery {
namespace {

// Returns how many bytes, 1..8, a value needs after its first byte.
std::size_t needed_bytes(std::uint64_t magnitude) {
  return magnitude == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(magnitude)) + 7) / 8;
}

bool fits_one_byte(std::int64_t value) {
  return value >= -112 && value <= 127;
}

}  // namespace

std::size_t write_hadoop_vlong(std::byte* out, std::int64_t value) {
  if (fits_one_byte(value)) {
    out[0] = static_cast<std::byte>(value);
    return 1;
  }
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? ~value : value);
  const std::size_t count = needed_bytes(magnitude);
  out[0] = static_cast<std::byte>((value < 0 ? -120 : -112) - static_cast<int>(count));
  for (std::size_t i = 0; i < count; ++i) {
    out[count - i] = static_cast<std::byte>(magnitude >> (8 * i));
  }
  return count + 1;
}

std::optional<HadoopVlong> read_long_hadoop_vlong(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return std::nullopt;
  }
  const auto first = static_cast<std::int8_t>(std::to_integer<std::uint8_t>(bytes[0]));
  const bool negative = first < -120;
  const auto count = static_cast<std::size_t>((negative ? -120 : -112) - first);
  if (first >= -112 || bytes.size() <= count) {
    return std::nullopt;
  }
  std::uint64_t magnitude = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    magnitude = magnitude << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  }
  const auto value = static_cast<std::int64_t>(negative ? ~magnitude : magnitude);
  if (magnitude >> 63 != 0 || fits_one_byte(value) || needed_bytes(magnitude) != count) {
    return std::nullopt;
  }
  return HadoopVlong{value, count + 1};
}

}  // namespace bloomery
