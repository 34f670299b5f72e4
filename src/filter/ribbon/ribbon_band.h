// A band of a ribbon's shard while it is built: the solver's input and output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/ribbon/ribbon_kernel.h"
#include "filter/shards/shard_line.h"

namespace bloomery {

// The number of bands that the scalar solver fills in one interleaved loop (ribbon_solver.h).
inline constexpr std::size_t kBandsAtOnce = 4;

// One band. Keys go in; equations, codes and bumped keys come out.
struct Band {
  // Input. `hashes` ascend by start, and by hash among equal starts. No hash occurs twice. starts[i] belongs
  // to hashes[i] and is below band_starts(blocks).
  std::span<const std::uint64_t> hashes;
  std::span<const std::uint32_t> starts;
  std::uint32_t blocks = 0;
  std::uint32_t seed = 0;
  std::uint32_t layer = 0;
  std::uint64_t reject_bit = 0;  // kRejectBit if hashes carry the flag, otherwise 0
  std::uint32_t columns = 64;    // the needed columns of a fingerprint, from the lowest

  // Output. The equation of each slot's pivot, 64 slots to a block. Unneeded columns of a fingerprint may
  // have any value.
  std::vector<BandEquation> equations;
  std::vector<std::uint8_t> codes;    // of the buckets, in order
  std::vector<std::uint64_t> bumped;  // ascending by start
};

}  // namespace bloomery
