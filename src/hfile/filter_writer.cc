#include "hfile/filter_writer.h"

#include <utility>

namespace bloomery::hfile {

void FilterWriter::add(std::string_view key) {
  if (chunk_.is_full()) {
    end_chunk();
  }
  if (chunk_.key_count() == 0) {
    first_key_ = key;
  }
  chunk_.add(key);
  ++key_count_;
}

// chunk_.finish() folds a chunk that is less than half full, which only the last chunk of a file can be.
void FilterWriter::end_chunk() {
  waiting_.push_back({chunk_.finish(), first_key_});
  max_keys_ += waiting_.back().chunk.max_keys;
  total_bytes_ += waiting_.back().chunk.bytes.size();
}

Status FilterWriter::write_full_chunks(BlockWriter& blocks) {
  if (chunk_.is_full()) {
    end_chunk();
  }
  for (; !waiting_.empty(); waiting_.pop_front()) {
    Waiting& next = waiting_.front();
    blocks.begin(BlockKind::kBloomChunk).append(next.chunk.bytes);
    BLOOMERY_ASSIGN_OR_RETURN(const WrittenBlock block, blocks.finish());
    written_.push_back({block.offset, block.on_disk_bytes, std::move(next.first_key)});
  }
  return {};
}

Status FilterWriter::write_all_chunks(BlockWriter& blocks) {
  if (chunk_.key_count() > 0) {
    end_chunk();
  }
  return write_full_chunks(blocks);
}

void FilterWriter::append_meta_to(ByteWriter& out) const {
  hbase::BloomMeta meta{.total_bytes = total_bytes_,
                        .hash_count = shape_.hash_count,
                        .hash = hash_,
                        .key_count = key_count_,
                        .max_keys = max_keys_,
                        .order = order_};
  for (const Written& chunk : written_) {
    meta.chunks.push_back({chunk.offset, chunk.on_disk_bytes, chunk.first_key});
  }
  std::string bytes;
  append_bloom_meta(bytes, meta);
  out.append(bytes);
}

}  // namespace bloomery::hfile
