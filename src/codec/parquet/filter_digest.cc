#include "codec/parquet/filter_digest.h"

#include <cstdint>

#include "codec/parquet/file_metadata.h"
#include "codec/parquet/filter_header.h"

namespace bloomery::parquet {
namespace {

// Returns the chunk's filter with its header, or no bytes if it has none that can be read.
std::span<const std::byte> filter_of(const ColumnChunk& chunk, std::span<const std::byte> data) {
  const auto begin = static_cast<std::uint64_t>(chunk.filter_offset.value_or(0));
  if (begin == 0 || begin >= data.size() || chunk.encrypted || chunk.in_other_file) {
    return {};
  }
  const auto header = read_filter_header(data.subspan(begin), begin);
  return header && header->size_bytes() <= data.size() - begin ? data.subspan(begin, header->size_bytes())
                                                               : std::span<const std::byte>();
}

}  // namespace

Result<Hash128> filter_digest(std::span<const std::byte> file) {
  if (!looks_like_file(file)) {
    return hash_bytes(file, {.id = HashId::kXxh3});
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Footer footer, read_footer(file));
  const std::span<const std::byte> data = file.first(footer.offset);
  Hash128 digest = hash_bytes(footer.metadata, {.id = HashId::kXxh3});
  std::uint64_t left = data.size();
  const Status walked = for_each_column_chunk(footer, [&](const ColumnChunk& chunk) -> Status {
    const std::span<const std::byte> filter = filter_of(chunk, data);
    if (filter.size() > left) {
      return Error::corruption(kFileSubject, static_cast<std::uint64_t>(*chunk.filter_offset),
                               "filters that do not overlap", "more bytes of filters than the file has");
    }
    left -= filter.size();
    // The digest so far is the seed, so the order of the filters counts.
    digest = hash_bytes(filter, {.id = HashId::kXxh3, .seed = digest.low ^ digest.high});
    return {};
  });
  return walked ? Result<Hash128>(digest) : walked.error();
}

}  // namespace bloomery::parquet
