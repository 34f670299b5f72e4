// Writes the row, family and qualifier of a key in DIFF and FAST_DIFF; column_parts.h has the layout.
#pragma once

#include <cstddef>

#include "bloomery/hfile/cell.h"
#include "hfile/byte_writer.h"
#include "hfile/encoding/key_bytes.h"
#include "hfile/encoding/shared_bytes.h"

namespace bloomery::hfile {

// Writes the bytes that the key does not share with `before`, which is null for the first key of a block.
inline void write_column_parts(ByteWriter& out, const KeyBytes& key, const KeyBytes* before,
                               std::size_t shared) {
  constexpr std::size_t kRowLengthBytes = 2;
  const CellKey& parts = key.key();
  if (before == nullptr || shared < kRowLengthBytes + before->key().row.size()) {
    out.append(key.flat().substr(shared, kRowLengthBytes + parts.row.size() - shared));
    out.append(parts.qualifier);
  } else {
    out.append(parts.qualifier.substr(shared - kRowLengthBytes - parts.row.size() - 1 - parts.family.size()));
  }
}

}  // namespace bloomery::hfile
