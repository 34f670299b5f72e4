// Messages of Protocol Buffers as tests write them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/varint.h"

namespace bloomery {

inline void append_varint(std::string& out, std::uint64_t value) {
  std::array<std::byte, kMaxVarintBytes> bytes;
  const std::size_t size = write_varint(bytes.data(), value);
  out.append(reinterpret_cast<const char*>(bytes.data()), size);
}

inline void append_integer_field(std::string& out, std::uint32_t number, std::uint64_t value) {
  append_varint(out, number << 3);
  append_varint(out, value);
}

inline void append_bytes_field(std::string& out, std::uint32_t number, std::string_view bytes) {
  append_varint(out, number << 3 | 2);
  append_varint(out, bytes.size());
  out += bytes;
}

inline std::string delimited(std::string_view message) {
  std::string bytes;
  append_varint(bytes, message.size());
  return bytes.append(message);
}

}  // namespace bloomery
