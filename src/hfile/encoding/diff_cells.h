// The encoding DIFF.
//
//   u8 family length | family          once, in front of the first cell
//   u8 flag                            1 same key length, 2 same value length, 4 same type, 8 timestamp as a
//   difference,
//                                      70 bytes of it - 1, 80 it is negative
//   [compressed int, key length] | [compressed int, value length] | compressed int, bytes that are shared
//   row and qualifier (column_parts.h) | timestamp, little-endian, or the one before minus this | [u8 type] |
//   value
#pragma once

#include <cstdint>
#include <string>

#include "hfile/encoding/byte_reader.h"
#include "hfile/encoding/column_parts.h"
#include "hfile/encoding/encoded_cells.h"

namespace bloomery::hfile {

class DiffDecoder {
 public:
  bool start(ByteReader& reader);
  bool read(ByteReader& reader, EncodedState& state);

 private:
  std::string family_;  // with its length
  std::uint64_t timestamp_ = 0;
  char type_ = 0;
};

using DiffCells = EncodedCells<DiffDecoder>;

}  // namespace bloomery::hfile
