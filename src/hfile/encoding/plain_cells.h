// The cells of a data block that is not encoded, one behind the other.
//
//   u32 key length | u32 value length | key | value | [u16 tags length | tags] | [vlong mvcc]      big-endian
#pragma once

#include <cstddef>
#include <span>

#include "hfile/encoding/byte_reader.h"
#include "hfile/encoding/flat_cell.h"

namespace bloomery::hfile {

class PlainCells {
 public:
  PlainCells() = default;
  // Begins with the cell at `start`. Precondition: start <= cells.size().
  PlainCells(std::span<const std::byte> cells, std::size_t start, const CellLayout& layout)
      : reader_(cells), layout_(layout) {
    reader_.take(start);
  }

  Step next(FlatCell& cell) {
    if (reader_.at_end() && !reader_.failed()) {
      return Step::kEnd;
    }
    const auto key_bytes = reader_.number<std::uint32_t>();
    const auto value_bytes = reader_.number<std::uint32_t>();
    cell.key = reader_.take(key_bytes);
    cell.value = reader_.take(value_bytes);
    cell.tags = layout_.has_tags ? reader_.take(reader_.number<std::uint16_t>()) : std::string_view();
    cell.mvcc = layout_.has_mvcc ? reader_.vlong() : 0;
    return reader_.failed() ? Step::kDamaged : Step::kCell;
  }

  // Where the next cell begins, from the first one's begin.
  std::size_t position() const { return reader_.position(); }

 private:
  ByteReader reader_;
  CellLayout layout_;
};

}  // namespace bloomery::hfile
