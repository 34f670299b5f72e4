// Decodes the encoding FAST_DIFF.
//
//   cell:    u8 flag
//            compressed int, key length            if the flag 08 is not set
//            compressed int, value length          if the flag 10 is not set
//            compressed int, shared bytes
//
//            then, in the first cell of a block (its flag is 0 and it shares no bytes):
//            flat key | value
//
//            and in all others:
//            row and qualifier                     column_parts.h
//            the rest of the timestamp             big-endian, without the shared bytes
//            u8 type                               if the flag 20 is not set
//            value                                 if the flag 40 is not set
//
//   flag:    07   the number of leading bytes that the timestamp shares with the previous one
//            08   the key has the length of the previous key
//            10   the value has the length of the previous value
//            20   the type is that of the previous cell
//            40   the value is that of the previous cell
//
// Flags are hexadecimal. The family of all cells is that of the first. Source: HBase's FastDiffDeltaEncoder;
// docs/formats/hfile.md.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "hfile/encoding/byte_reader.h"
#include "hfile/encoding/column_parts.h"
#include "hfile/encoding/encoded_cells.h"

namespace bloomery::hfile {

inline constexpr unsigned kFastDiffSharedTimestampBytes = 7;  // a mask, and the largest number
inline constexpr unsigned kFastDiffSameKeyLength = 8;
inline constexpr unsigned kFastDiffSameValueLength = 0x10;
inline constexpr unsigned kFastDiffSameType = 0x20;
inline constexpr unsigned kFastDiffSameValue = 0x40;

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
  std::array<char, kTimestampTypeBytes> end_{};  // timestamp and type of the previous key
};

using FastDiffCells = EncodedCells<FastDiffDecoder>;

}  // namespace bloomery::hfile
