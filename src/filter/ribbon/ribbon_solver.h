// Solving a ribbon's systems: which keys a band can hold, and the equations that its slots must meet.
//
// A band is filled bucket by bucket from left to right. Inside a bucket keys go in from right to left in
// three groups, those with an offset of at least 40, of at least 16, and the rest; a key is eliminated on the
// fly against the equations that stand where it lands. The first contradiction takes its whole group back,
// and everything left of it is bumped. So a band takes more keys than it has slots and still leaves hardly
// one free.
//
// The definition fills four bands side by side, in turns of one elimination step: a step waits ten cycles for
// the one before, and four independent ones do not (195 cycles a key alone, 83 in fours). The kernel for
// AVX-512 sweeps a bucket column after column instead, one band after the other.
// The result depends on a band's keys alone, not on what is solved beside it.
//
// A rejected key is one whose answer must be no: its fingerprint is turned around in column 0, which every
// slot has in a plan of at least one column, and it is solved for like any other. Its hash has kRejectBit
// set, which is a flag there and no part of the hash, in bands and tails whose `reject_bit` says so.
// What it does not do: decide how many blocks a band gets (ribbon_shard.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "filter/ribbon/ribbon_band.h"
#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {

// Fills every band. O(20) steps a key.
void solve_bands(std::span<Band* const> bands);

struct BandSolverKernel {
  const char* name;
  bool (*available)();
  // As the function of this name.
  void (*solve_bands)(std::span<Band* const> bands);
};

// All kernels of this build, the definition last.
std::span<const BandSolverKernel> band_solver_kernels();

extern const BandSolverKernel kScalarBandSolverKernel;
extern const BandSolverKernel kBmi2BandSolverKernel;
extern const BandSolverKernel kAvx512BandSolverKernel;

// The tail of a shard: a dense system.
struct Tail {
  std::vector<std::uint64_t> slots;  // bit j: column j
};

// The most keys of a tail, a few short of its slots.
inline constexpr std::size_t kMaxTailKeys = kMaxTailSlots - 31;

// Solves the tail for distinct `hashes`, at most kMaxTailKeys, in the fewest slots that the seed allows;
// O(n^3 / 384). Nothing when no number of slots does: try another seed.
std::optional<Tail> solve_tail(std::span<const std::uint64_t> hashes, std::uint32_t seed,
                               std::uint32_t columns, std::uint64_t reject_bit);

}  // namespace bloomery
