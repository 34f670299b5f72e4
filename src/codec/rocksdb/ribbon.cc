#include "codec/rocksdb/ribbon.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "base/endian.h"
#include "bloomery/base/uint128.h"

namespace bloomery {
namespace {

using Row = Uint128;

constexpr std::uint64_t kBlockSlots = kRocksDbRibbonBlockSlots;

std::uint64_t low(Row row) {
  return static_cast<std::uint64_t>(row);
}
std::uint64_t high(Row row) {
  return static_cast<std::uint64_t>(row >> 64);
}
std::uint32_t parity(Row row) {
  return static_cast<std::uint32_t>(std::popcount(low(row) ^ high(row))) & 1;
}

std::uint32_t raw_seed(std::uint8_t seed) {
  std::uint64_t mixed = seed * 0xc78219a23eeadd03;
  mixed ^= (mixed & 0xf0f0f0f0f0f0f0f0) >> 4;
  return static_cast<std::uint32_t>(mixed);
}

// The equation of a key: the XOR of the slots that `row` selects from `start` on must equal `result`.
struct Equation {
  std::uint64_t start;
  Row row;
  std::uint32_t result;

  Equation(std::uint64_t hash, std::uint32_t raw, std::uint64_t starts) {
    const std::uint64_t mixed = (hash ^ raw) * 0x6193d459236a3a0d;
    start = static_cast<std::uint64_t>((Row{mixed} * starts) >> 64);
    const std::uint64_t a = mixed * 0xc28f82822b650bed;
    row = Row{a} << 64 | (a ^ 0xc367844a6e52731d) | 1;
    result = static_cast<std::uint32_t>(byte_swapped(a));
  }
};

// The coefficient matrix in echelon form: each equation is stored at its pivot slot. A row of 0 marks
// a free slot.
class Banding {
 public:
  explicit Banding(std::uint64_t slots) : rows_(slots), results_(slots) {}

  bool add_all(std::span<const std::uint64_t> hashes, std::uint8_t seed, std::uint64_t starts) {
    std::ranges::fill(rows_, 0);
    std::ranges::fill(results_, 0);
    const std::uint32_t raw = raw_seed(seed);
    return std::ranges::all_of(hashes, [&](std::uint64_t hash) { return add(Equation(hash, raw, starts)); });
  }

  Row row(std::uint64_t slot) const { return rows_[slot]; }
  std::uint32_t result(std::uint64_t slot) const { return results_[slot]; }

 private:
  // Returns false if the equation contradicts the earlier ones.
  bool add(Equation equation) {
    std::uint64_t slot = equation.start;
    while (rows_[slot] != 0) {
      equation.row ^= rows_[slot];
      equation.result ^= results_[slot];
      if (equation.row == 0) {
        return equation.result == 0;
      }
      const int zeros = low(equation.row) != 0 ? std::countr_zero(low(equation.row))
                                               : 64 + std::countr_zero(high(equation.row));
      slot += static_cast<std::uint64_t>(zeros);
      equation.row >>= zeros;
    }
    rows_[slot] = equation.row;
    results_[slot] = equation.result;
    return true;
  }

  std::vector<Row> rows_;
  std::vector<std::uint32_t> results_;
};

// Solves by back substitution, from the last slot to the first. A free slot gets 0.
void substitute_back(const Banding& banding, const RocksDbRibbonShape& shape,
                     std::span<std::uint64_t> words) {
  std::array<Row, kRocksDbRibbonMaxColumns> state{};  // per column: 128 slots from the current one on
  for (std::uint64_t block = shape.blocks; block-- > 0;) {
    const std::uint32_t columns = shape.columns_of(block);
    for (std::uint64_t slot = (block + 1) * kBlockSlots; slot-- > block * kBlockSlots;) {
      const Row row = banding.row(slot);
      const std::uint32_t result = banding.result(slot);
      for (std::uint32_t j = 0; j < columns; ++j) {
        const Row shifted = state[j] << 1;
        state[j] = shifted | (parity(shifted & row) ^ (result >> j & 1));
      }
    }
    std::uint64_t* word = words.data() + shape.segment_of(block) * 2;
    for (std::uint32_t j = 0; j < columns; ++j) {
      *word++ = low(state[j]);
      *word++ = high(state[j]);
    }
  }
}

}  // namespace

RocksDbRibbonShape RocksDbRibbonShape::of(std::uint64_t segments, std::uint32_t blocks) {
  const std::uint64_t columns = (segments + blocks - 1) / blocks;
  if (columns > kRocksDbRibbonMaxColumns) {  // further columns are unused
    return {.blocks = blocks, .columns = kRocksDbRibbonMaxColumns, .narrow = 0};
  }
  return {.blocks = blocks,
          .columns = static_cast<std::uint32_t>(columns),
          .narrow = static_cast<std::uint32_t>(columns * blocks - segments)};
}

bool rocksdb_ribbon_may_match(std::span<const std::uint64_t> words, const RocksDbRibbonShape& shape,
                              std::uint8_t seed, std::uint64_t hash) {
  const Equation equation(hash, raw_seed(seed), shape.starts());
  const std::uint64_t block = equation.start / kBlockSlots;
  const auto shift = static_cast<int>(equation.start % kBlockSlots);
  const std::uint32_t columns = shape.columns_of(block);
  const std::uint64_t* here = words.data() + shape.segment_of(block) * 2;
  const std::uint64_t* next = here + std::uint64_t{columns} * 2;
  const Row here_row = equation.row << shift;
  const Row next_row = shift == 0 ? 0 : equation.row >> (128 - shift);
  for (std::uint32_t j = 0; j < columns; ++j, here += 2, next += 2) {
    std::uint64_t picked = (here[0] & low(here_row)) ^ (here[1] & high(here_row));
    if (shift != 0) {
      picked ^= (next[0] & low(next_row)) ^ (next[1] & high(next_row));
    }
    if ((static_cast<std::uint32_t>(std::popcount(picked)) & 1) != (equation.result >> j & 1)) {
      return false;
    }
  }
  return true;
}

double rocksdb_ribbon_fpp(const RocksDbRibbonShape& shape) {
  const auto starts = static_cast<double>(shape.starts());
  const double narrow =
      std::min(static_cast<double>(shape.narrow) * static_cast<double>(kBlockSlots), starts) / starts;
  const double rate = std::exp2(-static_cast<double>(shape.columns));
  return narrow * 2 * rate + (1 - narrow) * rate;
}

std::optional<std::uint8_t> solve_rocksdb_ribbon(std::span<const std::uint64_t> hashes,
                                                 const RocksDbRibbonShape& shape,
                                                 std::span<std::uint64_t> words) {
  Banding banding(shape.blocks * kBlockSlots);
  const auto first = static_cast<std::uint8_t>(hashes.front());
  for (unsigned i = 0; i < 256; ++i) {
    const auto seed = static_cast<std::uint8_t>(first + i);
    if (banding.add_all(hashes, seed, shape.starts())) {
      substitute_back(banding, shape, words);
      return seed;
    }
  }
  return std::nullopt;
}

}  // namespace bloomery
