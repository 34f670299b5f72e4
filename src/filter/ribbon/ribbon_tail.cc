// The tail of a shard: one dense system, solved by the method of the four Russians.
//
//   1. Six columns, or what is left of a word, are eliminated at a time. Their pivots are found first.
//   2. All sums of these pivots, 64 at most, are put into a table.
//   3. Every other row takes the one sum that clears its coefficients in these columns: one addition for six.
//
// Rows above the pivots are cleared too (Gauss-Jordan). So with free slots 0, the value of a pivot's slot is
// the row's fingerprint in the end. Rows have coefficients for a whole number of words, of which the first
// `slots` count: one slot more is one column more of the same system.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <utility>

#include "filter/ribbon/ribbon_solver.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kColumnsAtOnce = 6;
constexpr std::size_t kWordsAtOnce = 4;
// Larger systems, which take long, begin where most succeed.
constexpr std::size_t kSmallTail = 224;

// What the keys of a tail have in common.
struct TailKeys {
  std::span<const std::uint64_t> hashes;
  std::uint32_t seed;
  std::uint64_t columns;  // a mask
  std::uint64_t reject_bit;
};

class DenseSystem {
 public:
  // Has room for up to `slots`, rounded up to a word.
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

  std::uint32_t room() const { return static_cast<std::uint32_t>(words_ * 64); }

  // Whether `slots`, no fewer than before, can meet all equations.
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

  // The value of every slot, once they serve; free slots are 0.
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

  // Writes a + b, from word `first` on, to `out`, which may be one of them.
  void add(const std::uint64_t* a, const std::uint64_t* b, std::size_t first, std::uint64_t* out) const {
    for (std::size_t i = first / kWordsAtOnce * kWordsAtOnce; i < stride_; i += kWordsAtOnce) {
      std::array<std::uint64_t, kWordsAtOnce> words;
      for (std::size_t j = 0; j < kWordsAtOnce; ++j) {
        words[j] = a[i + j] ^ b[i + j];
      }
      std::copy_n(words.begin(), kWordsAtOnce, out + i);
    }
  }

  // Eliminates `count` columns of one word from all rows but those of their pivots.
  void eliminate(std::uint32_t column, std::uint32_t count) {
    const std::size_t word = column / 64;
    const auto bits = [&](std::size_t i) {
      return static_cast<std::uint32_t>(row(i)[word] >> (column % 64)) & ((1U << count) - 1);
    };
    const std::size_t earlier = pivots_.size();
    std::array<std::size_t, kColumnsAtOnce> rows{};  // of the pivots
    const std::uint32_t found = find_pivots(column, count, bits, rows);
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

  // Finds a pivot for each of the columns that can have one, among the rows that are not pivots yet, and
  // clears these columns from each other's pivots. Says in `rows` where the pivots are and returns which
  // columns have one.
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
  std::size_t words_;   // of a row, without its fingerprint
  std::size_t stride_;  // of a row with its fingerprint, in words
  std::vector<std::uint64_t> rows_;
  std::vector<std::uint64_t> sums_;    // of pivots; of none: 0
  std::vector<std::uint32_t> pivots_;  // columns of those found, whose rows are the first
  std::uint32_t swept_ = 0;            // columns
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
