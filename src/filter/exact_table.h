// A multiset of 128-bit hashes, kept whole: what an ExactSet is behind its plan.
//
// Open addressing with linear probing by the leading bits of the low word; at most 4/5 of the slots are
// taken. Invariants: a run of taken slots has no gap between a hash's own slot and where it lies; an empty
// slot has count 0. Not here: the file (exact_set.cc), what the set becomes when it has grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

class ExactTable {
 public:
  struct Entry {
    Hash128 hash;
    std::uint64_t count = 0;  // 0: the slot is empty
  };

  // Different hashes that are in, and the sum of their counts.
  std::uint64_t size() const { return size_; }
  std::uint64_t total() const { return total_; }

  std::uint64_t count(const Hash128& hash) const { return slots_.empty() ? 0 : slots_[place_of(hash)].count; }
  // Adds `times` (at least 1) to a hash's count. Errors: kCapacity when the machine lacks the memory; nothing
  // has changed then.
  Status insert(const Hash128& hash, std::uint64_t times);
  // Takes one of its count. False: it is not in.
  bool remove(const Hash128& hash);
  void clear();

  // Asks for the slot of a hash that will be looked at soon.
  void prefetch(const Hash128& hash) const {
    if (!slots_.empty()) {
      __builtin_prefetch(&slots_[home_of(hash)]);
    }
  }

  // Everything that is in, ascending by (low, high).
  std::vector<Entry> sorted() const;

 private:
  std::size_t home_of(const Hash128& hash) const { return static_cast<std::size_t>(hash.low >> shift_); }
  std::size_t next(std::size_t place) const { return (place + 1) & (slots_.size() - 1); }
  // Where it lies, or the empty slot where it would.
  std::size_t place_of(const Hash128& hash) const;
  Status grow();

  std::vector<Entry> slots_;  // none, or a power of two
  int shift_ = 0;             // 64 - log2 of their number
  std::uint64_t size_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace bloomery
