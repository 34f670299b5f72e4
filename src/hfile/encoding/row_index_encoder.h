// Writes the block of ROW_INDEX_V1; row_index.h has the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bloomery/hfile/cell.h"
#include "hfile/byte_writer.h"
#include "hfile/encoding/flat_cell.h"
#include "hfile/encoding/key_bytes.h"
#include "hfile/encoding/plain_encoder.h"

namespace bloomery::hfile {

class RowIndexEncoder {
 public:
  explicit RowIndexEncoder(const CellLayout& layout) : plain_(layout) {}

  void begin(const ByteWriter& out) {
    begin_ = out.size();
    row_starts_.clear();
  }

  EncodedSizes add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell) {
    std::size_t of_index = 0;
    if (before == nullptr || before->key().row != key.key().row) {
      row_starts_.push_back(static_cast<std::uint32_t>(out.size() - begin_));
      of_index = 4;
    }
    EncodedSizes sizes = plain_.add(out, key, before, cell);
    sizes.encoded += of_index;
    return sizes;
  }

  void end(ByteWriter& out) const {
    const auto cell_bytes = static_cast<std::uint32_t>(out.size() - begin_);
    out.number(static_cast<std::uint32_t>(row_starts_.size()));
    for (const std::uint32_t start : row_starts_) {
      out.number(start);
    }
    out.number(cell_bytes);
  }

 private:
  PlainEncoder plain_;
  std::size_t begin_ = 0;
  std::vector<std::uint32_t> row_starts_;
};

}  // namespace bloomery::hfile
