// The rank-and-select quotient table: a multiset of fingerprints in one linear table, which keys can be taken
// out of again. The core of a filter that deletes, counts, lists, merges and doubles.
//
//   auto table = QuotientTable::create({.quotients = 1'000'000, .remainder_bits = 13});
//   table->insert(hash);  table->contains(hash);  table->erase(hash);
//
// Bytes, fingerprints, how counts are written: quotient_slots.h. 2.125 + r bits a slot, a slot a
// key (two for one put in twice, four for most that were put in more often), and kOverflowSlots.
//
// Load is taken slots / quotients. Up to 0.95 an insert moves a few hundred bytes at most times; beyond, it
// still is right but moves 1 / (1 - load)^2. insert() refuses, and changes nothing, when no slot is free
// behind the fingerprint's home: what is hashed evenly is refused only when nearly all slots are taken; keys
// of equal quotients near the end, when they have used up the slots behind it.
//
// fpp: a hash that was not inserted is found if its fingerprint is that of one that was: distinct
// fingerprints / (quotients * 2^r), exactly, over hashes asked. From n even keys, 1 - (1 - 1 / (quotients *
// 2^r))^n, which is about load * 2^-r.
//
// erase() takes a fingerprint out, not a key: erase only what was inserted and not yet erased. Of two keys
// with one fingerprint the table knows that they are two, not which; a key that was never in may share the
// fingerprint of one that is, and erasing it would then make that one a false "no". Nothing of this size can
// tell them apart: that it answers "maybe" is all that it knows (Agarwala and Even 2024). A count that has
// reached kMaxQuotientCount may have been more, and is never lowered.
//
// Equal multisets of one plan have equal bytes, whatever way they came about.
//
// Sources: Bender et al., "Don't Thrash: How to Cache Your Hash on Flash" (2012), for quotienting and its
// merging and doubling; Pandey, Bender, Johnson and Patro, "A General-Purpose Counting Filter: Making Every
// Bit Count" (2017), for rank and select with offsets over blocks of 64, and for counts inside runs. The
// quotient by multiplication, the counts' encoding and the byte of offset with a look further back are ours.
//
// Keys of equal quotients make one long cluster, which every call into it walks a block
// at a time: answers stay right, time grows with the cluster. Who fears chosen keys hashes with a secret.
//
// Threads: readers among themselves; whoever writes is alone.
// Not here: the hash, which must be even over 64 bits; files; growth policy; concurrent writers; tombstones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/memory.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/quotient/quotient_kernel.h"
#include "filter/quotient/quotient_slots.h"

namespace bloomery {

// A fingerprint and how often it was inserted, 1 to kMaxQuotientCount.
struct QuotientEntry {
  QuotientFingerprint fingerprint;
  std::uint64_t count = 0;

  friend bool operator==(const QuotientEntry&, const QuotientEntry&) = default;
};

// Reads a table from its first fingerprint to its last, ascending. The table does not change meanwhile.
class QuotientCursor {
 public:
  explicit QuotientCursor(const QuotientSlots& slots);
  // False: there is no further one.
  bool next(QuotientEntry& entry);

 private:
  bool next_run();

  QuotientSlots slots_;
  std::uint64_t block_ = 0;
  std::uint64_t occupieds_;  // those of block_ whose runs are still to come
  std::uint64_t quotient_ = 0;
  std::uint64_t slot_ = 0;
  std::uint64_t run_end_ = 0;
};

class QuotientTable {
 public:
  // An empty table in memory of its own.   Errors: kInvalidArgument (is_valid(plan) says no), kCapacity.
  static Result<QuotientTable> create(const QuotientPlan& plan);
  // The table that stands in `words`, which stay the caller's and are changed by what changes the table; all
  // zero is an empty one. Reads all of them: see check().   Errors: kInvalidArgument (the plan, or the number
  // of words), kCorruption.
  static Result<QuotientTable> over(const QuotientPlan& plan, std::span<std::uint64_t> words);
  // The same for words that were checked before and have not changed since; `tally` is what they hold.
  static Result<QuotientTable> over_checked(const QuotientPlan& plan, std::span<std::uint64_t> words,
                                            const QuotientTally& tally);
  // All of two tables. Their plans may differ from `plan` and each other as in resized(). Counts add up, to
  // at most kMaxQuotientCount. O(slots).   Errors: as resized().
  static Result<QuotientTable> merged(const QuotientTable& a, const QuotientTable& b,
                                      const QuotientPlan& plan);

  // False: full; nothing has changed. Adding to a count of kMaxQuotientCount is not refused and has no
  // effect.
  bool insert(std::uint64_t hash, std::uint64_t count = 1) {
    return kernel_->insert(slots_, tally_, slots_.fingerprint(hash), count);
  }
  // False: the fingerprint is not in; nothing has changed. True without effect if its count is pinned.
  bool erase(std::uint64_t hash) { return kernel_->erase(slots_, tally_, slots_.fingerprint(hash)); }
  bool contains(std::uint64_t hash) const { return kernel_->contains(slots_, slots_.fingerprint(hash)); }
  std::uint64_t count(std::uint64_t hash) const { return kernel_->count(slots_, slots_.fingerprint(hash)); }

  // The same by fingerprint.   Precondition: quotient < quotients, remainder < 2^r.
  bool insert(const QuotientFingerprint& fingerprint, std::uint64_t count = 1) {
    return kernel_->insert(slots_, tally_, fingerprint, count);
  }
  bool erase(const QuotientFingerprint& fingerprint) { return kernel_->erase(slots_, tally_, fingerprint); }
  bool contains(const QuotientFingerprint& fingerprint) const {
    return kernel_->contains(slots_, fingerprint);
  }
  std::uint64_t count(const QuotientFingerprint& fingerprint) const {
    return kernel_->count(slots_, fingerprint);
  }

  // Many at once, of the low words, with their cache lines asked for ahead. Bit i mod 64 of word i / 64 of
  // `answers` is the answer for hash i; there are answer words for all, and bits behind the last become 0.
  void contains_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  void erase_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);
  // Inserts each once, in order; returns how many, which is less than all only when the table is full.
  std::size_t insert_batch(std::span<const Hash128> hashes) {
    return kernel_->insert_batch(slots_, tally_, hashes);
  }

  // Asks for what a call with this hash will most likely need.
  __attribute__((always_inline)) inline void prefetch(std::uint64_t hash) const {
    const std::uint64_t quotient = slots_.fingerprint(hash).quotient;
    const std::uint64_t* const block = slots_.block(quotient / 64);
    const std::uint64_t* const remainders = block + 2 + quotient % 64 * slots_.remainder_bits() / 64;
    __builtin_prefetch(block);
    __builtin_prefetch(remainders);
    __builtin_prefetch(remainders + 2);
  }

  QuotientCursor cursor() const { return QuotientCursor(slots_); }

  // The table of another plan that the same inserts had made, without the keys; that is possible where `plan`
  // has a universe, quotients * 2^r, that divides this one's. An equal one loses nothing: quotients doubled
  // and r less one. A smaller one makes fingerprints of neighbours equal and adds up their counts. O(slots).
  //   Errors: kInvalidArgument; kCapacity (memory, or they do not fit).
  Result<QuotientTable> resized(const QuotientPlan& plan) const;
  // Twice the quotients, one bit less: quotient' = 2 quotient + the remainder's top bit.
  //   Errors: kInvalidArgument when r is 1; as resized().
  Result<QuotientTable> doubled() const;
  // The table in two: as many quotients and one bit less each, of the hashes whose top bit is 0 and of those
  // whose it is 1, each shifted left by one.   Errors: as doubled().
  Result<std::pair<QuotientTable, QuotientTable>> halves() const;
  // Takes everything out.
  void clear();

  // Proves that the table is whole: what quotient_slots.h says of one, and that its tally is right. Every
  // call on it is then in bounds, ends, and answers for some multiset. O(slots), no memory.
  //   Errors: kCorruption, with the offset in bytes of the first word that is wrong.
  Status check() const;

  QuotientPlan plan() const { return slots_.plan(); }
  const QuotientTally& tally() const { return tally_; }
  std::uint64_t slots() const { return slots_.slots(); }
  std::span<const std::uint64_t> words() const {
    return {slots_.words(), static_cast<std::size_t>(*quotient_words(plan()))};
  }
  double load() const;
  // Of a hash that was not inserted, as things are.
  double fpp() const;

  // With another kernel than the machine's best; for tests and benchmarks.
  void use_kernel(const QuotientKernel& kernel) { kernel_ = &kernel; }

 private:
  QuotientTable(const QuotientPlan& plan, std::uint64_t* words, const QuotientTally& tally)
      : slots_(plan, words), tally_(tally), kernel_(&chosen_quotient_kernel()) {}

  AlignedBuffer own_;  // empty where the words are the caller's
  QuotientSlots slots_;
  QuotientTally tally_;
  const QuotientKernel* kernel_;
};

// Fills an empty table from entries that ascend, each fingerprint once; O(slots), where inserting them would
// search every one's place.
class QuotientTableWriter {
 public:
  // All `words` of a valid plan are zero.
  QuotientTableWriter(const QuotientPlan& plan, std::uint64_t* words) : slots_(plan, words) {}
  // Errors: kCapacity when it does not fit; the words are then worth nothing. kInvalidArgument for an entry
  // out of order or out of range.
  Status append(const QuotientEntry& entry);
  // Makes it a table, and says what it holds.
  QuotientTally finish();

 private:
  // Ends the run that is being written, if there is one; the next is of this quotient.
  void end_run(std::uint64_t next_quotient);

  QuotientSlots slots_;
  QuotientTally tally_;
  QuotientFingerprint last_;
  std::uint64_t free_ = 0;  // behind all that was written
};

}  // namespace bloomery
