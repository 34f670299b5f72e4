// The kernel of the quotient table: from a hash to its run, and runs made longer and shorter.
//
// Where a run is follows from rank and select: with o = 64 b + offset of block b, everything of quotients
// before 64 b ends before slot o, and the run of the k-th occupied quotient of the block ends at the k-th
// runend from o on. A slot is free when all runs of quotients up to its own number end before it. Inserting
// moves everything from a slot up to the next free one by a slot; erasing moves it back, up to the first run
// that is at home.
//
// kScalarQuotientKernel is the definition. The other one is the same text (quotient_kernel_ops.h), compiled
// for processors that count and deposit bits in an instruction.
//
// On a table that is whole (QuotientTable::check()) no call reads or writes outside of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/hash/hash128.h"
#include "filter/quotient/quotient_slots.h"

namespace bloomery {

struct QuotientKernel {
  const char* name;
  bool (*available)();
  bool (*contains)(const QuotientSlots&, const QuotientFingerprint&);
  // How often the fingerprint was inserted and not erased; 0: never.
  std::uint64_t (*count)(const QuotientSlots&, const QuotientFingerprint&);
  // Adds to the count, up to kMaxQuotientCount. False: there are not enough free slots; nothing has changed.
  bool (*insert)(const QuotientSlots&, QuotientTally&, const QuotientFingerprint&, std::uint64_t count);
  // Takes one off the count, unless that is kMaxQuotientCount. False: it is 0.
  bool (*erase)(const QuotientSlots&, QuotientTally&, const QuotientFingerprint&);
  // Of many hashes; bit i mod 64 of word i / 64 of answers is what the call above says, and bits behind the
  // last are 0.
  void (*contains_batch)(const QuotientSlots&, std::span<const Hash128>, std::uint64_t* answers);
  void (*erase_batch)(const QuotientSlots&, QuotientTally&, std::span<const Hash128>, std::uint64_t* answers);
  // Inserts each once; returns how many, from the first, until one was refused.
  std::size_t (*insert_batch)(const QuotientSlots&, QuotientTally&, std::span<const Hash128>);
};

// All kernels of this build, the definition last.
std::span<const QuotientKernel> quotient_kernels();

// The first that this machine can run, or the one that the environment variable BLOOMERY_KERNEL names
// (scalar, avx2), if it can run it.
const QuotientKernel& chosen_quotient_kernel();

extern const QuotientKernel kScalarQuotientKernel;
extern const QuotientKernel kAvx2QuotientKernel;

}  // namespace bloomery
