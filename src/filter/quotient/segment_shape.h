// The shape of a quotient filter's segments: which table a segment of each level has.
//
//   level                 first     ...   joined - 1   joined   joined + 1   joined + 2
//   quotients             ...             1/2          all      all          all
//   remainder bits        one less at each level
//   bits of a hash that
//   choose the segment    0               0            0        1            2
//
// So the fingerprint of a hash is the same number at any level. A segment below level `joined` doubles when
// it is full; from there on it splits in two. Each step moves one bit of a remainder into the quotient or
// into the directory (segment_directory.h), without the keys.
#pragma once

#include <cstdint>

#include "filter/quotient/quotient_slots.h"

namespace bloomery {

struct SegmentShape {
  std::uint64_t quotients = 1;       // of a table from level `joined` on
  std::uint32_t remainder_bits = 0;  // at level 0
  std::uint32_t first = 0;           // the least level of a segment
  std::uint32_t joined = 0;

  // Precondition of the calls below: is_level(level).
  QuotientPlan plan(std::uint32_t level) const {
    return {.quotients = level < joined ? quotients >> (joined - level) : quotients,
            .remainder_bits = remainder_bits - level};
  }
  std::uint64_t table_bytes(std::uint32_t level) const {
    return *quotient_words(plan(level)) * sizeof(std::uint64_t);
  }
  // Returns how many leading bits of a hash choose the segment.
  std::uint32_t depth(std::uint32_t level) const { return level > joined ? level - joined : 0; }
  bool is_level(std::uint32_t level) const {
    return level >= first && level < remainder_bits && remainder_bits - level <= kMaxRemainderBits;
  }
};

}  // namespace bloomery
