// Divides a range of 64-bit numbers into slices of nearly equal width. The index of a slice ascends with the
// number.
//
//    index_of(x) = ((x - lowest) << shift) * multiplier >> 64
//
// The shift makes the range fill the word, so that one multiplication suffices.
//
// Invariants: x <= y means index_of(x) <= index_of(y), and every index is below `count`. A range narrower
// than `count` leaves slices empty. The width of the others is accurate to one part in `count`. Not here: a
// table of the slices' ends, which is unnecessary because the order is preserved.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "bloomery/base/uint128.h"

namespace bloomery {

class RangeSlices {
 public:
  // Precondition: lowest <= highest, 1 <= count < 2^63.
  RangeSlices(std::uint64_t lowest, std::uint64_t highest, std::uint64_t count)
      : lowest_(lowest), span_(highest - lowest) {
    assert(lowest <= highest);
    if (span_ != 0) {
      shift_ = std::countl_zero(span_);
      multiplier_ = static_cast<std::uint64_t>((Uint128{count} << 64) / (Uint128{span_ << shift_} + 1));
    }
  }

  bool contains(std::uint64_t number) const { return number - lowest_ <= span_; }

  // Precondition: contains(number).
  std::size_t index_of(std::uint64_t number) const {
    return static_cast<std::size_t>((Uint128{(number - lowest_) << shift_} * multiplier_) >> 64);
  }

 private:
  std::uint64_t lowest_;
  std::uint64_t span_;  // the range's last number minus its first
  int shift_ = 0;
  std::uint64_t multiplier_ = 0;
};

}  // namespace bloomery
