// RocksDB's ribbon filter ("Standard128"): a system of linear equations over bits, solved when it is made.
//
//   Slots come in blocks of 128. A key has a start s, a row of 128 coefficients of which the first is 1, and
//   an expected result of up to 32 bits:
//     t = seed * c78219a23eeadd03;  t ^= (t & f0f0f0f0f0f0f0f0) >> 4;  raw seed = low 32 bits of t
//     g = (hash ^ raw seed) * 6193d459236a3a0d        s = g * starts / 2^64
//     a = g * c28f82822b650bed                        row = a * 2^64 + (a ^ c367844a6e52731d), bit 0 set
//     result = low 32 bits of a with its bytes reversed
//   Its XOR of the slots s + i, for every bit i of the row, is the result in all columns that s's block has.
//
//   A block's columns are stored one behind the other, 16 bytes each: bit i is slot i. The blocks below
//   `narrow` have columns - 1 of them.
//
// Solving is Gaussian elimination in the order of the keys: a seed that fails is followed by the next one.
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
  std::uint32_t narrow = 0;  // blocks with one column less

  // Precondition: blocks > 0.
  static RocksDbRibbonShape of(std::uint64_t segments, std::uint32_t blocks);

  std::uint64_t starts() const { return (std::uint64_t{blocks} - 1) * kRocksDbRibbonBlockSlots + 1; }
  std::uint32_t columns_of(std::uint64_t block) const { return columns - (block < narrow ? 1U : 0U); }
  // Of the block's first column.
  std::uint64_t segment_of(std::uint64_t block) const {
    return block * columns - (block < narrow ? block : narrow);
  }
};

// Two words a segment.
bool rocksdb_ribbon_may_match(std::span<const std::uint64_t> words, const RocksDbRibbonShape& shape,
                              std::uint8_t seed, std::uint64_t hash);

// The mean over all starts of 2^-columns.
double rocksdb_ribbon_fpp(const RocksDbRibbonShape& shape);

// Solves the system of these hashes into `words`, which are as many as the shape's segments have. Tries all
// seeds, from the low byte of the first hash on; returns the one that succeeded. Cost: 20 bytes a slot
// meanwhile. Precondition: !hashes.empty().
std::optional<std::uint8_t> solve_rocksdb_ribbon(std::span<const std::uint64_t> hashes,
                                                 const RocksDbRibbonShape& shape,
                                                 std::span<std::uint64_t> words);

}  // namespace bloomery
