#include "hfile/bloom_fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "base/endian.h"
#include "hfile/bloom/bloom_chunk.h"

namespace bloomery::hfile {

Result<BlockPointer> read_chunk(const OpenFile& file, const hbase::ChunkEntry& chunk) {
  return file.source().read(
      {.kind = BlockKind::kBloomChunk, .offset = chunk.block_offset, .on_disk_bytes = chunk.block_bytes});
}

std::uint64_t most_chunk_bytes(const OpenFile& file, const ChunkedFilter& filter) {
  constexpr std::uint64_t kMostBytesOfKey = 128;
  constexpr std::uint64_t kMostKeys = std::uint64_t{1} << 48;
  // A cell adds at most two keys to a filter: its column, and the markers of its row.
  const std::uint64_t keys =
      std::min({filter.meta().key_count, 2 * std::min(file.trailer().entry_count, kMostKeys)});
  return hbase::kMaxChunkBytes + kMostBytesOfKey * keys;
}

Error too_many_chunk_bytes(const OpenFile& file, const ChunkedFilter& filter, std::uint64_t found) {
  return Error::corruption("Bloom meta block", filter.offset(),
                           "at most " + std::to_string(most_chunk_bytes(file, filter)) +
                               " bytes in the chunks of " + std::to_string(filter.meta().key_count) + " keys",
                           std::to_string(found) + " or more");
}

Result<BloomFill> measure_fill(const OpenFile& file, const ChunkedFilter& filter) {
  BloomFill fill;
  double weighted_fpp = 0;
  for (const hbase::ChunkEntry& chunk : filter.meta().chunks) {
    if (fill.bits / 8 > most_chunk_bytes(file, filter)) {
      return too_many_chunk_bytes(file, filter, fill.bits / 8);
    }
    BLOOMERY_ASSIGN_OR_RETURN(const BlockPointer block, read_chunk(file, chunk));
    std::uint64_t set_bits = 0;
    std::span<const std::byte> left = block->payload();
    for (; left.size() >= 8; left = left.subspan(8)) {
      set_bits += static_cast<std::uint64_t>(std::popcount(load_little64(left.data())));
    }
    for (const std::byte byte : left) {
      set_bits += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(byte)));
    }
    const std::uint64_t bits = std::uint64_t{8} * block->payload().size();
    fill.bits += bits;
    fill.set_bits += set_bits;
    const double ratio = bits == 0 ? 1 : static_cast<double>(set_bits) / static_cast<double>(bits);
    weighted_fpp += std::pow(ratio, filter.meta().hash_count) * static_cast<double>(bits);
  }
  fill.fpp = fill.bits == 0 ? 0 : weighted_fpp / static_cast<double>(fill.bits);
  return fill;
}

}  // namespace bloomery::hfile
