// The rank-and-select quotient table: a multiset of fingerprints in one linear table, from which keys can be
// erased again. It is the core of a filter that deletes, counts, lists, merges and doubles.
//
//    auto table = QuotientTable::create({.quotients = 1'000'000, .remainder_bits = 13});
//    table->insert(hash);  table->contains(hash);  table->erase(hash);
//
// quotient_slots.h defines the bytes, the fingerprints, and how counts are written. A slot has 2.125 + r
// bits. A key uses one slot; a key that was inserted twice uses two, and most that were inserted more often
// use four. A table has at least kOverflowSlots more slots than quotients.
//
// Load is occupied slots / quotients. Up to a load of 0.95 most inserts move a few hundred bytes. At higher
// loads inserts stay correct, but move a number of slots in the order of 1 / (1 - load)^2.
//
// insert() refuses a key, and changes nothing, if no slot is free after the fingerprint's home. Evenly hashed
// keys are refused only when nearly all slots are occupied. Keys of equal quotients near the end are refused
// when they have used up the slots after it.
//
// The fpp is distinct fingerprints / (quotients * 2^r), exactly, over all hashes that may be queried: a hash
// that was not inserted is found if it shares the fingerprint of one that was. After n evenly hashed keys it
// is 1 - (1 - 1 / (quotients * 2^r))^n, which is about load * 2^-r.
//
// erase() removes a fingerprint, not a key. So erase only keys that were inserted and not yet erased. The
// table counts two keys with one fingerprint, but cannot tell them apart. A key that was never in may share
// the fingerprint of a member; erasing it would turn the member into a false negative. No structure of this
// size can tell them apart, since all that it can answer is "maybe" (Agarwala and Even 2024). A count that
// has reached kMaxQuotientCount may have been higher, and is never lowered.
//
// Equal multisets of one plan have equal bytes, regardless of their history.
//
// Sources:
//
//   - Bender et al., "Don't Thrash: How to Cache Your Hash on Flash" (2012): quotienting, merging and
//     doubling.
//   - Pandey, Bender, Johnson and Patro, "A General-Purpose Counting Filter: Making Every Bit Count" (2017):
//     rank and select with offsets over blocks of 64, and counts inside runs.
//   - Ours: the quotient by multiplication, the encoding of counts, and the one-byte offset with a search in
//     earlier blocks.
//
// Keys of equal quotients make one long cluster, which every call into it walks block by block. Answers stay
// right, and the time grows with the cluster. A secret hash key protects against chosen keys.
//
// Threads: several readers may run together; a writer is alone. Not here: the hash, which must be even over
// 64 bits; files; growth policy; concurrent writers; tombstones.
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

// Reads a table from its first fingerprint to its last, in ascending order. The table must not change
// meanwhile.
class QuotientCursor {
 public:
  explicit QuotientCursor(const QuotientSlots& slots);
  // Returns false if there is no further entry.
  bool next(QuotientEntry& entry);

 private:
  bool next_run();

  QuotientSlots slots_;
  std::uint64_t block_ = 0;
  std::uint64_t occupieds_;  // the quotients of block_ whose runs are not read yet
  std::uint64_t quotient_ = 0;
  std::uint64_t slot_ = 0;
  std::uint64_t run_end_ = 0;
};

class QuotientTable {
 public:
  // Returns an empty table in memory of its own. Errors: kInvalidArgument unless is_valid(plan); kCapacity.
  static Result<QuotientTable> create(const QuotientPlan& plan);
  // Returns a table over `words`, which the caller owns. Calls that change the table change them. All zero is
  // an empty table. Reads all words and checks them, see check(). Errors: kInvalidArgument (the plan, or the
  // number of words), kCorruption.
  static Result<QuotientTable> over(const QuotientPlan& plan, std::span<std::uint64_t> words);
  // Returns a table over words that were checked before and have not changed since, without reading them.
  // `tally` is their content.
  static Result<QuotientTable> over_checked(const QuotientPlan& plan, std::span<std::uint64_t> words,
                                            const QuotientTally& tally);
  // Returns the union of two tables. Their plans may differ from `plan` and from each other as in resized().
  // Counts add up, to at most kMaxQuotientCount. O(slots). Errors: kInvalidArgument; kCapacity (memory, or
  // the entries do not fit).
  static Result<QuotientTable> merged(const QuotientTable& a, const QuotientTable& b,
                                      const QuotientPlan& plan);

  // Returns false if the table is full; then nothing has changed. Adding to a count of kMaxQuotientCount is
  // not refused and has no effect.
  bool insert(std::uint64_t hash, std::uint64_t count = 1) {
    return kernel_->insert(slots_, tally_, slots_.fingerprint(hash), count);
  }
  // Returns false if the fingerprint is not in; then nothing has changed. Returns true without effect if its
  // count has reached kMaxQuotientCount.
  bool erase(std::uint64_t hash) { return kernel_->erase(slots_, tally_, slots_.fingerprint(hash)); }
  bool contains(std::uint64_t hash) const { return kernel_->contains(slots_, slots_.fingerprint(hash)); }
  std::uint64_t count(std::uint64_t hash) const { return kernel_->count(slots_, slots_.fingerprint(hash)); }

  // Do the same by fingerprint. Precondition: quotient < quotients, remainder < 2^r.
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

  // Answer many hashes at once, by their low words, and prefetch their cache lines. Bit i mod 64 of word i /
  // 64 of `answers` is the answer for hash i. Bits after the last hash become 0. Precondition: there are
  // answer words for all hashes.
  void contains_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  void erase_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);
  // Inserts each hash once, in order. Returns the number of inserted hashes, which is less than all only if
  // the table is full.
  std::size_t insert_batch(std::span<const Hash128> hashes) {
    return kernel_->insert_batch(slots_, tally_, hashes);
  }

  // Prefetches what a call with this hash will most likely need.
  __attribute__((always_inline)) inline void prefetch(std::uint64_t hash) const {
    const std::uint64_t quotient = slots_.fingerprint(hash).quotient;
    const std::uint64_t* const block = slots_.block(quotient / 64);
    const std::uint64_t* const remainders = block + 2 + quotient % 64 * slots_.remainder_bits() / 64;
    __builtin_prefetch(block);
    __builtin_prefetch(remainders);
    __builtin_prefetch(remainders + 2);
  }

  QuotientCursor cursor() const { return QuotientCursor(slots_); }

  // Returns the table of another plan that the same inserts would have made, without the keys. This is
  // possible if the universe of `plan`, quotients * 2^r, divides the universe of this plan. An equal universe
  // loses nothing: for instance quotients doubled and r less one. A smaller one merges neighbouring
  // fingerprints and adds up their counts. O(slots). Errors: kInvalidArgument; kCapacity (memory, or the
  // entries do not fit).
  Result<QuotientTable> resized(const QuotientPlan& plan) const;
  // Returns the table with twice the quotients and one remainder bit less: quotient' = 2 quotient + the
  // remainder's top bit. Errors: kInvalidArgument if r is 1; kCapacity.
  Result<QuotientTable> doubled() const;
  // Splits the table in two, each with as many quotients and one remainder bit less. The first has the hashes
  // whose top bit is 0, the second those whose top bit is 1, each shifted left by one. Errors:
  // kInvalidArgument if r is 1; kCapacity.
  Result<std::pair<QuotientTable, QuotientTable>> halves() const;
  // Erases everything.
  void clear();

  // Verifies that the table is valid: that it has the form that quotient_slots.h defines, and that its tally
  // is right. Every call on it then stays in bounds, terminates, and answers for some multiset. O(slots), no
  // memory. Errors: kCorruption, with the offset in bytes of the first wrong word.
  Status check() const;

  QuotientPlan plan() const { return slots_.plan(); }
  const QuotientTally& tally() const { return tally_; }
  std::uint64_t slots() const { return slots_.slots(); }
  std::span<const std::uint64_t> words() const {
    return {slots_.words(), static_cast<std::size_t>(*quotient_words(plan()))};
  }
  double load() const;
  // Returns the fpp of a hash that was not inserted, with the present content.
  double fpp() const;

  // Selects a kernel other than the machine's fastest. For tests and benchmarks.
  void use_kernel(const QuotientKernel& kernel) { kernel_ = &kernel; }

 private:
  QuotientTable(const QuotientPlan& plan, std::uint64_t* words, const QuotientTally& tally)
      : slots_(plan, words), tally_(tally), kernel_(&chosen_quotient_kernel()) {}

  AlignedBuffer own_;  // empty if the caller owns the words
  QuotientSlots slots_;
  QuotientTally tally_;
  const QuotientKernel* kernel_;
};

// Fills an empty table from ascending entries, each fingerprint once. O(slots), while insert() would search
// the position of every entry.
class QuotientTableWriter {
 public:
  // Precondition: `plan` is valid and all `words` are zero.
  QuotientTableWriter(const QuotientPlan& plan, std::uint64_t* words) : slots_(plan, words) {}
  // Errors: kCapacity if the entry does not fit; the words are then invalid. kInvalidArgument for an entry
  // out of order or out of range.
  Status append(const QuotientEntry& entry);
  // Completes the table and returns its tally.
  QuotientTally finish();

 private:
  // Ends the run that is being written, if there is one. The next run belongs to `next_quotient`.
  void end_run(std::uint64_t next_quotient);

  QuotientSlots slots_;
  QuotientTally tally_;
  QuotientFingerprint last_;
  std::uint64_t free_ = 0;  // the first slot after all written ones
};

}  // namespace bloomery
