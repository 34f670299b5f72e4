// A set of 64-bit hashes: what remains of a key when all that is asked of it is whether it came before.
//
// Two different keys of one hash are taken as one. Of n keys under a secret hash about n^2 / 2^65 are lost
// so: one in three million runs of 10 million keys loses one.
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "dedup/hash_ordered_table.h"

namespace bloomery {

class HashSet64 {
 public:
  // Inserts the low words in order. answers, bit i: hashes[i].low was not in. Errors: kCapacity without
  // memory.
  Status test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);

  std::uint64_t size() const { return table_.size() + (has_zero_ ? 1 : 0); }
  // Of its memory; 10 to 13.3 a hash, at least 256 KiB.
  std::uint64_t byte_size() const { return table_.byte_size(); }

 private:
  struct Entry {
    std::uint64_t value;
    std::uint64_t hash() const { return value; }
  };

  HashOrderedTable<Entry> table_;
  bool has_zero_ = false;  // which cannot stand in the table
};

}  // namespace bloomery
