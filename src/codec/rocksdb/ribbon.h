// RocksDB's ribbon filter ("Standard128"): the solution of a system of linear equations over bits.
//
// Slots come in blocks of 128. The key's hash determines a start s, a coefficient row of 128 bits of which
// the first is 1, and an expected result of up to 32 bits:
//
//   t = seed * c78219a23eeadd03;  t ^= (t & f0f0f0f0f0f0f0f0) >> 4;  raw seed = low 32 bits of t
//   g = (hash ^ raw seed) * 6193d459236a3a0d
//   s = g * starts / 2^64
//   a = g * c28f82822b650bed
//   row = a * 2^64 + (a ^ c367844a6e52731d), bit 0 set
//   result = low 32 bits of a with its bytes reversed
//
// The key's equation: the XOR of the slots s + i, over every bit i that is set in the row, equals the result
// in all columns of the block of s.
//
// A block's columns are stored consecutively, 16 bytes each; bit i is slot i. The blocks below `narrow` have
// one column fewer, columns - 1.
//
// Solving is Gaussian elimination in the order of the keys. If it fails, the solver tries the next seed.
// Sources: docs/formats/rocksdb.md; Dillinger and Walzer, "Ribbon filter" (2021).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace bloomery {

inline constexpr std::uint64_t kRocksDbRibbonBlockSlots = 128;
inline constexpr std::uint32_t kRocksDbRibbonMaxColumns = 32;

struct RocksDbRibbonShape {
  std::uint32_t blocks = 0;
  std::uint32_t columns = 0;
  std::uint32_t narrow = 0;  // blocks with one column fewer

  // Precondition: blocks > 0.
  static RocksDbRibbonShape of(std::uint64_t segments, std::uint32_t blocks);

  std::uint64_t starts() const { return (std::uint64_t{blocks} - 1) * kRocksDbRibbonBlockSlots + 1; }
  std::uint32_t columns_of(std::uint64_t block) const { return columns - (block < narrow ? 1U : 0U); }
  // Returns the index of the block's first segment, which is its first column.
  std::uint64_t segment_of(std::uint64_t block) const {
    return block * columns - (block < narrow ? block : narrow);
  }
};

// `words` has two words per segment.
bool rocksdb_ribbon_may_match(std::span<const std::uint64_t> words, const RocksDbRibbonShape& shape,
                              std::uint8_t seed, std::uint64_t hash);

// Returns the mean of 2^-columns over all starts.
double rocksdb_ribbon_fpp(const RocksDbRibbonShape& shape);

// Solves the system of these hashes into `words`, which must have as many words as the shape's segments.
// Tries all 256 seeds, beginning with the low byte of the first hash. Returns the seed that succeeded.
//   Cost: 20 bytes of memory per slot while it runs.
//   Precondition: !hashes.empty().
std::optional<std::uint8_t> solve_rocksdb_ribbon(std::span<const std::uint64_t> hashes,
                                                 const RocksDbRibbonShape& shape,
                                                 std::span<std::uint64_t> words);

}  // namespace bloomery
