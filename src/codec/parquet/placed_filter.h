// The filter of one column chunk, and the range of the file that its header and its bits occupy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "codec/parquet/file_metadata.h"
#include "codec/parquet/split_blocks.h"

namespace bloomery::parquet {

struct PlacedFilter {
  std::uint64_t begin;
  std::uint64_t end;
  SplitBlocks blocks;  // a view of the file

  std::uint64_t bitset_begin() const { return end - blocks.bitset().size(); }
};

// Precondition: the chunk has a filter_offset. Errors: kCorruption, kUnsupported.
Result<PlacedFilter> placed_filter(const ColumnChunk& chunk, std::span<const std::byte> file,
                                   const Footer& footer);

}  // namespace bloomery::parquet
