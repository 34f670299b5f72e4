// The band solver for AVX-512. It eliminates all keys of a bucket at once, column after column.
//
// The scalar definition eliminates key after key, and every step depends on the one before. Here every key of
// a bucket is a lane, one bit of 128. A column of the bucket's system is two words, and bit i of them is the
// coefficient of lane i in that column:
//
//    lanes 0..63    coefficients_[0][column]    fingerprints_[0][column of the fingerprint]
//    lanes 64..127  coefficients_[1][column]    fingerprints_[1][column of the fingerprint]
//
// A column is swept in three steps:
//
//    1. Read its two words: the lanes with a coefficient there.
//    2. The pivot is chosen. It is the equation that an earlier bucket has stored there, or else the highest
//       of these lanes, which is then removed from the matrix.
//    3. The pivot is added to all of these lanes: the two words are XORed into every later column in which
//       the pivot has a coefficient, eight columns to an instruction.
//
// Invariants, before and after the sweep of a column:
//
//   - No active lane has a coefficient in a column that was swept.
//   - Lanes are in the order of their keys' starts, and every lane of a group comes after all lanes of later
//     groups.
//   - A lane has only been added to lanes of keys to its left.
//
// The result equals that of the definition for the following reason. The definition inserts keys from right
// to left. So at a free slot the rightmost of all keys with a coefficient there arrives first and becomes the
// pivot. Here that key is the highest lane. A lane is added only to lanes of keys to its left, so a later
// group does not change what an earlier one contradicts. A lane without coefficients follows from the others
// if its fingerprint is 0, and contradicts them otherwise. A group that fails is dropped when the pivots are
// stored.
//
// Eight columns, a panel, are swept in general registers. The vectors of the next 64 columns follow.
//
//    columns   first .. first + 7   first + 8 .. first + 15   ...   first + 64 .. first + 71
//    are in    panel.columns        panel.ahead[half][0]      ...   panel.ahead[half][7]
//
// A key costs 47 cycles. The definition needs 195 for a single band and 83 for four bands (a first band, 16
// columns; 2.6 GHz time-stamp counter of a Xeon of the Sapphire Rapids generation).
#include "filter/ribbon/ribbon_solver.h"

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include <immintrin.h>

#include "filter/ribbon/ribbon_elimination.h"

#define BLOOMERY_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx2,bmi,bmi2,lzcnt,popcnt")))

namespace bloomery {
namespace {

constexpr std::uint32_t kPanel = 8;  // columns that are swept together, and 64-bit words of a vector
// Rows of a bucket extend 63 slots past it.
constexpr std::uint32_t kSwept = kBucketStarts + kRibbonBlockSlots;
constexpr std::size_t kAhead = kRibbonBlockSlots / kPanel;  // vectors after its panel that a row reaches
constexpr std::size_t kLanes = 128;
constexpr std::size_t kGroups = kGroupCodes.size();

enum class Outcome : std::uint8_t {
  kFilled,
  kTooManyLanes,  // more lanes were active at once than exist
  kDoubtful       // only the omitted columns can tell whether a lane contradicts
};

using Words = std::array<std::uint64_t, 2>;  // one bit for each lane

constexpr std::size_t count_of(const Words& lanes) {
  return static_cast<std::size_t>(std::popcount(lanes[0])) +
         static_cast<std::size_t>(std::popcount(lanes[1]));
}
constexpr std::uint64_t lowest_lanes(std::size_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}
// Returns the lane after the last of these.
BLOOMERY_AVX512 inline std::size_t end_of(const Words& lanes) {
  const auto behind = [](std::uint64_t word) {
    return static_cast<std::size_t>(64 - std::countl_zero(word));
  };
  return lanes[1] != 0 ? 64 + behind(lanes[1]) : behind(lanes[0]);
}

// The 64 coefficients of a row, split into one byte for the panel and one for each vector after it. Bit j of
// byte v is column 8 v + j from the panel's first column.
struct RowBytes {
  std::uint64_t low;
  std::uint64_t high;  // the ninth byte

  RowBytes(std::uint64_t row, std::uint32_t column)
      : low(row << (column % kPanel)), high((row >> 1) >> (63 - column % kPanel)) {}
  // Returns the byte of vector v after the panel.
  __mmask8 ahead(std::size_t v) const {
    return static_cast<__mmask8>(v + 1 < kAhead ? low >> (8 * v + 8) : high);
  }
};

// Set `bits` in the words that `where` selects, or XOR them.
BLOOMERY_AVX512 inline void set_where(__m512i& words, __mmask8 where, __m512i bits) {
  words = _mm512_mask_or_epi64(words, where, words, bits);
}
BLOOMERY_AVX512 inline void add_where(__m512i& words, __mmask8 where, __m512i bits) {
  words = _mm512_mask_xor_epi64(words, where, words, bits);
}

// The system of a bucket. It has the lowest 8 kPrints columns of the fingerprints, since fewer vectors are
// faster. The omitted columns matter only to decide whether a lane without coefficients contradicts the
// others.
template <std::size_t kPrints>
class LaneMatrix {
 public:
  // Fills bucket `bucket` of a band, whose keys are [begin, end). `kept` becomes the first of the keys that
  // stay. An outcome other than kFilled changes nothing.
  BLOOMERY_AVX512 Outcome fill(Band& band, std::uint32_t bucket, std::size_t begin, std::size_t end,
                               std::size_t& kept);

 private:
  // A lane that has become a pivot, as the bytes of the masks.
  struct Pivot {
    std::uint8_t column;
    std::uint8_t group;
    std::array<std::uint8_t, 1 + kAhead> row;  // split as in RowBytes
    std::array<std::uint8_t, kPrints> fingerprint;
  };
  // The registers of a panel: its columns, the vectors after it, and the fingerprints.
  struct Panel {
    std::uint64_t columns[2][kPanel];
    __m512i ahead[2][kAhead];
    __m512i prints[2][kPrints];
  };

  void clear();
  BLOOMERY_AVX512 bool make_room(std::size_t lanes, std::uint32_t first);
  BLOOMERY_AVX512 void enter(const Band& band, std::size_t begin, std::size_t end, std::uint32_t first,
                             Panel& panel);
  BLOOMERY_AVX512 void sweep(const Band& band, std::size_t begin, std::size_t end, std::uint32_t first,
                             const BandEquation* equations);
  template <std::uint32_t kColumn>
  BLOOMERY_AVX512 void sweep_column(Panel& panel, std::uint32_t first, const BandEquation* equations);
  template <std::uint32_t kColumn>
  BLOOMERY_AVX512 void add_equation(Panel& panel, const BandEquation& equation);
  template <std::uint32_t kColumn, std::size_t kHalf>
  BLOOMERY_AVX512 void place(Panel& panel, std::uint32_t first);
  Outcome failed_group(std::size_t& failed) const;
  void store_pivots(std::size_t failed, BandEquation* equations) const;

  alignas(64) std::uint64_t coefficients_[2][kSwept + kRibbonBlockSlots];
  alignas(64) std::uint64_t fingerprints_[2][kPanel * kPrints];
  Words active_;  // lanes without a slot yet, or without coefficients
  std::array<std::uint8_t, kLanes> groups_;
  std::size_t pivot_count_;
  std::array<Pivot, kSwept> pivots_;
};

template <std::size_t kPrints>
void LaneMatrix<kPrints>::clear() {
  std::memset(coefficients_, 0, sizeof(coefficients_));
  std::memset(fingerprints_, 0, sizeof(fingerprints_));
  active_ = {};
  pivot_count_ = 0;
}

// Makes room for `lanes` more lanes after the last active one by compacting the active ones in order. Returns
// false if there is no room. Columns before `first` have been swept, so they need not move.
template <std::size_t kPrints>
BLOOMERY_AVX512 bool LaneMatrix<kPrints>::make_room(std::size_t lanes, std::uint32_t first) {
  if (end_of(active_) + lanes <= kLanes) {
    return true;
  }
  const Words from = active_;
  const std::size_t count = count_of(from);
  if (count + lanes > kLanes) {
    return false;
  }
  const auto low_count = static_cast<unsigned>(std::popcount(from[0]));
  const auto join = [&](std::uint64_t& low, std::uint64_t& high) BLOOMERY_AVX512 {
    const std::uint64_t lower = _pext_u64(low, from[0]);
    const std::uint64_t upper = _pext_u64(high, from[1]);
    low = low_count == 64 ? lower : lower | upper << low_count;
    high = low_count == 0 ? 0 : upper >> (64 - low_count);
  };
  for (std::size_t j = first; j < first + kPanel + kRibbonBlockSlots; ++j) {
    join(coefficients_[0][j], coefficients_[1][j]);
  }
  for (std::size_t j = 0; j < kPanel * kPrints; ++j) {
    join(fingerprints_[0][j], fingerprints_[1][j]);
  }
  std::size_t to = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (((from[lane / 64] >> (lane % 64)) & 1) != 0) {
      groups_[to++] = groups_[lane];
    }
  }
  active_ = {lowest_lanes(count), count > 64 ? lowest_lanes(count - 64) : 0};
  return true;
}

// Gives a lane to each of the keys [begin, end), whose starts are in the panel at column `first`.
template <std::size_t kPrints>
[[gnu::always_inline]] BLOOMERY_AVX512 inline void LaneMatrix<kPrints>::enter(
    const Band& band, std::size_t begin, std::size_t end, std::uint32_t first, Panel& panel) {
  __m512i columns[2] = {_mm512_load_si512(coefficients_[0] + first),
                        _mm512_load_si512(coefficients_[1] + first)};
  // The limits of the groups, 16 and 40, are multiples of 8, so all keys of a panel are in one group.
  const std::uint8_t group = first >= kBumpedBelow[2] ? 0 : first >= kBumpedBelow[1] ? 1 : 2;
  std::size_t lane = end_of(active_);
  for (std::size_t i = begin; i < end; ++i, ++lane) {
    const std::uint64_t flag = band.hashes[i] & band.reject_bit;
    const RibbonKey key(band.hashes[i] ^ flag, band.seed, band.layer);
    const RowBytes row(key.row(), band.starts[i]);
    const std::uint64_t fingerprint = key.fingerprint() ^ flag;
    const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
    const __m512i bits = _mm512_set1_epi64(static_cast<long long>(bit));
    groups_[lane] = group;
    const auto put = [&](std::size_t half) __attribute__((always_inline)) BLOOMERY_AVX512 {
      active_[half] |= bit;
      set_where(columns[half], static_cast<__mmask8>(row.low), bits);
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kAhead; ++v) {
        set_where(panel.ahead[half][v], row.ahead(v), bits);
      }
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kPrints; ++v) {
        set_where(panel.prints[half][v], static_cast<__mmask8>(fingerprint >> (8 * v)), bits);
      }
    };
    // There are two calls, because a vector in a register cannot be chosen by an index at run time.
    if (lane < 64) {
      put(0);
    } else {
      put(1);
    }
  }
  _mm512_store_si512(coefficients_[0] + first, columns[0]);
  _mm512_store_si512(coefficients_[1] + first, columns[1]);
}

// Adds the pivot that an earlier bucket has stored at column kColumn of the panel to every lane with a
// coefficient there.
template <std::size_t kPrints>
template <std::uint32_t kColumn>
[[gnu::always_inline]] BLOOMERY_AVX512 inline void LaneMatrix<kPrints>::add_equation(
    Panel& panel, const BandEquation& equation) {
  const Words lanes = {panel.columns[0][kColumn], panel.columns[1][kColumn]};
  const RowBytes row(equation.row, kColumn);
#pragma GCC unroll 8
  for (std::uint32_t j = kColumn + 1; j < kPanel; ++j) {
    const std::uint64_t has = 0 - ((row.low >> j) & 1);
    panel.columns[0][j] ^= lanes[0] & has;
    panel.columns[1][j] ^= lanes[1] & has;
  }
#pragma GCC unroll 2
  for (std::size_t half = 0; half < 2; ++half) {
    const __m512i added = _mm512_set1_epi64(static_cast<long long>(lanes[half]));
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kAhead; ++v) {
      add_where(panel.ahead[half][v], row.ahead(v), added);
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kPrints; ++v) {
      add_where(panel.prints[half][v], static_cast<__mmask8>(equation.fingerprint >> (8 * v)), added);
    }
  }
}

// Makes the highest lane with a coefficient in column kColumn of the panel the pivot there, and adds it to
// the other such lanes. The pivot is a lane of word kHalf. If kHalf is 0, no lane of word 1 has a coefficient
// there.
template <std::size_t kPrints>
template <std::uint32_t kColumn, std::size_t kHalf>
[[gnu::always_inline]] BLOOMERY_AVX512 inline void LaneMatrix<kPrints>::place(Panel& panel,
                                                                              std::uint32_t first) {
  const Words lanes = {panel.columns[0][kColumn], panel.columns[1][kColumn]};
  const auto lane = static_cast<std::uint32_t>(63 - std::countl_zero(lanes[kHalf]));
  const std::uint64_t bit = std::uint64_t{1} << lane;
  Pivot& pivot = pivots_[pivot_count_++];
  pivot.column = static_cast<std::uint8_t>(first + kColumn);
  pivot.group = groups_[64 * kHalf + lane];
  active_[kHalf] ^= bit;
  std::uint64_t row = std::uint64_t{1} << kColumn;
#pragma GCC unroll 8
  for (std::uint32_t j = kColumn + 1; j < kPanel; ++j) {
    const std::uint64_t has = (panel.columns[kHalf][j] >> lane) & 1;
    row |= has << j;
#pragma GCC unroll 2
    for (std::size_t half = 0; half <= kHalf; ++half) {
      panel.columns[half][j] ^= lanes[half] & (0 - has);
    }
  }
  pivot.row[0] = static_cast<std::uint8_t>(row);
  const __m512i tested = _mm512_set1_epi64(static_cast<long long>(bit));
  const __m512i added[2] = {_mm512_set1_epi64(static_cast<long long>(lanes[0])),
                            _mm512_set1_epi64(static_cast<long long>(lanes[1]))};
  // clang-format off
  const auto add = [&](__m512i& low, __m512i& high) __attribute__((always_inline)) BLOOMERY_AVX512 {
    // clang-format on
    const __mmask8 has = _mm512_test_epi64_mask(kHalf == 0 ? low : high, tested);
    add_where(low, has, added[0]);
    if constexpr (kHalf == 1) {
      add_where(high, has, added[1]);
    }
    return has;
  };
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kAhead; ++v) {
    pivot.row[1 + v] = add(panel.ahead[0][v], panel.ahead[1][v]);
  }
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kPrints; ++v) {
    pivot.fingerprint[v] = add(panel.prints[0][v], panel.prints[1][v]);
  }
}

template <std::size_t kPrints>
template <std::uint32_t kColumn>
[[gnu::always_inline]] BLOOMERY_AVX512 inline void LaneMatrix<kPrints>::sweep_column(
    Panel& panel, std::uint32_t first, const BandEquation* equations) {
  if ((panel.columns[0][kColumn] | panel.columns[1][kColumn]) == 0) {
    return;
  }
  const BandEquation& there = equations[first + kColumn];
  if (there.row != 0) {
    add_equation<kColumn>(panel, there);
  } else if (panel.columns[1][kColumn] != 0) {
    place<kColumn, 1>(panel, first);
  } else {
    place<kColumn, 0>(panel, first);
  }
}

// Sweeps the panel at column `first`. The keys [begin, end) start in it and enter first.
template <std::size_t kPrints>
BLOOMERY_AVX512 void LaneMatrix<kPrints>::sweep(const Band& band, std::size_t begin, std::size_t end,
                                                std::uint32_t first, const BandEquation* equations) {
  Panel panel;
#pragma GCC unroll 2
  for (std::size_t half = 0; half < 2; ++half) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kAhead; ++v) {
      panel.ahead[half][v] = _mm512_load_si512(coefficients_[half] + first + kPanel * (v + 1));
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kPrints; ++v) {
      panel.prints[half][v] = _mm512_load_si512(fingerprints_[half] + kPanel * v);
    }
  }
  if (begin < end) {
    enter(band, begin, end, first, panel);
  }
#pragma GCC unroll 8
  for (std::size_t j = 0; j < kPanel; ++j) {
    panel.columns[0][j] = coefficients_[0][first + j];
    panel.columns[1][j] = coefficients_[1][first + j];
  }
  sweep_column<0>(panel, first, equations);
  sweep_column<1>(panel, first, equations);
  sweep_column<2>(panel, first, equations);
  sweep_column<3>(panel, first, equations);
  sweep_column<4>(panel, first, equations);
  sweep_column<5>(panel, first, equations);
  sweep_column<6>(panel, first, equations);
  sweep_column<7>(panel, first, equations);
#pragma GCC unroll 2
  for (std::size_t half = 0; half < 2; ++half) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kAhead; ++v) {
      _mm512_store_si512(coefficients_[half] + first + kPanel * (v + 1), panel.ahead[half][v]);
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kPrints; ++v) {
      _mm512_store_si512(fingerprints_[half] + kPanel * v, panel.prints[half][v]);
    }
  }
}

// Finds the first group with a contradiction, after all columns were swept. `failed` becomes that group, or
// the number of groups if there is none. The outcome is kDoubtful if a lane has lost its coefficients and all
// kept columns of the fingerprint, while other columns were omitted.
template <std::size_t kPrints>
Outcome LaneMatrix<kPrints>::failed_group(std::size_t& failed) const {
  failed = kGroups;
  for (std::size_t half = 0; half < 2; ++half) {
    std::uint64_t contradicting = 0;
    for (const std::uint64_t lanes : fingerprints_[half]) {
      contradicting |= lanes & active_[half];
    }
    if (contradicting != active_[half] && kPanel * kPrints < 64) {
      return Outcome::kDoubtful;
    }
    for (; contradicting != 0; contradicting &= contradicting - 1) {
      failed = std::min<std::size_t>(
          failed, groups_[64 * half + static_cast<std::size_t>(std::countr_zero(contradicting))]);
    }
  }
  return Outcome::kFilled;
}

// Stores the pivots of the groups before `failed`, each shifted so that bit 0 is its own column.
template <std::size_t kPrints>
void LaneMatrix<kPrints>::store_pivots(std::size_t failed, BandEquation* equations) const {
  for (std::size_t i = 0; i < pivot_count_; ++i) {
    const Pivot& pivot = pivots_[i];
    if (pivot.group >= failed) {
      continue;
    }
    std::uint64_t low = 0;
    std::uint64_t fingerprint = 0;
    std::memcpy(&low, pivot.row.data(), sizeof(low));
    std::memcpy(&fingerprint, pivot.fingerprint.data(), kPrints);
    const std::uint32_t offset = pivot.column % kPanel;
    const std::uint64_t high = std::uint64_t{pivot.row[kAhead]} << 1 << (63 - offset);
    equations[pivot.column] = {.row = low >> offset | high, .fingerprint = fingerprint};
  }
}

template <std::size_t kPrints>
BLOOMERY_AVX512 Outcome LaneMatrix<kPrints>::fill(Band& band, std::uint32_t bucket, std::size_t begin,
                                                  std::size_t end, std::size_t& kept) {
  clear();
  const std::uint32_t base = bucket * kBucketStarts;
  BandEquation* const equations = band.equations.data() + base;
  std::size_t next = begin;
  for (std::uint32_t first = 0; next < end || count_of(active_) != 0; first += kPanel) {
    if (first == kSwept || base + first == band.equations.size()) {
      break;
    }
    const std::size_t entered = next;
    while (next < end && band.starts[next] < base + first + kPanel) {
      ++next;
    }
    if (!make_room(next - entered, first)) {
      return Outcome::kTooManyLanes;
    }
    sweep(band, entered, next, first, equations);
  }
  std::size_t failed = 0;
  if (failed_group(failed) == Outcome::kDoubtful) {
    return Outcome::kDoubtful;
  }
  store_pivots(failed, equations);
  const std::uint8_t code = failed == 0 ? kAllBumped : kGroupCodes[failed - 1];
  band.codes[bucket] = code;
  kept = begin;
  while (kept < end && band.starts[kept] < base + kBumpedBelow[code]) {
    ++kept;
  }
  return Outcome::kFilled;
}

// Fills a band. Returns false if a bucket has too many keys for the lanes. A bucket with a doubtful
// contradiction is filled again with all 64 columns of the fingerprints.
template <std::size_t kPrints>
bool fill_band(Band& band) {
  clear_result(band);
  LaneMatrix<kPrints> matrix;
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < band.starts.size(); begin = end) {
    const std::uint32_t bucket = band.starts[begin] / kBucketStarts;
    while (end < band.starts.size() && band.starts[end] / kBucketStarts == bucket) {
      ++end;
    }
    std::size_t kept = end;
    Outcome outcome = matrix.fill(band, bucket, begin, end, kept);
    if (outcome == Outcome::kDoubtful) {
      LaneMatrix<8> whole;
      outcome = whole.fill(band, bucket, begin, end, kept);
    }
    if (outcome != Outcome::kFilled) {
      return false;
    }
    bump(band, begin, kept);
  }
  return true;
}

void solve_bands_by_columns(std::span<Band* const> bands) {
  for (Band* const band : bands) {
    const bool filled = band->columns <= 16   ? fill_band<2>(*band)
                        : band->columns <= 32 ? fill_band<4>(*band)
                                              : fill_band<8>(*band);
    if (!filled) {  // the band has far more keys than slots, so that a bucket has too many lanes
      kBmi2BandSolverKernel.solve_bands({&band, 1});
    }
  }
}

bool available() {
  return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

}  // namespace

constexpr BandSolverKernel kAvx512BandSolverKernel = {
    .name = "avx512", .available = available, .solve_bands = solve_bands_by_columns};

}  // namespace bloomery

#else

namespace bloomery {

constexpr BandSolverKernel kAvx512BandSolverKernel = {
    .name = "avx512", .available = [] { return false; }, .solve_bands = nullptr};

}  // namespace bloomery

#endif
