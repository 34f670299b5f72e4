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
  const VarintGroups read = join_varint(bytes);
  switch (read.end) {
    case VarintEnd::kCut:
      return Error::corruption("varint", offset + bytes.size(), "another byte", "the end");
    case VarintEnd::kTooLong:
      return Error::corruption("varint", offset + read.size_bytes - 1, "at most 64 bits", "more");
    case VarintEnd::kWhole:
      break;
  }
  if (read.size_bytes > 1 && bytes[read.size_bytes - 1] == std::byte{0}) {
    return Error::corruption("varint", offset + read.size_bytes - 1, "the shortest form",
                             "a trailing zero group");
  }
  return Varint{read.value, read.size_bytes};
}

Result<std::uint64_t> read_next_varint(std::span<const std::byte>& bytes, std::uint64_t offset) {
  BLOOMERY_ASSIGN_OR_RETURN(const Varint varint, read_varint(bytes, offset));
  bytes = bytes.subspan(varint.size_bytes);
  return varint.value;
}

}  // namespace bloomery
