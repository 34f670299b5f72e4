#include "hfile/block_writer.h"

#include <algorithm>
#include <string>

#include "hfile/block_checksum.h"

namespace bloomery::hfile {

BlockWriter::BlockWriter(FileOutput& output, std::optional<PayloadCompressor> compressor,
                         ChecksumType checksum, std::uint32_t bytes_per_checksum)
    : output_(output),
      compressor_(std::move(compressor)),
      checksum_(checksum),
      bytes_per_checksum_(bytes_per_checksum) {
  previous_offsets_.fill(-1);
}

ByteWriter& BlockWriter::begin(BlockKind kind) {
  kind_ = kind;
  block_.clear();
  block_.extend(kBlockHeaderBytes);
  return block_;
}

// Returns the offset of the previous block of the same kind. Plain and encoded data blocks form one chain.
std::int64_t& BlockWriter::previous_offset() {
  const BlockKind chain = kind_ == BlockKind::kEncodedData ? BlockKind::kData : kind_;
  return previous_offsets_[static_cast<std::size_t>(chain)];
}

// Compresses the payload into compressed_, after room for the header. Returns the size of both.
Result<std::size_t> BlockWriter::store_compressed() {
  const auto payload = block_.bytes().subspan(kBlockHeaderBytes);
  compressed_.clear();
  std::byte* const out = compressed_.extend(kBlockHeaderBytes + compressor_->largest_stored(payload.size()));
  const std::span<std::byte> room(out + kBlockHeaderBytes, compressed_.size() - kBlockHeaderBytes);
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t size, compressor_->compress(payload, room));
  compressed_.cut(kBlockHeaderBytes + size);
  return compressed_.size();
}

void BlockWriter::append_checksums(ByteWriter& block, std::size_t checked_bytes) const {
  for (std::size_t begin = 0; begin < checked_bytes; begin += bytes_per_checksum_) {
    const std::size_t size = std::min<std::size_t>(checked_bytes - begin, bytes_per_checksum_);
    block.number(block_checksum(checksum_, block.bytes().subspan(begin, size)));
  }
}

Result<WrittenBlock> BlockWriter::finish() {
  std::uint64_t checked_bytes = block_.size();
  const std::uint64_t payload = payload_bytes();
  if (compressor_ && payload <= kMaxOnDiskBytes) {
    BLOOMERY_ASSIGN_OR_RETURN(checked_bytes, store_compressed());
  }
  const std::uint64_t checksums = (checked_bytes - 1) / bytes_per_checksum_ + 1;
  const std::uint64_t on_disk = checked_bytes + 4 * checksums;
  if (on_disk > kMaxOnDiskBytes || payload > kMaxOnDiskBytes) {
    return Error::capacity(block_kind_name(kind_), "expected at most 2147483647 bytes, found " +
                                                       std::to_string(std::max(on_disk, payload)));
  }
  ByteWriter& block = compressor_ ? compressed_ : block_;
  write_block_header(block.data(), {.kind = kind_,
                                    .on_disk_bytes = static_cast<std::uint32_t>(on_disk),
                                    .uncompressed_bytes = static_cast<std::uint32_t>(payload),
                                    .previous_offset = previous_offset(),
                                    .checksum = checksum_,
                                    .bytes_per_checksum = bytes_per_checksum_,
                                    .checked_bytes = static_cast<std::uint32_t>(checked_bytes)});
  append_checksums(block, checked_bytes);
  const WrittenBlock written{output_.offset(), static_cast<std::uint32_t>(on_disk),
                             static_cast<std::uint32_t>(payload)};
  previous_offset() = static_cast<std::int64_t>(written.offset);
  uncompressed_bytes_ += kBlockHeaderBytes + payload;
  if (const Status status = output_.append(block.bytes()); !status) {
    return status.error();
  }
  return written;
}

}  // namespace bloomery::hfile
