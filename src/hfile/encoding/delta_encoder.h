// The common part of the encoders of PREFIX, DIFF and FAST_DIFF; encoded_cells.h has the layout.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/hfile/cell.h"
#include "hfile/byte_writer.h"
#include "hfile/encoding/flat_cell.h"
#include "hfile/encoding/key_bytes.h"
#include "hfile/encoding/plain_encoder.h"
#include "hfile/encoding/shared_bytes.h"
#include "hfile/encoding/tag_writer.h"

namespace bloomery::hfile {

// Writes the cells of one block after the other.   Calls: (begin add* end)*
//
// KeyEncoder::add(out, key, before, cell) writes a cell's key and value. `before` is the previous key, null
// for the first one of a block. This class writes the size before the cells, and after each value the tags
// and the mvcc.
template <typename KeyEncoder>
class DeltaEncoder {
 public:
  explicit DeltaEncoder(const CellLayout& layout) : layout_(layout), tags_(layout.tags_by_dictionary) {}

  void begin(ByteWriter& out) {
    plain_bytes_at_ = out.size();
    plain_bytes_ = 0;
    out.number(std::uint32_t{0});
    tags_.start();
  }

  EncodedSizes add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell) {
    const std::size_t begin = out.size();
    keys_.add(out, key, before, cell);
    std::size_t plain = 8 + key.flat().size() + cell.value.size();
    if (layout_.has_tags) {
      tags_.write(out, cell.tags);
      plain += 2 + cell.tags.size();
    }
    if (layout_.has_mvcc) {
      plain += out.vlong(cell.mvcc);
    }
    plain_bytes_ += plain;
    return {plain, out.size() - begin};
  }

  void end(ByteWriter& out) const {
    store_big(out.data() + plain_bytes_at_, static_cast<std::uint32_t>(plain_bytes_));
  }

 private:
  CellLayout layout_;
  TagWriter tags_;
  KeyEncoder keys_;
  std::size_t plain_bytes_at_ = 0;
  std::size_t plain_bytes_ = 0;
};

}  // namespace bloomery::hfile
