// Writes the few Protocol Buffers forms that HFiles use; protobuf_reader.h reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hfile/byte_writer.h"

namespace bloomery::hfile {

inline void append_integer_field(ByteWriter& out, std::uint32_t number, std::uint64_t value) {
  out.compressed_int(number << 3);
  out.compressed_int(value);
}

inline void append_bytes_field(ByteWriter& out, std::uint32_t number, std::string_view bytes) {
  constexpr std::uint32_t kBytes = 2;
  out.compressed_int(number << 3 | kBytes);
  out.compressed_int(bytes.size());
  out.append(bytes);
}

// Appends the message after its length.
inline void append_delimited(ByteWriter& out, std::string_view message) {
  out.compressed_int(message.size());
  out.append(message);
}

}  // namespace bloomery::hfile
