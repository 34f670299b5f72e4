#include "codec/parquet/placed_filter.h"

#include <string>

#include "codec/parquet/filter_header.h"

namespace bloomery::parquet {

Result<PlacedFilter> placed_filter(const ColumnChunk& chunk, std::span<const std::byte> file,
                                   const Footer& footer) {
  const std::int64_t offset = *chunk.filter_offset;
  if (offset < 4 || static_cast<std::uint64_t>(offset) >= footer.offset) {
    return Error::corrupt_field(kFileSubject, footer.offset, "bloom_filter_offset",
                                "4 to " + std::to_string(footer.offset - 1), offset);
  }
  const auto begin = static_cast<std::uint64_t>(offset);
  const auto bytes = file.subspan(begin, footer.offset - begin);
  BLOOMERY_ASSIGN_OR_RETURN(const FilterHeader header, read_filter_header(bytes, begin));
  if (header.size_bytes() > bytes.size()) {
    return Error::corrupt_field("parquet filter header", begin, "bytes",
                                "at most " + std::to_string(bytes.size() - header.header_bytes),
                                header.bitset_bytes);
  }
  if (chunk.filter_length && static_cast<std::int64_t>(header.size_bytes()) != *chunk.filter_length) {
    return Error::corrupt_field(kFileSubject, begin, "bloom_filter_length",
                                std::to_string(header.size_bytes()), *chunk.filter_length);
  }
  return PlacedFilter{.begin = begin,
                      .end = begin + header.size_bytes(),
                      .blocks = SplitBlocks(bytes.subspan(header.header_bytes, header.bitset_bytes))};
}

}  // namespace bloomery::parquet
