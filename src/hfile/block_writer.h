// Writes the blocks of an HFile, one at a time: compresses the payload, puts the header in front and the
// checksums behind, and remembers where the last block of each kind is.
//
// Calls: (begin finish)*.   One buffer holds the payload, with room for its header, and is used for every
// block; a second one what it was compressed to. Layouts: block_header.h, block_checksum.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "hfile/block_header.h"
#include "hfile/byte_writer.h"
#include "hfile/file_output.h"
#include "hfile/payload_compressor.h"

namespace bloomery::hfile {

// Where a block is, and how large it was before it was compressed.
struct WrittenBlock {
  std::uint64_t offset = 0;
  std::uint32_t on_disk_bytes = 0;
  std::uint32_t payload_bytes = 0;
};

class BlockWriter {
 public:
  // `output` outlives it; without `compressor`, payloads are stored as they are.
  BlockWriter(FileOutput& output, std::optional<PayloadCompressor> compressor, ChecksumType checksum,
              std::uint32_t bytes_per_checksum);

  // The payload is to be appended to what it returns, which has kBlockHeaderBytes already.
  ByteWriter& begin(BlockKind kind);
  std::size_t payload_bytes() const { return block_.size() - kBlockHeaderBytes; }

  // Of all blocks: headers and payloads, before they were compressed.
  std::uint64_t uncompressed_bytes() const { return uncompressed_bytes_; }

  // Errors: kCapacity for a block of 2^31 bytes or more; kIo.
  Result<WrittenBlock> finish();

 private:
  std::int64_t& previous_offset();
  Result<std::size_t> store_compressed();
  void append_checksums(ByteWriter& block, std::size_t checked_bytes) const;

  FileOutput& output_;
  std::optional<PayloadCompressor> compressor_;
  ChecksumType checksum_;
  std::uint32_t bytes_per_checksum_;
  BlockKind kind_ = BlockKind::kData;
  ByteWriter block_;
  ByteWriter compressed_;
  std::uint64_t uncompressed_bytes_ = 0;
  std::array<std::int64_t, kBlockKinds> previous_offsets_;
};

}  // namespace bloomery::hfile
