// The types that the decoders of data blocks share: a decoded cell, and the layout of a file's cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "bloomery/hfile/row_order.h"

namespace bloomery::hfile {

// The optional fields of a file's cells, and the order of rows. File info and trailer set them for all cells
// alike.
struct CellLayout {
  bool has_tags = false;
  bool has_mvcc = false;
  bool tags_by_dictionary = false;        // used in PREFIX, DIFF and FAST_DIFF only
  RowOrder row_order = RowOrder::kBytes;  // the order for seeks; decoders do not need it
};

// A cell whose key is flat. Its fields are views of the block, or of the decoder's buffers until the decoder
// moves.
struct FlatCell {
  std::string_view key = {};
  std::string_view value = {};
  std::string_view tags = {};
  std::int64_t mvcc = 0;
};

// The outcome of decoding the next cell.
enum class Step { kCell, kEnd, kDamaged };

// Sizes in a flat key: everything but row, family and qualifier; the timestamp; the timestamp with the type.
inline constexpr std::size_t kKeyFixedBytes = 12;
inline constexpr std::size_t kTimestampBytes = 8;
inline constexpr std::size_t kTimestampTypeBytes = 9;
// The maximum size of a cell's tags in their plain form.
inline constexpr std::size_t kMaxTagsBytes = std::numeric_limits<std::uint16_t>::max();

}  // namespace bloomery::hfile
