// Decodes the encoding DIFF.
//
//   block:   u8 family length | family | cell | cell | ...
//
//   cell:    u8 flag
//            compressed int, key length            if the flag 01 is not set
//            compressed int, value length          if the flag 02 is not set
//            compressed int, shared bytes
//            row and qualifier                     column_parts.h
//            timestamp                             1 to 8 bytes, little-endian, without its sign
//            u8 type                               if the flag 04 is not set
//            value
//
//   flag:    01   the key has the length of the previous key
//            02   the value has the length of the previous value
//            04   the type is that of the previous cell
//            08   the timestamp is stored as a difference: the previous one minus this one
//            70   the number of the timestamp's bytes, minus 1
//            80   the stored timestamp is negative
//
// Flags are hexadecimal. The first cell of a block shares nothing: its flags 01 to 08 are not set. Source:
// HBase's DiffKeyDeltaEncoder; docs/formats/hfile.md.
#pragma once

#include <cstdint>
#include <string>

#include "hfile/encoding/byte_reader.h"
#include "hfile/encoding/column_parts.h"
#include "hfile/encoding/encoded_cells.h"

namespace bloomery::hfile {

inline constexpr unsigned kDiffSameKeyLength = 1;
inline constexpr unsigned kDiffSameValueLength = 2;
inline constexpr unsigned kDiffSameType = 4;
inline constexpr unsigned kDiffTimestampDiffers = 8;
inline constexpr unsigned kDiffTimestampIsNegative = 0x80;

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
