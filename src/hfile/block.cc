#include "hfile/block.h"

#include <algorithm>
#include <string>

#include "hfile/block_checksum.h"

namespace bloomery::hfile {
namespace {

// An upper bound of the memory that a block needs in addition to its payload: the object, its use count, and
// its entry in a cache's table.
constexpr std::uint64_t kBlockOverhead = 384;

Status check_payload_size(const BlockHeader& header, std::uint64_t offset, Compression compression,
                          std::uint64_t max_bytes) {
  const std::uint64_t stored = header.checked_bytes - kBlockHeaderBytes;
  const std::uint64_t size = header.uncompressed_bytes;
  if (compression == Compression::kNone && stored != size) {
    return Error::corruption(block_kind_name(header.kind), offset,
                             "a payload of " + std::to_string(size) + " bytes", stored);
  }
  if (size > largest_payload(compression, stored)) {
    return Error::corruption(block_kind_name(header.kind), offset,
                             "a payload that " + std::to_string(stored) + " bytes of " +
                                 compression_name(compression) + " can become",
                             "the size " + std::to_string(size));
  }
  if (size > max_bytes) {
    return Error::capacity(block_kind_name(header.kind),
                           "at byte " + std::to_string(offset) + ": expected a payload of at most " +
                               std::to_string(max_bytes) + " bytes, found " + std::to_string(size));
  }
  return {};
}

// Returns a decompressor's error as an error of this block.
Error of_block(const Error& error, const BlockHeader& header, std::uint64_t offset) {
  const std::string detail = error.subject() + ": " + error.detail();
  return error.code() == ErrorCode::kUnsupported
             ? Error::unsupported(block_kind_name(header.kind), offset, detail)
             : Error::corruption(block_kind_name(header.kind), offset, detail);
}

}  // namespace

Result<BlockPointer> make_block(BlockMemory stored, std::uint64_t offset, Compression compression,
                                std::uint64_t max_bytes, MemoryShare memory, BlockLife life) {
  const std::span<const std::byte> bytes = stored.bytes();
  if (bytes.size() < kBlockHeaderBytes) {
    return Error::corruption("block header", offset, "33 bytes", bytes.size());
  }
  BLOOMERY_ASSIGN_OR_RETURN(const BlockHeader header,
                            parse_block_header(bytes.first<kBlockHeaderBytes>(), offset));
  if (header.on_disk_bytes != bytes.size()) {
    return Error::corruption(block_kind_name(header.kind), offset,
                             "a block of " + std::to_string(bytes.size()) + " bytes",
                             "one of " + std::to_string(header.on_disk_bytes));
  }
  BLOOMERY_RETURN_IF_ERROR(verify_block_checksums(header, bytes, offset));
  BLOOMERY_RETURN_IF_ERROR(check_payload_size(header, offset, compression, max_bytes));
  const bool is_plain = compression == Compression::kNone;
  const std::size_t room =
      is_plain ? stored.room().size_bytes() : room_of_block(header.kind, header.uncompressed_bytes, life);
  const std::uint64_t kept = is_plain ? bytes.size() : header.uncompressed_bytes;
  BLOOMERY_RETURN_IF_ERROR(memory.add(block_kind_name(header.kind), kept + room + kBlockOverhead));
  if (is_plain) {
    return Block::make(header, offset, std::move(stored), kBlockHeaderBytes, std::move(memory));
  }
  BlockMemory payload = BlockMemory::of(header.uncompressed_bytes, room);
  const Status done = decompress_payload(
      compression, bytes.subspan(kBlockHeaderBytes, header.checked_bytes - kBlockHeaderBytes),
      payload.bytes());
  if (!done) {
    return of_block(done.error(), header, offset);
  }
  return Block::make(header, offset, std::move(payload), 0, std::move(memory));
}

}  // namespace bloomery::hfile
