// The checksummed runs of a block. With them a reader can read and verify a single run instead of the block.
//
//   run 0: header and payload | run 1 | ... | last run, shorter | checksum of run 0 | of run 1 | ...
//
// BlockRuns is made from a block that was read and verified completely, and remembers its checksums: 4 bytes
// for each run, of 16 KiB by default. Runs exist only for a block that is not compressed, has checksums, and
// has at least two runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "hfile/block.h"
#include "hfile/block_header.h"

namespace bloomery::hfile {

class BlockRuns {
 public:
  // Returns nothing for blocks without runs (see above).
  static std::optional<BlockRuns> of(const Block& block);

  std::size_t count() const { return checksums_.size(); }
  std::uint32_t payload_bytes() const { return header_.uncompressed_bytes; }
  // Returns the run that contains this byte of the payload.
  std::size_t run_of(std::uint32_t payload_at) const {
    return (kBlockHeaderBytes + payload_at) / header_.bytes_per_checksum;
  }
  // Returns the offset of a run in the block; size() returns its size.
  std::uint32_t begin(std::size_t i) const {
    return static_cast<std::uint32_t>(i) * header_.bytes_per_checksum;
  }
  std::uint32_t size(std::size_t i) const;

  std::uint64_t offset() const { return offset_; }
  BlockKind kind() const { return header_.kind; }
  // `run` holds the bytes that are in the file now. Errors: kCorruption if their checksum differs from the
  // remembered one.
  Status verify(std::size_t i, std::span<const std::byte> run) const;

 private:
  BlockHeader header_;
  std::uint64_t offset_ = 0;
  std::vector<std::uint32_t> checksums_;
};

}  // namespace bloomery::hfile
