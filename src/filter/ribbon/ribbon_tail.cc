// The tail of a shard: one dense linear system over GF(2). The method of the four Russians solves it (source:
// Arlazarov, Dinic, Kronrod and Faradzhev 1970).
//
//    1. Six columns, or those left of a word, are eliminated at a time. Their pivots are found first.
//    2. A table gets all sums of these pivots, 64 at most.
//    3. Every other row adds the sum that clears its coefficients in these columns: one addition instead of
//       six.
//
// Rows above the pivots are cleared too (Gauss-Jordan elimination). A row's coefficients fill complete words,
// of which the first `slots` bits count. So one slot more is one column more of the same system.
//
// Invariants, after the columns [0, swept_) have been eliminated:
//
//   - The rows [0, pivots_.size()) are the pivots, and pivots_[i] is the column of row i.
//   - Each pivot column has a 1 in its own row and 0 in every other row.
//   - All other rows have 0 in every swept column.
//
// So if all free slots are 0, the value of a pivot's slot is the fingerprint of its row. A row after the
// pivots has lost its coefficients once all slots are swept: it follows from the others if its fingerprint is
// 0, and contradicts them otherwise.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <utility>

#include "filter/ribbon/ribbon_solver.h"

namespace bloomery {
namespace {

// The columns that are eliminated together. A table of 2^6 sums replaces up to six additions in every row by
// one.
constexpr std::uint32_t kColumnsAtOnce = 6;
// The words that one step of an addition handles. Rows are padded to a multiple of it.
constexpr std::size_t kWordsAtOnce = 4;
// A larger system is slow to solve, so it begins with two slots more than keys, which suffice for most
// systems.
constexpr std::size_t kSmallTail = 224;

// The keys of a tail, and their common parameters.
struct TailKeys {
  std::span<const std::uint64_t> hashes;
  std::uint32_t seed;
  std::uint64_t columns;  // a mask of the needed columns
  std::uint64_t reject_bit;
};

class DenseSystem {
 public:
  // Sets up one row for each key, with coefficients for `slots` rounded up to full words.
  DenseSystem(const TailKeys& keys, std::uint32_t slots)
      : row_count_(keys.hashes.size()),
        words_((slots + 63) / 64),
        stride_((words_ + 1 + kWordsAtOnce - 1) / kWordsAtOnce * kWordsAtOnce),
        rows_(row_count_ * stride_),
        sums_((std::size_t{1} << kColumnsAtOnce) * stride_) {
    for (std::size_t i = 0; i < row_count_; ++i) {
      const std::uint64_t flag = keys.hashes[i] & keys.reject_bit;
      const RibbonKey key(keys.hashes[i] ^ flag, keys.seed, 2);
      std::copy_n(key.tail_row(static_cast<std::uint32_t>(words_ * 64)).begin(), words_, row(i));
      fingerprint(i) = (key.fingerprint() ^ flag) & keys.columns;
    }
  }

  // Returns the number of slots for which the rows have coefficients.
  std::uint32_t room() const { return static_cast<std::uint32_t>(words_ * 64); }

  // Returns true if `slots` slots can satisfy all equations. Precondition: `slots` is not less than in the
  // previous call, and at most room().
  bool serves(std::uint32_t slots) {
    while (swept_ < slots && pivots_.size() < row_count_) {
      const std::uint32_t count = std::min({kColumnsAtOnce, 64 - swept_ % 64, slots - swept_});
      eliminate(swept_, count);
      swept_ += count;
    }
    for (std::size_t i = pivots_.size(); i < row_count_; ++i) {
      if (fingerprint(i) != 0) {
        return false;
      }
    }
    return true;
  }

  // Returns the value of every slot. Precondition: serves(slots). Free slots are 0.
  std::vector<std::uint64_t> solution(std::uint32_t slots) {
    std::vector<std::uint64_t> values(slots, 0);
    for (std::size_t i = 0; i < pivots_.size(); ++i) {
      values[pivots_[i]] = fingerprint(i);
    }
    return values;
  }

 private:
  std::uint64_t* row(std::size_t i) { return rows_.data() + i * stride_; }
  std::uint64_t* sum(std::size_t i) { return sums_.data() + i * stride_; }
  std::uint64_t& fingerprint(std::size_t i) { return row(i)[words_]; }

  // Writes a + b, from word `first` on, to `out`, which may be a or b.
  void add(const std::uint64_t* a, const std::uint64_t* b, std::size_t first, std::uint64_t* out) const {
    for (std::size_t i = first / kWordsAtOnce * kWordsAtOnce; i < stride_; i += kWordsAtOnce) {
      std::array<std::uint64_t, kWordsAtOnce> words;
      for (std::size_t j = 0; j < kWordsAtOnce; ++j) {
        words[j] = a[i + j] ^ b[i + j];
      }
      std::copy_n(words.begin(), kWordsAtOnce, out + i);
    }
  }

  // Eliminates `count` columns of one word from all rows but those of their own pivots. Precondition: the
  // columns before `column` have been eliminated.
  void eliminate(std::uint32_t column, std::uint32_t count) {
    const std::size_t word = column / 64;
    const auto bits = [&](std::size_t i) {
      return static_cast<std::uint32_t>(row(i)[word] >> (column % 64)) & ((1U << count) - 1);
    };
    const std::size_t earlier = pivots_.size();
    std::array<std::size_t, kColumnsAtOnce> rows{};  // the rows of the new pivots
    const std::uint32_t found = find_pivots(column, count, bits, rows);
    // sum(i) is the sum of the pivots whose columns are the set bits of i. It adds one pivot to the sum
    // without the lowest set bit. sum(0) stays 0.
    for (std::uint32_t i = 1; i < 1U << count; ++i) {
      if ((i & ~found) == 0) {
        add(sum(i & (i - 1)), row(rows[static_cast<std::size_t>(std::countr_zero(i))]), word, sum(i));
      }
    }
    const auto clear = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        add(row(i), sum(bits(i) & found), word, row(i));
      }
    };
    clear(0, earlier);
    clear(pivots_.size(), row_count_);
  }

  // Finds a pivot for each of these columns that can have one, among the rows that are no pivots yet. Clears
  // each new pivot's column from the other new pivots. Writes the pivots' rows to `rows`, and returns the set
  // of columns that have one.
  template <typename Bits>
  std::uint32_t find_pivots(std::uint32_t column, std::uint32_t count, const Bits& bits,
                            std::array<std::size_t, kColumnsAtOnce>& rows) {
    const std::size_t word = column / 64;
    std::uint32_t found = 0;
    const auto add_pivots = [&](std::size_t to) {
      for (std::uint32_t left = bits(to) & found; left != 0; left &= left - 1) {
        add(row(to), row(rows[static_cast<std::size_t>(std::countr_zero(left))]), word, row(to));
      }
    };
    for (std::size_t i = pivots_.size(); i < row_count_ && found != (1U << count) - 1; ++i) {
      add_pivots(i);
      const std::uint32_t left = bits(i);
      if (left == 0) {
        continue;
      }
      // The row becomes a pivot: it moves after the earlier pivots, and its column is cleared from the other
      // new ones.
      const std::size_t place = pivots_.size();
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(left));
      std::swap_ranges(row(i), row(i) + stride_, row(place));
      for (std::uint32_t others = found; others != 0; others &= others - 1) {
        const std::size_t other = rows[static_cast<std::size_t>(std::countr_zero(others))];
        if ((bits(other) >> bit & 1) != 0) {
          add(row(other), row(place), word, row(other));
        }
      }
      rows[bit] = place;
      found |= 1U << bit;
      pivots_.push_back(column + bit);
    }
    return found;
  }

  std::size_t row_count_;
  std::size_t words_;   // words of a row's coefficients
  std::size_t stride_;  // words of a row: coefficients, fingerprint, and zeros
  std::vector<std::uint64_t> rows_;
  std::vector<std::uint64_t> sums_;    // sums of pivots; sum 0 is 0
  std::vector<std::uint32_t> pivots_;  // the columns of the pivots, whose rows come first
  std::uint32_t swept_ = 0;            // the columns that have been eliminated
};

}  // namespace

std::optional<Tail> solve_tail(std::span<const std::uint64_t> hashes, std::uint32_t seed,
                               std::uint32_t columns, std::uint64_t reject_bit) {
  if (hashes.empty()) {
    return Tail{};
  }
  assert(hashes.size() <= kMaxTailKeys);
  const TailKeys keys{
      .hashes = hashes, .seed = seed, .columns = (std::uint64_t{1} << columns) - 1, .reject_bit = reject_bit};
  // The number of slots grows by one until the system is solved. Beyond the last word, a longer system is set
  // up.
  auto slots = static_cast<std::uint32_t>(hashes.size() + (hashes.size() > kSmallTail ? 2 : 0));
  while (slots <= kMaxTailSlots) {
    DenseSystem system(keys, slots);
    for (; slots <= std::min(system.room(), kMaxTailSlots); ++slots) {
      if (system.serves(slots)) {
        return Tail{.slots = system.solution(slots)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace bloomery
