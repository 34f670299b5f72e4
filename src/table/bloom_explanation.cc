#include "table/bloom_explanation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/byte_text.h"
#include "base/message.h"
#include "hfile/bloom/bloom_chunk.h"
#include "hfile/bloom/bloom_key.h"
#include "hfile/bloom_fill.h"

namespace bloomery::table {
namespace {

// Returns the key's positions whose bits are 0, in the order in which a query tests them, each once.
// Precondition: hbase::can_be_asked(chunk).
std::string zero_bits(std::span<const std::byte> chunk, std::uint32_t hash_count, hbase::HashPair pair) {
  const hbase::ChunkPositions positions(static_cast<std::uint32_t>(chunk.size() * 8));
  std::vector<std::uint32_t> zeros;
  std::string text;
  for (std::uint32_t i = 0; i < hash_count; ++i) {
    const std::uint32_t position = positions.of(pair, i);
    const bool is_set = (std::to_integer<unsigned>(chunk[position / 8]) >> (position % 8) & 1) != 0;
    if (!is_set && std::ranges::find(zeros, position) == zeros.end()) {
      zeros.push_back(position);
      text += (text.empty() ? "" : ", ") + std::to_string(position);
    }
  }
  return text;
}

// `key` has the bytes that the filter's type hashes.
std::string explain_key(const hfile::OpenFile& file, const hfile::ChunkedFilter& filter,
                        std::string_view key) {
  const hbase::BloomMeta& meta = filter.meta();
  const auto i = hbase::chunk_of(meta, key);
  if (!i) {
    return "before the first key of its first chunk";
  }
  const hbase::ChunkEntry& chunk = meta.chunks[*i];
  const Result<hfile::BlockPointer> block = hfile::read_chunk(file, chunk);
  if (!block) {
    return "not in a chunk that could not be read again: " + block.error().to_string();
  }
  const std::span<const std::byte> bits = (*block)->payload();
  const std::string zeros = hbase::can_be_asked(bits)
                                ? zero_bits(bits, meta.hash_count, hbase::hash_pair(meta.hash, key))
                                : std::string();
  if (zeros.empty()) {
    return "behind its last key";  // no bit is 0, so LAST_BLOOM_KEY decided
  }
  return message("not in chunk ", *i, " at byte ", chunk.block_offset, ": of its ", 8 * bits.size(),
                 " bits, these of the key are 0: ", zeros);
}

}  // namespace

std::string explain_no(const hfile::OpenFile& file, std::string_view row,
                       const std::vector<std::string>& columns) {
  if (columns.empty() || file.column_filter() == nullptr || !file.may_contain_row(row)) {
    const bool is_prefix = file.bloom_type() == hbase::BloomType::kRowPrefix;
    const std::string_view key = is_prefix ? hbase::row_prefix(row, file.bloom_prefix_bytes()) : row;
    return message(": ", escape_bytes(key), " is ", explain_key(file, *file.bloom(), key));
  }
  std::string text;
  const auto add = [&](std::string_view qualifier, const std::string& shown) {
    const hbase::RowColKey key({row, qualifier});
    text += message(": ", escape_bytes(row), " with ", shown, " is ",
                    explain_key(file, *file.column_filter(), key.bytes()));
  };
  for (const std::string& column : columns) {
    if (!column.empty()) {
      add(column, escape_bytes(column));
    }
  }
  if (file.bloom_type() == hbase::BloomType::kRowCol) {
    add({}, "no qualifier");
  }
  return text;
}

}  // namespace bloomery::table
