// Solves the linear systems of a ribbon: which keys a band can hold, and the equation that each slot must
// meet.
//
// A key is an equation over GF(2): the XOR of the slots that its coefficient row picks is its fingerprint.
// The row has 64 bits (the ribbon width), which begin at the key's start, and its lowest bit is 1. The
// *pivot* of a slot is the stored equation whose lowest coefficient is at that slot. A slot without a pivot
// is free.
//
// A band is filled as in bumped ribbon retrieval (Dillinger, Huebschle-Schneider, Sanders, Walzer 2022):
//
//    1. Buckets of 128 starts are filled from left to right.
//    2. Inside a bucket, keys are inserted from right to left, in three groups:
//
//         group   offset in the bucket   code of the bucket if this group is the last that fits
//           0          40 to 127            2   (kBumpedBelow[2] = 40)
//           1          16 to 39             1
//           2           0 to 15             0   no key is bumped
//
//    3. A key is inserted by on-the-fly Gaussian elimination (Dillinger and Walzer 2021). While its slot has
//       a pivot, the pivot is added to the equation, and the equation moves to its next coefficient.
//       At a free slot the equation becomes the pivot.
//    4. An equation that has lost all coefficients follows from the pivots if its fingerprint is 0 as well.
//       Otherwise it contradicts them. The first contradiction removes the pivots of its group. The keys of
//       that group, and all keys to the left of it in the bucket, are bumped (code 3: all keys).
//
// Invariants, which hold before and after every insertion:
//
//   - A pivot never changes, except that the pivots of a failed group are removed.
//   - The pivot of slot s has no coefficient before s, and bit 0 of its row is set.
//   - Every solution of the pivots meets the equations of all keys that are in.
//
// So a band is offered more keys than it has slots, and hardly a slot stays free.
//
// The scalar definition fills four bands in an interleaved loop, one elimination step of each in turn. A step
// waits about ten cycles for the step before it, and four independent chains hide that wait. A key costs 195
// cycles in a single band and 83 in four bands (measured as in ribbon_solver_avx512.cc). The kernel for
// AVX-512 eliminates a bucket column after column instead, one band after the other. The result depends on
// the keys of a band alone, not on the kernel or on the bands solved with it.
//
// A rejected key is a key whose answer must be no. Its fingerprint is inverted in column 0, which every slot
// has in a plan of at least one column, and it is inserted like any other key. Its hash has kRejectBit set.
// In bands and tails with `reject_bit` set, this bit is a flag and not part of the hash.
//
// ribbon_shard.h decides the number of blocks of a band.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "filter/ribbon/ribbon_band.h"
#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {

// Fills every band. An inserted key needs about 20 elimination steps.
void solve_bands(std::span<Band* const> bands);

struct BandSolverKernel {
  const char* name;
  bool (*available)();
  // The implementation of solve_bands().
  void (*solve_bands)(std::span<Band* const> bands);
};

// Returns all kernels of this build. The scalar definition is the last.
std::span<const BandSolverKernel> band_solver_kernels();

extern const BandSolverKernel kScalarBandSolverKernel;
extern const BandSolverKernel kBmi2BandSolverKernel;
extern const BandSolverKernel kAvx512BandSolverKernel;

// The solution of a shard's tail, which is a dense linear system: its rows have random coefficients in all
// slots.
struct Tail {
  std::vector<std::uint64_t> slots;  // bit j is column j
};

// The most keys of a tail. The 31 spare slots make a failure improbable: n random rows of n + 31 coefficients
// are dependent with a probability below 2^-31.
inline constexpr std::size_t kMaxTailKeys = kMaxTailSlots - 31;

// Solves the tail for distinct `hashes`, at most kMaxTailKeys, in the fewest slots that the seed allows.
// Needs O(n^3 / 384) steps: 64 coefficients in a word, and 6 columns in one addition (ribbon_tail.cc).
// Returns nothing if no number of slots up to kMaxTailSlots suffices: the caller tries another seed.
std::optional<Tail> solve_tail(std::span<const std::uint64_t> hashes, std::uint32_t seed,
                               std::uint32_t columns, std::uint64_t reject_bit);

}  // namespace bloomery
