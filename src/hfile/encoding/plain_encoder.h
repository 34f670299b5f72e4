// Writes the cells of a data block that is not encoded, alone or with an index of its rows; plain_cells.h has
// the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "bloomery/hfile/cell.h"
#include "hfile/byte_writer.h"
#include "hfile/encoding/flat_cell.h"
#include "hfile/encoding/key_bytes.h"

namespace bloomery::hfile {

// The size of a cell without encoding, and its size as written.
struct EncodedSizes {
  std::size_t plain = 0;
  std::size_t encoded = 0;
};

class PlainEncoder {
 public:
  explicit PlainEncoder(const CellLayout& layout) : layout_(layout) {}

  void begin(ByteWriter& out) const { (void)out; }
  void end(ByteWriter& out) const { (void)out; }

  EncodedSizes add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell) const {
    (void)before;
    const std::string_view flat = key.flat();
    const std::size_t begin = out.size();
    std::byte* at = out.extend(8 + flat.size() + cell.value.size());
    store_big(at, static_cast<std::uint32_t>(flat.size()));
    store_big(at + 4, static_cast<std::uint32_t>(cell.value.size()));
    at += 8;
    std::memcpy(at, flat.data(), flat.size());
    if (!cell.value.empty()) {
      std::memcpy(at + flat.size(), cell.value.data(), cell.value.size());
    }
    if (layout_.has_tags) {
      out.number(static_cast<std::uint16_t>(cell.tags.size()));
      out.append(cell.tags);
    }
    if (layout_.has_mvcc) {
      out.vlong(cell.mvcc);
    }
    return {out.size() - begin, out.size() - begin};
  }

 private:
  CellLayout layout_;
};

// Writes the block of ROW_INDEX_V1; row_index.h has the layout.
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
