#include "base/varint.h"

namespace bloomery {

std::size_t write_varint(std::byte* out, std::uint64_t value) {
  std::size_t size = 0;
  while (value >= 0x80) {
    out[size++] = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  out[size++] = static_cast<std::byte>(value);
  return size;
}

Result<Varint> read_varint(std::span<const std::byte> bytes, std::uint64_t offset) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < kMaxVarintBytes; ++i) {
    const auto group = std::to_integer<std::uint64_t>(bytes[i]);
    if (i == kMaxVarintBytes - 1 && group > 1) {
      return Error::corruption("varint", offset + i, "expected at most 64 bits, found more");
    }
    value |= (group & 0x7f) << (7 * i);
    if (group < 0x80) {
      if (group == 0 && i > 0) {
        return Error::corruption("varint", offset + i,
                                 "expected the shortest form, found a trailing zero group");
      }
      return Varint{value, i + 1};
    }
  }
  return Error::corruption("varint", offset + bytes.size(), "expected another byte, found the end");
}

}  // namespace bloomery
