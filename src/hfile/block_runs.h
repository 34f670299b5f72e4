// The runs of a block that its checksums are of, so that a part of it can be read and verified by itself.
//
//   block   run 0: header and payload | run 1 | ... | the last, shorter | checksums, one for each
//
// Made of a block that was read and verified whole, whose checksums it remembers: about 4 bytes for each 16
// KiB. Only where the payload lies in the file as it is, with checksums, in several runs.
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
  // Nothing for a block of another kind than above.
  static std::optional<BlockRuns> of(const Block& block);

  std::size_t count() const { return checksums_.size(); }
  std::uint32_t payload_bytes() const { return header_.uncompressed_bytes; }
  // The run that has the byte of the payload.
  std::size_t run_of(std::uint32_t payload_at) const {
    return (kBlockHeaderBytes + payload_at) / header_.bytes_per_checksum;
  }
  // The first byte of the run in the block, and how many it has.
  std::uint32_t begin(std::size_t i) const {
    return static_cast<std::uint32_t>(i) * header_.bytes_per_checksum;
  }
  std::uint32_t size(std::size_t i) const;

  std::uint64_t offset() const { return offset_; }
  BlockKind kind() const { return header_.kind; }
  // `run` is what stands there now. Errors: kCorruption when that is not what stood there.
  Status verify(std::size_t i, std::span<const std::byte> run) const;

 private:
  BlockHeader header_;
  std::uint64_t offset_ = 0;
  std::vector<std::uint32_t> checksums_;
};

}  // namespace bloomery::hfile
