// Writes the blocks of an HFile, one at a time.   Calls: (begin finish)*
//
// Between the two calls the caller fills the buffer that begin() returns. Then finish() compresses it and
// writes the block: header, payload, checksums. The writer also remembers the block's offset for the next
// header of the same kind.
//
// Two buffers serve all blocks: one for the payload, with room for the header, and one for the compressed
// payload. Layouts: block_header.h, block_checksum.h.
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

// The position of a block, and the size of its payload before compression.
struct WrittenBlock {
  std::uint64_t offset = 0;
  std::uint32_t on_disk_bytes = 0;
  std::uint32_t payload_bytes = 0;
};

class BlockWriter {
 public:
  // `output` must outlive the writer. Without `compressor`, payloads are stored uncompressed.
  BlockWriter(FileOutput& output, std::optional<PayloadCompressor> compressor, ChecksumType checksum,
              std::uint32_t bytes_per_checksum);

  // Returns the buffer to which the caller appends the payload. It starts with kBlockHeaderBytes bytes for
  // the header.
  ByteWriter& begin(BlockKind kind);
  std::size_t payload_bytes() const { return block_.size() - kBlockHeaderBytes; }

  // Returns the bytes of all blocks so far: headers and payloads before compression.
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
