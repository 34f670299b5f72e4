// The row, family and qualifier of a key in DIFF and FAST_DIFF. The key is stored without the prefix that it
// shares with the previous key.
//
//   shared bytes            stored bytes
//   < 2 + size of the       the rest of u16 row length | row, then the complete qualifier;
//   previous row            the family is that of the block
//   otherwise               the rest of the qualifier; row and family are those of the previous key
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "hfile/encoding/byte_reader.h"
#include "hfile/encoding/encoded_cells.h"

namespace bloomery::hfile {

// Turns `key` from the previous key into the start of the next one: everything but timestamp and type.
// `common` is the number of shared bytes. `family` is the length byte and the name of the block's family.
// Returns false at damage.
inline bool read_column_parts(ByteReader& reader, const EncodedState& before, std::size_t key_bytes,
                              std::size_t common, std::string_view family, std::string& key) {
  if (key_bytes < kKeyFixedBytes) {
    return false;
  }
  const std::size_t front_bytes = key_bytes - kTimestampTypeBytes;
  const std::size_t row_bytes_before = before.is_first ? 0 : before.row_bytes();
  if (before.is_first || common < 2 + row_bytes_before) {
    // The row is stored again. Its length (two bytes) and its first bytes may still be shared.
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
