// A multiset of 128-bit hashes, kept exactly: the hash table of an ExactSet.
//
// It uses open addressing with linear probing, and at most 4/5 of the slots are occupied. The home slot of a
// hash depends on numbers that are drawn once a process. So an attacker cannot choose keys, or write a file,
// whose hashes form one run.
//
// Invariants:
//
//   - There is no gap between the home slot of a hash and its slot.
//   - An empty slot has count 0.
//   - The sum of all counts is less than 2^64.
//
// Not here: the file (exact_set.cc), and the filter that a grown set becomes.
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
    std::uint64_t count = 0;  // 0 if the slot is empty
  };

  // The multipliers that choose the home slot of a hash: the leading bits of low * by_low + high * by_high.
  struct Spread {
    std::uint64_t by_low;
    std::uint64_t by_high;

    static Spread drawn();
  };

  explicit ExactTable(const Spread& spread = Spread::drawn()) : spread_(spread) {}

  // Return the number of different hashes, and the sum of their counts.
  std::uint64_t size() const { return size_; }
  std::uint64_t total() const { return total_; }

  std::uint64_t count(const Hash128& hash) const { return slots_.empty() ? 0 : slots_[place_of(hash)].count; }
  // Reserves slots for `hashes` different hashes. Errors: kCapacity if the machine lacks the memory.
  Status reserve(std::uint64_t hashes);
  // Adds `times` (at least 1) to a hash's count. Errors: kCapacity if the sum of counts would reach 2^64, or
  // if memory is lacking. A sufficient reserve() excludes the latter. Nothing has changed then.
  Status insert(const Hash128& hash, std::uint64_t times);
  // Decrements the hash's count. Returns false if the hash is not in.
  bool remove(const Hash128& hash);
  void clear();

  // Prefetches the home slot of a hash that will be used soon.
  void prefetch(const Hash128& hash) const {
    if (!slots_.empty()) {
      __builtin_prefetch(&slots_[home_of(hash)]);
    }
  }

  // Returns all entries, ascending by (low, high).
  std::vector<Entry> sorted() const;

 private:
  std::size_t home_of(const Hash128& hash) const {
    return static_cast<std::size_t>((hash.low * spread_.by_low + hash.high * spread_.by_high) >> shift_);
  }
  std::size_t next(std::size_t place) const { return (place + 1) & (slots_.size() - 1); }
  // Returns the slot of the hash, or the empty slot where it would be inserted.
  std::size_t place_of(const Hash128& hash) const;
  Status resize(std::size_t slots);

  Spread spread_;
  std::vector<Entry> slots_;  // none, or a power of two of them
  int shift_ = 0;             // 64 - log2 of the number of slots
  std::uint64_t size_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace bloomery
