// A band of a ribbon's shard while it is built: what the solver is given, and what it returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {

inline constexpr std::size_t kBandsAtOnce = 4;
// The lowest bit, so that it is column 0 of a fingerprint too.
inline constexpr std::uint64_t kRejectBit = 1;

// One band: keys in, equations, codes and bumped keys out.
struct Band {
  // In. `hashes` in ascending order of start, of equal starts by hash, no hash twice; starts[i] belongs to
  // hashes[i] and is below band_starts(blocks).
  std::span<const std::uint64_t> hashes;
  std::span<const std::uint32_t> starts;
  std::uint32_t blocks = 0;
  std::uint32_t seed = 0;
  std::uint32_t layer = 0;
  std::uint64_t reject_bit = 0;  // kRejectBit where hashes have the flag, otherwise 0
  std::uint32_t columns = 64;    // wanted of the fingerprints, the lowest ones

  // Out.
  // By pivot, 64 a block. Columns of a fingerprint that are not wanted may have any value.
  std::vector<BandEquation> equations;
  std::vector<std::uint8_t> codes;    // by bucket
  std::vector<std::uint64_t> bumped;  // ascending by start
};

}  // namespace bloomery
