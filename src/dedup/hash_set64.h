// A set of 64-bit hashes. It can only answer whether a key came before.
//
// Two different keys with the same hash count as one. Of n keys that are hashed under a secret, about n^2 /
// 2^65 are lost to such collisions: with 10 million keys, one key in 370,000 runs.
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "dedup/hash_ordered_table.h"

namespace bloomery {

class HashSet64 {
 public:
  // Inserts the low words in order. Bit i of `answers` is set if hashes[i].low was not in the set.
  // Errors: kCapacity without memory.
  Status test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);

  std::uint64_t size() const { return table_.size() + (has_zero_ ? 1 : 0); }
  // Returns the bytes of its memory: 10 to 13.3 per hash, at least 256 KiB.
  std::uint64_t byte_size() const { return table_.byte_size(); }

 private:
  struct Entry {
    std::uint64_t value;
    std::uint64_t hash() const { return value; }
  };

  HashOrderedTable<Entry> table_;
  bool has_zero_ = false;  // the hash 0 is in, which the table cannot hold
};

}  // namespace bloomery
