// The numbers of a layer whose bits are made late (late_bits.h): its pieces, its fingerprints, and its
// tables.
//
//   piece         h * pieces = piece * 2^64 + rest
//   fingerprint   y = the top g bits of rest
//   window        floor(y * windows / 2^g), of those of the piece
//   bits          those of the hash late_bits_hash(y) in one window (filter/blocked_window.h)
//
// So the fingerprint of a key in a piece is all that its bits need. Two keys of a piece have one fingerprint
// with a probability of 2^-g. A layer of capacity n at an fpp of p has g such that this adds at most p / 64:
//
//   2^g >= 64 * n / pieces / p
//
// A piece has at most 16 KiB as bits. Its tables are quotient tables (filter/quotient/quotient_slots.h). A
// table of level v has
//
//   level        1    2    3    4    5    6    7    8    9    10   11   12   ...
//   quotients    64 * 1    2    3    4    5    6    7    8    10   12   14   16   ...
//
// and remainders of so many bits that different fingerprints stay different. Up to 96 % of its slots are
// taken. The last level is the last one whose table is smaller than the bits.
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "filter/quotient/quotient_slots.h"

namespace bloomery {

inline constexpr std::uint64_t kWindowBytes = 64;
inline constexpr std::uint64_t kMostPieceWindows = 256;
inline constexpr std::uint32_t kFewestLateBits = 20;
inline constexpr std::uint32_t kMostLateBits = 54;

struct LateShape {
  std::uint64_t pieces = 0;
  std::uint64_t windows = 0;  // of a piece, at most kMostPieceWindows
  std::uint32_t hash_count = 0;
  std::uint32_t fingerprint_bits = 0;  // g

  std::uint64_t piece_bytes() const { return windows * kWindowBytes; }
};

// Returns the windows of a layer that needs at least so many: pieces of equal size have them.
std::uint64_t windows_in_pieces(std::uint64_t windows);
// Returns g for a layer of so many windows in pieces; 0 if such a layer has all bits at once, because it is
// small or because tables cannot have fingerprints of so many bits.
std::uint32_t late_fingerprint_bits(std::uint64_t windows, std::uint64_t capacity, double fpp);
// Errors: kCorruption unless `shape` is in pieces, and g in its range.
Result<LateShape> late_shape(const BlockedShape& shape, std::uint32_t fingerprint_bits);

// The tables of one level.
struct LateLevel {
  std::uint32_t quotients = 0;
  std::uint32_t bytes = 0;
  std::uint16_t most_keys = 0;
  std::uint8_t remainder_bits = 0;

  QuotientPlan plan() const { return {.quotients = quotients, .remainder_bits = remainder_bits}; }
};

// Returns all levels from 1 on.
std::vector<LateLevel> late_levels(const LateShape& shape);

// Returns the place of a fingerprint in a table.
constexpr QuotientFingerprint place_in_table(const QuotientPlan& plan, std::uint32_t fingerprint_bits,
                                             std::uint64_t fingerprint) {
  return quotient_fingerprint(plan.quotients, plan.remainder_bits, fingerprint << (64 - fingerprint_bits));
}
// Returns the smallest fingerprint that has this place or a later one. A place that it does not have belongs
// to no fingerprint.
constexpr std::uint64_t fingerprint_at(const QuotientPlan& plan, std::uint32_t fingerprint_bits,
                                       const QuotientFingerprint& place) {
  const Uint128 scaled = (Uint128{place.quotient} << fingerprint_bits) +
                         (Uint128{place.remainder} << (fingerprint_bits - plan.remainder_bits));
  const Uint128 dividend = scaled + plan.quotients - 1;
  return dividend >> 64 == 0  // then a division of 64 bits suffices, which is much faster
             ? static_cast<std::uint64_t>(dividend) / plan.quotients
             : static_cast<std::uint64_t>(dividend / plan.quotients);
}

// The hash that chooses the bits of a fingerprint in its window. It mixes as the finaliser of SplitMix64 does
// (Steele, Lea and Flood 2014). It decides bits in files and in values of keys; never change it.
constexpr std::uint64_t late_bits_hash(std::uint64_t fingerprint) {
  std::uint64_t x = fingerprint + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace bloomery
