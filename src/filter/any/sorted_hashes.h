// Finds 128-bit hashes among sorted ones, in the bytes of a file.
//
//    entry | entry | ...     16 bytes each: low word, high word, little-endian; ascending by (low, high), each once
//
// Low words of hashes are spread evenly, so a search looks where the low word would be between the two ends that it knows, and
// then between nearer ends. Among 60 million random entries it takes 5 looks on average. Hashes that somebody has chosen may lie
// otherwise. So after kGuesses such looks a search halves what is left, and takes at most kGuesses + log2(entries) + 1 looks in
// any bytes.
//
// A batch goes on with 64 searches in turn, and fetches the cache line of one while it looks at the others.
//
// Not here: the proof that entries ascend. Bytes that do not lead to wrong answers, never out of the bytes.
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
  // The entries outlive it. Precondition: a multiple of 16 bytes.
  explicit SortedHashes(std::span<const std::byte> entries) : entries_(entries) {}

  // Returns the index of the entry.
  std::optional<std::uint64_t> find(const Hash128& hash) const;
  // Sets bit i % 64 of answers[i / 64] to whether hashes[i] is an entry.
  void contains(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

 private:
  class Search;

  std::uint64_t contains_of(std::span<const Hash128> hashes) const;

  std::span<const std::byte> entries_;
};

}  // namespace bloomery
