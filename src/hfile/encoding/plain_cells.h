// Decodes the cells of a data block that is not encoded, or of ROW_INDEX_V1. The cells are contiguous.
//
//   u32 key length | u32 value length | flat key | value | [u16 tags length | tags] | [vlong mvcc]
//
// Integers are big-endian. Source: HBase's KeyValue; docs/formats/hfile.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/endian.h"
#include "hfile/encoding/byte_reader.h"
#include "hfile/encoding/flat_cell.h"

namespace bloomery::hfile {

class PlainCells {
 public:
  PlainCells() = default;
  PlainCells(std::span<const std::byte> cells, const CellLayout& layout) : reader_(cells), layout_(layout) {}

  // Moves before the first cell. Nothing precedes it in a plain block, so this always succeeds.
  bool start(std::span<const std::byte> cells, const CellLayout& layout) {
    *this = PlainCells(cells, layout);
    return true;
  }

  // Skips `count` bytes of cells.
  void skip(std::size_t count) { reader_.bytes(count); }

  Step next(FlatCell& cell) {
    if (reader_.at_end() && !reader_.failed()) {
      return Step::kEnd;
    }
    ByteReader reader = reader_;  // the compiler keeps this copy in registers, but not a member
    read(reader, cell);
    reader_.go_on_from(reader);
    return reader.failed() ? Step::kDamaged : Step::kCell;
  }

  // Skips the cells whose row is before `row`. It stops at the first cell of another row, or at a damaged
  // cell.
  void skip_rows_before(std::string_view row) {
    ByteReader reader = reader_;
    while (!reader.at_end()) {
      FlatCell cell;
      read(reader, cell);
      if (reader.failed() || !has_row_before(cell.key, row)) {
        return;
      }
      reader_.go_on_from(reader);
    }
  }

  // Returns the offset of the next cell from the first one.
  std::size_t position() const { return reader_.position(); }

 private:
  void read(ByteReader& reader, FlatCell& cell) const {
    const auto key_bytes = reader.number<std::uint32_t>();
    const auto value_bytes = reader.number<std::uint32_t>();
    cell.key = reader.bytes(key_bytes);
    cell.value = reader.bytes(value_bytes);
    cell.tags = layout_.has_tags ? reader.bytes(reader.number<std::uint16_t>()) : std::string_view();
    cell.mvcc = layout_.has_mvcc ? reader.vlong() : 0;
  }

  // Returns false also if `key` is not a key.
  static bool has_row_before(std::string_view key, std::string_view row) {
    if (key.size() < kKeyFixedBytes) {
      return false;
    }
    const std::size_t row_bytes = load_big16(reinterpret_cast<const std::byte*>(key.data()));
    return row_bytes <= key.size() - kKeyFixedBytes && key.substr(2, row_bytes) < row;
  }

  ByteReader reader_;
  CellLayout layout_;
};

}  // namespace bloomery::hfile
