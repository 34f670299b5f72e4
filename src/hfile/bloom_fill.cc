#include "hfile/bloom_fill.h"

#include <bit>
#include <cmath>
#include <cstddef>

namespace bloomery::hfile {

Result<BlockPointer> read_chunk(const OpenFile& file, const hbase::ChunkEntry& chunk) {
  return file.source().read(
      {.kind = BlockKind::kBloomChunk, .offset = chunk.block_offset, .on_disk_bytes = chunk.block_bytes});
}

Result<BloomFill> measure_fill(const OpenFile& file, const ChunkedFilter& filter) {
  BloomFill fill;
  double weighted_fpp = 0;
  for (const hbase::ChunkEntry& chunk : filter.meta().chunks) {
    BLOOMERY_ASSIGN_OR_RETURN(const BlockPointer block, read_chunk(file, chunk));
    std::uint64_t set_bits = 0;
    for (const std::byte byte : block->payload()) {
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
