// Finds 128-bit hashes among sorted, distinct ones, in the bytes of a file.
//
//    entry | entry | ...     16 bytes each: low word, high word, little-endian; ascending by (low, high)
//
// Low words of hashes are spread evenly, so this is an interpolation search: it probes where the low word
// should be between the two known ends, and then between nearer ends. Among 60 million random entries it
// needs 5 probes on average. Chosen hashes may be distributed differently. So after kGuesses such probes a
// search continues as a binary search, and needs at most kGuesses + log2(entries) + 1 probes in any bytes.
//
// A batch interleaves 64 searches, and prefetches the cache line of one while it probes for the others.
//
// Not here: the check that entries ascend. Unsorted bytes lead to wrong answers, but never to accesses
// outside the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/hash/hash128.h"

namespace bloomery {

class SortedHashes {
 public:
  static constexpr unsigned kGuesses = 12;

  SortedHashes() = default;
  // Precondition: the entries outlive it and are a multiple of 16 bytes.
  explicit SortedHashes(std::span<const std::byte> entries) : entries_(entries) {}

  // Returns the index of the entry, or nothing if the hash is not an entry.
  std::optional<std::uint64_t> find(const Hash128& hash) const;
  // Sets bit i % 64 of answers[i / 64] if hashes[i] is an entry, and clears it otherwise.
  void contains(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

 private:
  class Search;

  std::uint64_t contains_of(std::span<const Hash128> hashes) const;

  std::span<const std::byte> entries_;
};

}  // namespace bloomery
