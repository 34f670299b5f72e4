#include "filter/ribbon/ribbon_solver.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

namespace bloomery {
namespace {

// The groups of a bucket, in the order they go in, by the code that says they are the last that did.
constexpr std::array<std::uint8_t, 3> kGroupCodes = {2, 1, 0};
constexpr std::uint8_t kAllBumped = 3;

// A band while it is filled: the key that is being eliminated, and where in the band it came from.
class Filling {
 public:
  // The equation that looks for a place, and the place it tries.
  BandEquation equation;
  BandEquation* at = nullptr;

  explicit Filling(Band& band) : band_(band) {
    band.equations.assign(std::size_t{band.blocks} * kRibbonBlockSlots, {});
    band.codes.assign(band_buckets(band.blocks), kAllBumped);
    band.bumped.clear();
    // Buckets are at most as full as the elimination allows: no group of one places more than the slots it
    // reaches.
    placed_.resize(kBucketStarts + kRibbonBlockSlots);
    last_placed_ = placed_.data();
  }

  // Turns to the next key. False: there is none.
  bool next() {
    for (;;) {
      if (next_ > bucket_begin_ && band_.starts[next_ - 1] >= group_begin_) {
        --next_;
        const std::uint64_t flag = band_.hashes[next_] & band_.reject_bit;
        const RibbonKey key(band_.hashes[next_] ^ flag, band_.seed, band_.layer);
        equation = {.row = key.row(), .fingerprint = key.fingerprint() ^ flag};
        at = &band_.equations[band_.starts[next_]];
        return true;
      }
      if (has_bucket_) {
        band_.codes[bucket_] = kGroupCodes[group_];
        kept_begin_ = next_;
        if (group_ + 1 < kGroupCodes.size()) {
          begin_group(group_ + 1);
          continue;
        }
      }
      if (!begin_bucket()) {
        return false;
      }
    }
  }

  // The equation has found its place.
  bool place() {
    *at = equation;
    *last_placed_++ = at;
    return next();
  }

  // Nothing is left of the row: the key follows from others, or contradicts them.
  bool vanish() {
    if (equation.fingerprint == 0) {
      return next();
    }
    std::for_each(placed_.data(), last_placed_, [](BandEquation* placed) { *placed = {}; });
    return begin_bucket() && next();
  }

 private:
  void begin_group(std::size_t group) {
    group_ = group;
    group_begin_ = bucket_ * kBucketStarts + kBumpedBelow[kGroupCodes[group]];
    last_placed_ = placed_.data();
  }

  // Closes the bucket, whose keys in front of kept_begin_ are bumped, and opens the next that has keys.
  bool begin_bucket() {
    band_.bumped.insert(band_.bumped.end(), band_.hashes.begin() + static_cast<std::ptrdiff_t>(bucket_begin_),
                        band_.hashes.begin() + static_cast<std::ptrdiff_t>(kept_begin_));
    bucket_begin_ = bucket_end_;
    has_bucket_ = bucket_end_ < band_.starts.size();
    if (!has_bucket_) {
      kept_begin_ = next_ = bucket_begin_;
      return false;
    }
    bucket_ = band_.starts[bucket_begin_] / kBucketStarts;
    const std::uint64_t end = std::uint64_t{bucket_ + 1} * kBucketStarts;
    while (bucket_end_ < band_.starts.size() && band_.starts[bucket_end_] < end) {
      ++bucket_end_;
    }
    kept_begin_ = next_ = bucket_end_;
    begin_group(0);
    return true;
  }

  Band& band_;
  std::vector<BandEquation*> placed_;  // by the group at hand
  BandEquation** last_placed_;
  std::size_t bucket_begin_ = 0;
  std::size_t bucket_end_ = 0;
  std::size_t next_ = 0;        // keys from here to bucket_end_ have been turned to
  std::size_t kept_begin_ = 0;  // and those from here on are in
  std::uint32_t bucket_ = 0;
  std::uint32_t group_begin_ = 0;  // the first start of the group at hand
  std::size_t group_ = 0;
  bool has_bucket_ = false;
};

// One turn of a lane. The state that every step touches is in `row`, `fingerprint` and `at`, for the compiler
// to keep in registers; a Filling is called once a key.
struct Lane {
  std::uint64_t row;
  std::uint64_t fingerprint;
  BandEquation* at;
};

inline bool turn_to(Lane& lane, const Filling& filling, bool found) {
  lane = {.row = filling.equation.row, .fingerprint = filling.equation.fingerprint, .at = filling.at};
  return found;
}

// Returns false when the band has no more keys.
[[gnu::always_inline]] inline bool step(Lane& lane, Filling& filling) {
  const std::uint64_t there = lane.at->row;
  if (__builtin_expect(there == 0, 0)) {
    filling.equation = {.row = lane.row, .fingerprint = lane.fingerprint};
    filling.at = lane.at;
    return turn_to(lane, filling, filling.place());
  }
  const std::uint64_t row = lane.row ^ there;
  const std::uint64_t fingerprint = lane.fingerprint ^ lane.at->fingerprint;
  if (__builtin_expect(row == 0, 0)) {
    filling.equation.fingerprint = fingerprint;
    return turn_to(lane, filling, filling.vanish());
  }
  const int zeros = std::countr_zero(row);
  lane = {.row = row >> zeros, .fingerprint = fingerprint, .at = lane.at + zeros};
  return true;
}

// Fills N bands in turns until one has no more keys, then the others one after the other.
template <std::size_t... I>
[[gnu::always_inline]] inline void solve_in_turns(std::span<Filling> fillings, std::index_sequence<I...>) {
  std::array<Lane, sizeof...(I)> lanes{};
  std::array<bool, sizeof...(I)> more{turn_to(lanes[I], fillings[I], fillings[I].next())...};
  while ((more[I] && ...)) {
    ((more[I] = step(lanes[I], fillings[I])), ...);
  }
  const auto finish = [&](Lane& lane, Filling& filling, bool left) {
    while (left) {
      left = step(lane, filling);
    }
  };
  (finish(lanes[I], fillings[I], more[I]), ...);
}

[[gnu::always_inline]] inline void solve_up_to_four(std::span<Filling> fillings) {
  switch (fillings.size()) {
    case 1:
      return solve_in_turns(fillings, std::make_index_sequence<1>());
    case 2:
      return solve_in_turns(fillings, std::make_index_sequence<2>());
    case 3:
      return solve_in_turns(fillings, std::make_index_sequence<3>());
    default:
      return solve_in_turns(fillings, std::make_index_sequence<kBandsAtOnce>());
  }
}

void solve_plainly(std::span<Filling> fillings) {
  solve_up_to_four(fillings);
}

#if defined(__x86_64__)
// The same with shifts that leave the flags alone and a count of zeros that is one instruction: a tenth
// faster.
[[gnu::target("bmi,bmi2")]] void solve_with_bmi2(std::span<Filling> fillings) {
  solve_up_to_four(fillings);
}

void solve(std::span<Filling> fillings) {
  static const bool has_bmi2 = __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
  has_bmi2 ? solve_with_bmi2(fillings) : solve_plainly(fillings);
}
#else
void solve(std::span<Filling> fillings) {
  solve_plainly(fillings);
}
#endif

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

void solve_bands(std::span<Band* const> bands) {
  std::vector<Filling> fillings;
  fillings.reserve(bands.size());
  for (Band* const band : bands) {
    fillings.emplace_back(*band);
  }
  for (std::span<Filling> left(fillings); !left.empty();) {
    const std::size_t count = std::min(left.size(), kBandsAtOnce);
    solve(left.first(count));
    left = left.subspan(count);
  }
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
