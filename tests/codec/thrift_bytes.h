// Bytes of Thrift's compact protocol, for metadata that tests make.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/varint.h"

namespace bloomery {

inline std::string zigzag(std::int64_t value) {
  std::array<std::byte, kMaxVarintBytes> bytes;
  const std::size_t size = write_varint(
      bytes.data(), (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

}  // namespace bloomery
