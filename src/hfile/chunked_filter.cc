#include "hfile/chunked_filter.h"

#include "codec/hbase/bloom_chunk.h"

namespace bloomery::hfile {

Result<ChunkedFilter> ChunkedFilter::make(BlockPointer meta_block) {
  BLOOMERY_ASSIGN_OR_RETURN(hbase::BloomMeta meta,
                            hbase::parse_bloom_meta(meta_block->payload(), meta_block->offset()));
  return ChunkedFilter(std::move(meta_block), std::move(meta));
}

Result<bool> ChunkedFilter::may_contain(BlockSource& source, std::string_view key) const {
  const auto i = hbase::chunk_of(meta_, key);
  if (!i) {
    return false;
  }
  const hbase::ChunkEntry& chunk = meta_.chunks[*i];
  BLOOMERY_ASSIGN_OR_RETURN(const BlockPointer block, source.read({.kind = BlockKind::kBloomChunk,
                                                                   .offset = chunk.block_offset,
                                                                   .on_disk_bytes = chunk.block_bytes}));
  return hbase::may_contain(block->payload(), meta_.hash_count, hbase::hash_pair(meta_.hash, key));
}

}  // namespace bloomery::hfile
