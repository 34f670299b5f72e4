// The kernel of the quotient table: it finds the run of a hash, and inserts and erases slots in runs.
//
// Rank and select find a run. Let o be 64 b + the offset of block b. All runs of quotients before 64 b end
// before slot o. The run of the k-th occupied quotient of the block ends at the k-th runend from o on. A slot
// is free if all runs of quotients up to its own number end before it.
//
// An insert shifts all slots from its position to the next free slot by one. An erase shifts them back, up to
// the first run that is at home.
//
// kScalarQuotientKernel is the definition. The other kernel is the same source (quotient_kernel_ops.h),
// compiled for processors that count and deposit bits in one instruction.
//
// If QuotientTable::check() accepts a table, no call reads or writes outside of it.
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
  // Returns how often the fingerprint was inserted and not erased; 0 if never.
  std::uint64_t (*count)(const QuotientSlots&, const QuotientFingerprint&);
  // Adds to the count, up to kMaxQuotientCount. Returns false if there are not enough free slots; then
  // nothing has changed.
  bool (*insert)(const QuotientSlots&, QuotientTally&, const QuotientFingerprint&, std::uint64_t count);
  // Decrements the count, unless it is kMaxQuotientCount. Returns false if the count is 0.
  bool (*erase)(const QuotientSlots&, QuotientTally&, const QuotientFingerprint&);
  // Returns the first free slot from a slot on, or slots.slots() if there is none. An insert of a slot changes
  // nothing before the fingerprint's block, and nothing after the block of the first free slot from its home
  // on. Neither does an erase.
  std::uint64_t (*first_free)(const QuotientSlots&, std::uint64_t slot);
  // Answer many hashes. Bit i mod 64 of word i / 64 of `answers` is the result of contains() or erase() for
  // hash i. Bits after the last hash are 0.
  void (*contains_batch)(const QuotientSlots&, std::span<const Hash128>, std::uint64_t* answers);
  void (*erase_batch)(const QuotientSlots&, QuotientTally&, std::span<const Hash128>, std::uint64_t* answers);
  // Inserts each hash once. Returns how many it has inserted, in order, until one was refused.
  std::size_t (*insert_batch)(const QuotientSlots&, QuotientTally&, std::span<const Hash128>);
};

// Returns all kernels of this build. The scalar definition is the last.
std::span<const QuotientKernel> quotient_kernels();

// Returns the first kernel that this machine can run. If the environment variable BLOOMERY_KERNEL names one
// (scalar, avx2) that it can run, returns that.
const QuotientKernel& chosen_quotient_kernel();

extern const QuotientKernel kScalarQuotientKernel;
extern const QuotientKernel kAvx2QuotientKernel;

}  // namespace bloomery
