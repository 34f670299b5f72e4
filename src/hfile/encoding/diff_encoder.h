// Writes the encoding DIFF; diff_cells.h has the layout. A timestamp is stored as a difference if that needs
// fewer bytes.
#pragma once

#include <cstddef>

#include "bloomery/hfile/cell.h"
#include "hfile/byte_writer.h"
#include "hfile/encoding/delta_encoder.h"
#include "hfile/encoding/key_bytes.h"

namespace bloomery::hfile {

class DiffKeyEncoder {
 public:
  void add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell);

 private:
  std::size_t value_bytes_before_ = 0;
};

using DiffEncoder = DeltaEncoder<DiffKeyEncoder>;

}  // namespace bloomery::hfile
