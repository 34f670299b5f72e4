// Writes the encoding FAST_DIFF; fast_diff_cells.h has the layout.
#pragma once

#include <cstddef>
#include <string_view>

#include "bloomery/hfile/cell.h"
#include "hfile/byte_writer.h"
#include "hfile/encoding/delta_encoder.h"
#include "hfile/encoding/key_bytes.h"

namespace bloomery::hfile {

class FastDiffKeyEncoder {
 public:
  void add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell);

 private:
  void add_first(ByteWriter& out, const KeyBytes& key, const Cell& cell);
  void add_value(ByteWriter& out, std::string_view value);

  // The previous cell's value: its position in the block and its size.
  std::size_t value_at_ = 0;
  std::size_t value_bytes_ = 0;
};

using FastDiffEncoder = DeltaEncoder<FastDiffKeyEncoder>;

}  // namespace bloomery::hfile
