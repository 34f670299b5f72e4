#include "hfile/block_runs.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "base/endian.h"
#include "hfile/block_checksum.h"

namespace bloomery::hfile {

// Reading a block of one run (4 bytes of checksums) by runs gains nothing.
std::optional<BlockRuns> BlockRuns::of(const Block& block) {
  const std::span<const std::byte> checksums = block.stored_checksums();
  if (block.header().checksum == ChecksumType::kNull || checksums.size() < 8) {
    return std::nullopt;
  }
  BlockRuns runs;
  runs.header_ = block.header();
  runs.offset_ = block.offset();
  runs.checksums_.reserve(checksums.size() / 4);
  for (std::size_t at = 0; at < checksums.size(); at += 4) {
    runs.checksums_.push_back(load_big32(checksums.data() + at));
  }
  return runs;
}

std::uint32_t BlockRuns::size(std::size_t i) const {
  return std::min(header_.bytes_per_checksum, header_.checked_bytes - begin(i));
}

Status BlockRuns::verify(std::size_t i, std::span<const std::byte> run) const {
  assert(run.size() == size(i));
  const std::uint32_t found = block_checksum(header_.checksum, run);
  if (found != checksums_[i]) {
    return Error::corruption(block_kind_name(header_.kind), offset_,
                             "the checksum " + std::to_string(checksums_[i]) + " of the bytes from " +
                                 std::to_string(offset_ + begin(i)),
                             found);
  }
  return {};
}

}  // namespace bloomery::hfile
