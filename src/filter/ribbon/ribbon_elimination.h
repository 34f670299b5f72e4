// The elimination that fills bands key after key. Every kernel of the solver except the AVX-512 one is
// compiled from this text.
//
// A file that includes this header calls solve_by_turns() from a function that is compiled for its processor.
// Code that runs in every step is inlined there. All functions here are local to that file. ribbon_solver.h
// explains the method, and its invariants.
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

// The code of a bucket whose last group that fits is group 0, 1 or 2. Groups are inserted in this order.
constexpr std::array<std::uint8_t, 3> kGroupCodes = {2, 1, 0};
constexpr std::uint8_t kAllBumped = 3;

// Empties the output of a band: all slots are free, all buckets are bumped, and no key is listed as bumped.
inline void clear_result(Band& band) {
  band.equations.assign(std::size_t{band.blocks} * kRibbonBlockSlots, {});
  band.codes.assign(band_buckets(band.blocks), kAllBumped);
  band.bumped.clear();
}

// Appends the keys [begin, end) to the bumped ones.
inline void bump(Band& band, std::size_t begin, std::size_t end) {
  band.bumped.insert(band.bumped.end(), band.hashes.begin() + static_cast<std::ptrdiff_t>(begin),
                     band.hashes.begin() + static_cast<std::ptrdiff_t>(end));
}

// The state of a band while it is filled: the key that is being inserted, and its bucket and group.
//
// The keys of the current bucket are hashes [bucket_begin_, bucket_end_), ascending by start:
//
//    bucket_begin_           next_            kept_begin_              bucket_end_
//         |  not inserted yet  |  current group    |  groups that are in   |
//
// The pivots of the current group are in `placed_`, so that a contradiction can remove them.
class Filling {
 public:
  // The equation that is being inserted, and the slot that it has reached.
  BandEquation equation;
  BandEquation* at = nullptr;

  explicit Filling(Band& band) : band_(band) {
    clear_result(band);
    // A group places at most one pivot in each slot that its keys reach. These are the slots of a bucket and
    // the 63 after it.
    placed_.resize(kBucketStarts + kRibbonBlockSlots);
    last_placed_ = placed_.data();
  }

  // Advances to the next key to insert. Returns false if there is none.
  bool next() {
    for (;;) {
      // The next key to the left, if it is in the current group. Clearing the flag restores the key's own
      // hash; the flag then inverts column 0 of a rejected key's fingerprint.
      if (next_ > bucket_begin_ && band_.starts[next_ - 1] >= group_begin_) {
        --next_;
        const std::uint64_t flag = band_.hashes[next_] & band_.reject_bit;
        const RibbonKey key(band_.hashes[next_] ^ flag, band_.seed, band_.layer);
        equation = {.row = key.row(), .fingerprint = key.fingerprint() ^ flag};
        at = &band_.equations[band_.starts[next_]];
        return true;
      }
      // The group is complete, so its keys stay. The bucket's code is that of the last complete group.
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

  // Stores the equation as the pivot of the free slot that it has reached, and advances to the next key.
  bool place() {
    *at = equation;
    *last_placed_++ = at;
    return next();
  }

  // Handles an equation that has lost all coefficients. If its fingerprint is 0 the key follows from the
  // pivots and is in. Otherwise the key contradicts them: the pivots of its group are removed, and the next
  // bucket begins.
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

  // Closes the bucket, bumps its keys before kept_begin_, and opens the next bucket that has keys. Returns
  // false if there is none.
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
  std::vector<BandEquation*> placed_;  // the pivots of the current group
  BandEquation** last_placed_;
  std::size_t bucket_begin_ = 0;
  std::size_t bucket_end_ = 0;
  std::size_t next_ = 0;        // the keys [next_, bucket_end_) have been visited
  std::size_t kept_begin_ = 0;  // the keys [kept_begin_, bucket_end_) will stay
  std::uint32_t bucket_ = 0;
  std::uint32_t group_begin_ = 0;  // the lowest start of the current group
  std::size_t group_ = 0;
  bool has_bucket_ = false;
};

// The state of one band that every elimination step touches. The compiler keeps it in registers. A Filling is
// called only once a key.
struct Lane {
  std::uint64_t row;
  std::uint64_t fingerprint;
  BandEquation* at;
};

// Loads the lane with the key that `filling` has reached.
inline bool turn_to(Lane& lane, const Filling& filling, bool found) {
  lane = {.row = filling.equation.row, .fingerprint = filling.equation.fingerprint, .at = filling.at};
  return found;
}

// Does one elimination step. Returns false when the band has no more keys.
//
// Before and after the step, bit 0 of the lane's row is set, and it is the coefficient of slot `at`. The
// pivot there has bit 0 set too, so the sum has a lowest coefficient further right: each step moves to the
// right.
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

// Fills N bands, one step of each in turn, until one of them has no more keys. Then finishes the others one
// after the other.
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

// Fills every band, at most kBandsAtOnce at a time.
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
