// The sizes of a deletable filter: from capacity and fpp to the tables of its segments.
//
// All fingerprints of a filter have one universe, however far it has grown:
//
//   quotients / 128 * 2^remainder_bits      possible fingerprints
//
// A table of level v has this share of `quotients`, and remainders of remainder_bits - v bits:
//
//   level         1      2      ...   6     7     8     9
//   quotients     1/64   1/32         1/2   all   all   all
//   segments      1      1            1     1     2     4        if all segments have one level
//
// So a filter doubles up to level 7 as one table, and splits segments from there on. A doubling moves one bit
// of each remainder to the quotient and loses nothing. Tables are small, since an insert into a shared table
// copies it, and a split writes two.
//
// The universe of a growing filter is sized for 2^30 keys at its fpp, or for its capacity if that is larger.
// So the fpp holds until a server's key reaches the usual limit of its memory. With n items this costs
// log2(2^30 / n) bits an item. A chain of filters would cost less. But a delete could then hit a false
// positive in the wrong filter of the chain, and the item that it belongs to would be lost.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "filter/quotient/segment_shape.h"

namespace bloomery {

inline constexpr std::uint32_t kJoinedDoublings = 7;
inline constexpr std::uint32_t kMostSegmentQuotients = 4096;
inline constexpr std::uint64_t kGrowthKeys = std::uint64_t{1} << 30;

struct DeletableShape {
  std::uint32_t quotients = 0;       // from level 7 on: a multiple of 128, up to 4,096
  std::uint32_t remainder_bits = 0;  // at level 0

  SegmentShape segments() const {
    return {.quotients = quotients, .remainder_bits = remainder_bits, .first = 1, .joined = kJoinedDoublings};
  }
  double universe() const;

  friend bool operator==(const DeletableShape&, const DeletableShape&) = default;
};

enum class Grows : std::uint8_t { kNo, kYes };

struct DeletableStart {
  DeletableShape shape;
  std::uint32_t level = 1;          // of the first segments
  std::uint64_t planned_bytes = 0;  // of a filter that is filled to its capacity
};

// Returns the shape for `capacity` keys at `fpp`. Errors: kInvalidArgument unless 0 < fpp < 1 and 1 <=
// capacity <= 2^40; kCapacity if no fingerprints have such an fpp.
Result<DeletableStart> deletable_start(std::uint64_t capacity, double fpp, Grows grows);

// Errors: kCorruption unless quotients and remainder bits are in the ranges of deletable_start().
Status check_deletable_shape(const DeletableShape& shape);

}  // namespace bloomery
