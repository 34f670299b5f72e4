// Decodes the encoding PREFIX, which stores of each key only the bytes that differ from the previous key.
//
//   compressed int, differing bytes | compressed int, value bytes | compressed int, shared bytes
//   | end of the flat key | value
//
// The first cell of a block shares no bytes. Source: HBase's PrefixKeyDeltaEncoder; docs/formats/hfile.md.
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
