// The header of 33 bytes at the start of every block of an HFile.
//
//   offset  size  field
//    0       8    magic: the kind of block
//    8       4    size on disk without this header: payload and checksums
//   12       4    size of the payload when decompressed
//   16       8    offset of the previous block of its kind, -1 if there is none
//   24       1    checksum: 0 none, 1 CRC-32, 2 CRC-32C
//   25       4    bytes per checksum, at least 33
//   29       4    size on disk with this header, without the checksums
//
// Integers are big-endian. For the previous block, plain and encoded data are one kind. Invariant:
//
//   33 + (at 8) = (at 29) + 4 ceil((at 29) / (at 25))
//
// Source: HBase's HFileBlock; docs/formats/hfile.md. block_checksum.h verifies the checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"

namespace bloomery::hfile {

inline constexpr std::size_t kBlockHeaderBytes = 33;
inline constexpr std::uint64_t kMaxOnDiskBytes = std::numeric_limits<std::int32_t>::max();

enum class BlockKind : std::uint8_t {
  kData,
  kEncodedData,
  kLeafIndex,
  kBloomChunk,
  kMeta,
  kIntermediateIndex,
  kRootIndex,
  kFileInfo,
  kGeneralBloomMeta,
  kDeleteFamilyBloomMeta,
};
inline constexpr std::size_t kBlockKinds = 10;

// The name in messages, such as "data block".
const char* block_kind_name(BlockKind kind);

// The address of a block in its file, as stored in an index or in a filter's list of chunks.
struct BlockAddress {
  BlockKind kind = BlockKind::kData;
  std::uint64_t offset = 0;
  std::uint32_t on_disk_bytes = 0;
};

struct BlockHeader {
  BlockKind kind = BlockKind::kData;
  std::uint32_t on_disk_bytes = 0;  // the complete block
  std::uint32_t uncompressed_bytes = 0;
  std::int64_t previous_offset = -1;
  ChecksumType checksum = ChecksumType::kCrc32c;
  std::uint32_t bytes_per_checksum = 0;
  std::uint32_t checked_bytes = 0;  // header and payload, without the checksums

  std::uint32_t checksum_count() const {
    return (checked_bytes - 1) / bytes_per_checksum + 1;  // checked_bytes >= 33
  }
};

// Error messages name `offset`, the block's position in its file. Errors: kCorruption; kUnsupported for an
// unknown checksum.
Result<BlockHeader> parse_block_header(std::span<const std::byte, kBlockHeaderBytes> bytes,
                                       std::uint64_t offset);

// Writes the header to `out`, which has room for kBlockHeaderBytes. header.on_disk_bytes includes the
// checksums.
void write_block_header(std::byte* out, const BlockHeader& header);

}  // namespace bloomery::hfile
