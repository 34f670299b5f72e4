// The encoding FAST_DIFF.
//
//   u8 flag          07 bytes that the timestamp shares with the one before, 08 same key length, 10 same
//   value length,
//                    20 same type, 40 same value
//   [compressed int, key length] | [compressed int, value length] | compressed int, bytes that are shared
//   first cell:      the flat key | value
//   others:          row and qualifier (column_parts.h) | the rest of the timestamp, big-endian | [u8 type] |
//   [value]
//
// The family is that of the first cell.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "hfile/encoding/byte_reader.h"
#include "hfile/encoding/column_parts.h"
#include "hfile/encoding/encoded_cells.h"

namespace bloomery::hfile {

class FastDiffDecoder {
 public:
  bool start(ByteReader& reader) {
    (void)reader;
    return true;
  }
  bool read(ByteReader& reader, EncodedState& state);

 private:
  bool read_first(ByteReader& reader, EncodedState& state, std::size_t key_bytes, std::size_t value_bytes);

  std::string family_;                           // with its length
  std::array<char, kTimestampTypeBytes> end_{};  // of the key before: timestamp, type
};

using FastDiffCells = EncodedCells<FastDiffDecoder>;

}  // namespace bloomery::hfile
