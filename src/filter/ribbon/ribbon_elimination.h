// The elimination that fills bands: the text of every kernel of the solver.
//
// A file that includes it calls solve_by_turns() from a function for its processor, and everything that runs
// once a step is inlined there; all of it is that file's own. ribbon_solver.h tells what it does.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "filter/ribbon/ribbon_band.h"
#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {
namespace {

// The groups of a bucket, in the order they go in, by the code that says they are the last that did.
constexpr std::array<std::uint8_t, 3> kGroupCodes = {2, 1, 0};
constexpr std::uint8_t kAllBumped = 3;

// Empties what the solver returns of a band.
inline void clear_result(Band& band) {
  band.equations.assign(std::size_t{band.blocks} * kRibbonBlockSlots, {});
  band.codes.assign(band_buckets(band.blocks), kAllBumped);
  band.bumped.clear();
}

// Bumps the keys [begin, end).
inline void bump(Band& band, std::size_t begin, std::size_t end) {
  band.bumped.insert(band.bumped.end(), band.hashes.begin() + static_cast<std::ptrdiff_t>(begin),
                     band.hashes.begin() + static_cast<std::ptrdiff_t>(end));
}

// A band while it is filled: the key that is being eliminated, and where in the band it came from.
class Filling {
 public:
  // The equation that looks for a place, and the place it tries.
  BandEquation equation;
  BandEquation* at = nullptr;

  explicit Filling(Band& band) : band_(band) {
    clear_result(band);
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
    bump(band_, bucket_begin_, kept_begin_);
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

// Fills every band, a few at a time.
[[gnu::always_inline]] inline void solve_by_turns(std::span<Band* const> bands) {
  std::vector<Filling> fillings;
  fillings.reserve(bands.size());
  for (Band* const band : bands) {
    fillings.emplace_back(*band);
  }
  for (std::span<Filling> left(fillings); !left.empty();) {
    const std::size_t count = std::min(left.size(), kBandsAtOnce);
    solve_up_to_four(left.first(count));
    left = left.subspan(count);
  }
}

}  // namespace
}  // namespace bloomery
