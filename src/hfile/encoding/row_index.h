// Reads the block of ROW_INDEX_V1: plain cells, followed by the offset of each row.
//
//   plain cells | u32 rows | u32 start[rows] | u32 bytes of the cells                        big-endian
//
// A start counts from the first cell. A seek finds the row by binary search, and then walks the cells of this
// row only. Source: HBase's RowIndexCodecV1; docs/formats/hfile.md.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace bloomery::hfile {

class RowIndex {
 public:
  // `payload` starts after the id of the encoding. Returns nothing if its numbers contradict each other.
  static std::optional<RowIndex> over(std::span<const std::byte> payload);

  std::span<const std::byte> cells() const { return cells_; }
  // Returns the start of the last row that is not after `row`, or of the first row if all rows are after
  // `row`. Returns nothing if the index is damaged.
  std::optional<std::size_t> start_of(std::string_view row) const;

 private:
  std::size_t row_count() const { return starts_.size() / 4; }
  std::size_t start(std::size_t i) const;
  std::optional<std::string_view> row_at(std::size_t i) const;

  std::span<const std::byte> cells_;
  std::span<const std::byte> starts_;
};

}  // namespace bloomery::hfile
