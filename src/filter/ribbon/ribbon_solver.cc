#include "filter/ribbon/ribbon_solver.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "base/kernel_choice.h"
#include "filter/ribbon/ribbon_elimination.h"

namespace bloomery {
namespace {

void solve_bands_plainly(std::span<Band* const> bands) {
  solve_by_turns(bands);
}

// The tail's system while it is solved: a row of so many words and a fingerprint for every pivot.
class DenseSystem {
 public:
  explicit DenseSystem(std::uint32_t slots)
      : slots_(slots),
        words_((slots + 63) / 64),
        rows_(std::size_t{slots} * words_),
        fingerprints_(slots),
        has_pivot_(slots) {}

  // False when the equation contradicts those that are in.
  bool add(const RibbonKey& key, std::uint64_t fingerprint) {
    auto row = key.tail_row(slots_);
    for (std::size_t word = 0; word < words_; ++word) {
      while (row[word] != 0) {
        const std::size_t pivot = word * 64 + static_cast<std::size_t>(std::countr_zero(row[word]));
        std::uint64_t* const there = rows_.data() + pivot * words_;
        if (!has_pivot_[pivot]) {
          std::copy_n(row.begin(), words_, there);
          fingerprints_[pivot] = fingerprint;
          has_pivot_[pivot] = true;
          return true;
        }
        for (std::size_t i = word; i < words_; ++i) {
          row[i] ^= there[i];
        }
        fingerprint ^= fingerprints_[pivot];
      }
    }
    return fingerprint == 0;
  }

  // The value of every slot, from the last to the first; free slots are 0.
  std::vector<std::uint64_t> solution() const {
    std::vector<std::uint64_t> values(slots_, 0);
    for (std::size_t slot = slots_; slot-- > 0;) {
      values[slot] = fingerprints_[slot];
      for (std::size_t other = slot + 1; has_pivot_[slot] && other < slots_; ++other) {
        const std::uint64_t bit = (rows_[slot * words_ + other / 64] >> (other % 64)) & 1;
        values[slot] ^= values[other] & (0 - bit);
      }
    }
    return values;
  }

 private:
  std::uint32_t slots_;
  std::size_t words_;
  std::vector<std::uint64_t> rows_;
  std::vector<std::uint64_t> fingerprints_;
  std::vector<bool> has_pivot_;
};

constexpr std::size_t kSmallTail = 224;

}  // namespace

constexpr BandSolverKernel kScalarBandSolverKernel = {
    .name = "scalar", .available = [] { return true; }, .solve_bands = solve_bands_plainly};

std::span<const BandSolverKernel> band_solver_kernels() {
  // Fastest first; the definition, which every machine runs, last.
  static const std::array<BandSolverKernel, 2> kernels = {kBmi2BandSolverKernel, kScalarBandSolverKernel};
  return kernels;
}

void solve_bands(std::span<Band* const> bands) {
  static const BandSolverKernel& kernel = chosen_of(band_solver_kernels());
  kernel.solve_bands(bands);
}

std::optional<Tail> solve_tail(std::span<const std::uint64_t> hashes, std::uint32_t seed,
                               std::uint32_t columns, std::uint64_t reject_bit) {
  if (hashes.empty()) {
    return Tail{};
  }
  assert(hashes.size() <= kMaxTailKeys);
  const std::uint64_t mask = (std::uint64_t{1} << columns) - 1;
  // Larger systems, which take long, begin where most succeed.
  const std::size_t spare = hashes.size() > kSmallTail ? 2 : 0;
  for (auto slots = static_cast<std::uint32_t>(hashes.size() + spare); slots <= kMaxTailSlots; ++slots) {
    DenseSystem system(slots);
    if (std::ranges::all_of(hashes, [&](std::uint64_t hash) {
          const std::uint64_t flag = hash & reject_bit;
          const RibbonKey key(hash ^ flag, seed, 2);
          return system.add(key, (key.fingerprint() ^ flag) & mask);
        })) {
      return Tail{.slots = system.solution()};
    }
  }
  return std::nullopt;
}

}  // namespace bloomery
