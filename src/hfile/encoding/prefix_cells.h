// The encoding PREFIX: of each key only what differs from the one before.
//
//   compressed int, bytes of the key that differ | compressed int, bytes of the value | compressed int, bytes
//   that are shared | the end of the flat key | value
#pragma once

#include <cstddef>
#include <string_view>

#include "hfile/encoding/byte_reader.h"
#include "hfile/encoding/encoded_cells.h"

namespace bloomery::hfile {

class PrefixDecoder {
 public:
  bool start(ByteReader& reader) const {
    (void)reader;
    return true;
  }

  bool read(ByteReader& reader, EncodedState& state) const {
    const std::size_t differing = reader.compressed_int();
    const std::size_t value_bytes = reader.compressed_int();
    const std::size_t common = reader.compressed_int();
    const std::string_view rest = reader.bytes(differing);
    state.value = reader.bytes(value_bytes);
    return !reader.failed() && replace_key_end(state.key, common, rest);
  }
};

using PrefixCells = EncodedCells<PrefixDecoder>;

}  // namespace bloomery::hfile
