// The header of a dump, which BF.SCANDUMP returns for iterator 0.
//
//   u64 size  u32 links  u32 options  u32 growth  links * 53 bytes (chain_link.h)
//
// Invariant: size is the sum of the links' sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "codec/redisbloom/chain_link.h"

namespace bloomery::redisbloom {

struct ChainHeader {
  std::uint32_t options = 0;  // a sum of kNoRounding and the other bits in chain_link.h
  std::uint32_t growth = 0;   // the entries of a new link, as a multiple of the previous link's entries
  std::vector<ChainLink> links;

  // Both functions sum over all links and saturate.
  std::uint64_t size() const;
  std::uint64_t data_bytes() const;
};

// Reads a header that fills all of `bytes`, which begin at `offset` of their file. Errors: kCorruption.
Result<ChainHeader> read_chain_header(std::span<const std::byte> bytes, std::uint64_t offset);
std::string chain_header_bytes(const ChainHeader& header);

}  // namespace bloomery::redisbloom
