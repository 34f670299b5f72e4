// The row, family and qualifier of a key in DIFF and FAST_DIFF, told by what they share with the key before.
//
//   shared bytes < 2 + bytes of the row before   the rest of u16 row length | row, then all of the qualifier;
//   the family is
//                                                that of the block
//   else                                         the rest of the qualifier
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "hfile/encoding/byte_reader.h"
#include "hfile/encoding/encoded_cells.h"

namespace bloomery::hfile {

// Puts a key's front, all but timestamp and type, together in `key`, which holds the key before it. `family`
// is that of the block with its length in front. False at damage.
inline bool read_column_parts(ByteReader& reader, const EncodedState& before, std::size_t key_bytes,
                              std::size_t common, std::string_view family, std::string& key) {
  if (key_bytes < kKeyFixedBytes) {
    return false;
  }
  const std::size_t front_bytes = key_bytes - kTimestampTypeBytes;
  const std::size_t row_bytes_before = before.is_first ? 0 : before.row_bytes();
  if (before.is_first || common < 2 + row_bytes_before) {
    // Of a row that is told anew, the two bytes of its length may be shared, and so may its beginning.
    std::size_t row_bytes = row_bytes_before;
    if (common < 2) {
      if (!replace_key_end(key, common, reader.bytes(2 - common)) || reader.failed()) {
        return false;
      }
      row_bytes = static_cast<std::size_t>(static_cast<unsigned char>(key[0]) << 8 |
                                           static_cast<unsigned char>(key[1]));
      common = 2;
    }
    if (common > 2 + row_bytes || front_bytes < 2 + row_bytes + family.size()) {
      return false;
    }
    if (!replace_key_end(key, common, reader.bytes(2 + row_bytes - common))) {
      return false;
    }
    key.append(family);
  } else if (!replace_key_end(key, common, {})) {
    return false;
  }
  if (front_bytes < key.size()) {
    return false;
  }
  key.append(reader.bytes(front_bytes - key.size()));
  return !reader.failed();
}

}  // namespace bloomery::hfile
