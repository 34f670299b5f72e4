// The checksums behind a block: one of 4 bytes, big-endian, for each run of bytes per checksum, from the
// first byte of the header on; the last run is shorter. Of type none the 4 bytes are there and zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "hfile/block_header.h"

namespace bloomery::hfile {

// The checksum of one run; 0 for kNull.
std::uint32_t block_checksum(ChecksumType type, std::span<const std::byte> run);

// `block` is all of it, header.on_disk_bytes. Errors: kCorruption, with the offset of the run that differs.
Status verify_block_checksums(const BlockHeader& header, std::span<const std::byte> block,
                              std::uint64_t offset);

}  // namespace bloomery::hfile
