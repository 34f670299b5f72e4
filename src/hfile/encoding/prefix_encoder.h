// Writes the encoding PREFIX; prefix_cells.h has the layout.
#pragma once

#include <cstddef>

#include "bloomery/hfile/cell.h"
#include "hfile/byte_writer.h"
#include "hfile/encoding/delta_encoder.h"
#include "hfile/encoding/key_bytes.h"
#include "hfile/encoding/shared_bytes.h"

namespace bloomery::hfile {

class PrefixKeyEncoder {
 public:
  void add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell) const {
    const std::size_t shared = before == nullptr ? 0 : shared_bytes(key, *before);
    out.compressed_int(key.flat().size() - shared);
    out.compressed_int(cell.value.size());
    out.compressed_int(shared);
    out.append(key.flat().substr(shared));
    out.append(cell.value);
  }

 private:
  // Returns the number of bytes that the two keys share. If the columns are equal, timestamp and type count
  // too.
  static std::size_t shared_bytes(const KeyBytes& key, const KeyBytes& before) {
    const std::size_t of_column = shared_column_bytes(key, before);
    const std::size_t front = key.flat().size() - kTimestampTypeBytes;
    const bool same_column = of_column == front && key.flat().size() == before.flat().size();
    return same_column ? front + shared_front(key.flat().substr(front), before.flat().substr(front))
                       : of_column;
  }
};

using PrefixEncoder = DeltaEncoder<PrefixKeyEncoder>;

}  // namespace bloomery::hfile
