// The checksums at the end of a block. The block's bytes, from the header on, are divided into runs of "bytes
// per checksum" bytes; the last run is shorter. Each run has a checksum of 4 bytes, big-endian. With type
// kNull the 4 bytes exist and are zero. Source: HBase's ChecksumUtil; docs/formats/hfile.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "hfile/block_header.h"

namespace bloomery::hfile {

// Returns the checksum of one run; 0 for kNull.
std::uint32_t block_checksum(ChecksumType type, std::span<const std::byte> run);

// `block` is the complete block, header.on_disk_bytes long. Errors: kCorruption, with the offset of the run
// that differs.
Status verify_block_checksums(const BlockHeader& header, std::span<const std::byte> block,
                              std::uint64_t offset);

}  // namespace bloomery::hfile
