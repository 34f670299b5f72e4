// The block of ROW_INDEX_V1: plain cells, and behind them where each row begins.
//
//   cells | u32 rows | u32 start[rows], from the first cell | u32 bytes of the cells          big-endian
//
// A row is found by halving, so a seek reads the cells of one row only.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace bloomery::hfile {

class RowIndex {
 public:
  // `payload` without the number of the encoding. Nothing when its numbers do not fit.
  static std::optional<RowIndex> over(std::span<const std::byte> payload);

  std::span<const std::byte> cells() const { return cells_; }
  // The start of the last row that is not behind `row`, or of the first row. Nothing when the index is
  // damaged.
  std::optional<std::size_t> start_of(std::string_view row) const;

 private:
  std::size_t row_count() const { return starts_.size() / 4; }
  std::size_t start(std::size_t i) const;
  std::optional<std::string_view> row_at(std::size_t i) const;

  std::span<const std::byte> cells_;
  std::span<const std::byte> starts_;
};

}  // namespace bloomery::hfile
