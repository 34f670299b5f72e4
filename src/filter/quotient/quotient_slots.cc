#include "filter/quotient/quotient_slots.h"

namespace bloomery {

// It is out of line because counts of three and more are rare, and the common path should stay small.
QuotientGroup QuotientSlots::counted_group(std::uint64_t slot, std::uint64_t end) const {
  constexpr QuotientGroup kNone = {};
  const std::uint32_t value_bits = digit_bits();
  std::uint64_t at = slot + 3;
  std::uint64_t count = 0;
  std::uint64_t digit = 0;
  std::uint32_t shift = 0;
  do {
    if (at + digit_slots() > end || shift >= kQuotientCountBits) {
      return kNone;
    }
    digit = remainder(at);
    if (digit_slots() == 2) {
      digit = digit << 1 | remainder(at + 1);
    }
    at += digit_slots();
    // A digit with `shift` > 0 has at most 23 bits, so nothing is shifted out.
    count |= (digit & low_bits(value_bits)) << shift;
    shift += value_bits;
  } while (digit >> value_bits != 0);
  const bool has_leading_zero = digit == 0 && shift > value_bits;
  if (has_leading_zero || count > kMaxQuotientCount - 3) {
    return kNone;
  }
  return {.count = count + 3, .slots = at - slot};
}

void QuotientSlots::set_group(std::uint64_t slot, std::uint64_t value, std::uint64_t count) const {
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, 3); ++i) {
    set_remainder(slot++, value);
  }
  if (count < 3) {
    return;
  }
  std::uint64_t rest = count - 3;
  do {
    const std::uint64_t bits = rest & low_bits(digit_bits());
    rest >>= digit_bits();
    const std::uint64_t digit = bits | (rest != 0 ? low_bits(digit_bits()) + 1 : 0);
    if (digit_slots() == 2) {
      set_remainder(slot++, digit >> 1);
      set_remainder(slot++, digit & 1);
    } else {
      set_remainder(slot++, digit);
    }
  } while (rest != 0);
}

}  // namespace bloomery
