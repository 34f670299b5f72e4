// Unpacks integers of a fixed width: value i has the bits i * width to (i + 1) * width - 1 of the bytes. Bit
// 0 is the lowest bit of the first byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/endian.h"

namespace bloomery::parquet {

// Returns the bytes that hold `count` values of `width` bits. Preconditions: count < 2^32, width <= 64.
constexpr std::uint64_t packed_bytes(std::uint64_t count, unsigned width) {
  return (count * width + 7) / 8;
}

// Returns bits `at` to `at + width - 1`. Preconditions: they are in `bytes`; width <= 64.
inline std::uint64_t packed_at(std::span<const std::byte> bytes, std::uint64_t at, unsigned width) {
  const std::uint64_t byte = at / 8;
  const auto shift = static_cast<unsigned>(at % 8);
  const std::uint64_t mask = width == 0 ? 0 : ~std::uint64_t{0} >> (64 - width);
  if (bytes.size() - byte >= 9) {
    const std::uint64_t low = load_little64(bytes.data() + byte) >> shift;
    const std::uint64_t high = std::to_integer<std::uint64_t>(bytes[byte + 8]) << 1 << (63 - shift);
    return (low | high) & mask;
  }
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; byte + i < bytes.size() && i * 8 < width + shift; ++i) {
    const auto next = std::to_integer<std::uint64_t>(bytes[byte + i]);
    value |= i == 0 ? next >> shift : next << 1 << (i * 8 - shift - 1);
  }
  return value & mask;
}

}  // namespace bloomery::parquet
