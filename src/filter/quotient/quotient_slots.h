// The slots of a quotient table: plan, fingerprint, bytes, and how a count becomes slots. What the kernels
// (quotient_kernel.h) and the table (filter/quotient/quotient_table.h) share.
//
// Fingerprint   h * quotients = quotient * 2^64 + rest;   remainder = the top r bits of rest
//   As one number, quotient * 2^r + remainder = floor(h * quotients * 2^r / 2^64): it ascends with h, and is
//   one of quotients * 2^r, the universe.
//
// Words, little-endian, `blocks` blocks and then the offsets:
//   block b      occupieds | runends | 64 remainders of r bits, packed from the lowest bit       2 + r words
//   offsets      a byte a block, padded with zeroes to a word
// Slot s is bit and remainder s mod 64 of block s / 64; quotient q is at home in slot q.
//   occupieds    bit q: quotient q has a run, that is, fingerprints
//   runends      bit s: slot s is the last of a run
//   offset of b  how many slots from 64 b on are taken by runs of quotients before 64 b; 255 says 255 or more
//
// Invariants of a table that is whole; they leave one way to write a multiset, so equal ones have equal bytes
//   Runs lie in the order of their quotients; a run begins at home or, where that is taken, right behind the
//   run before. Slots of no run are zero, as are the occupieds of slots that are no quotient's home.
//   A run is groups, remainders ascending. A group is a remainder v and how often it was put in:
//     1  v        2  v v        n >= 3  v v v digits       digits of n - 3, least first
//   A digit is one slot (r = 1: two, the upper bit first); its top bit says that another follows, the other
//   bits are its value; the last is not 0 unless it is the only one. Read from the front there is no doubt
//   about what a slot is. Digits of at most 24 bits: no group has more than 27 slots (r = 1: 51).
//   A count that reached kMaxQuotientCount stays there.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/endian.h"
#include "bloomery/base/uint128.h"

namespace bloomery {

inline constexpr std::uint32_t kMaxRemainderBits = 48;
inline constexpr std::uint64_t kMaxQuotients = std::uint64_t{1} << 40;
inline constexpr std::uint32_t kQuotientCountBits = 24;
// At most this times slots does not overflow 64 bits.
inline constexpr std::uint64_t kMaxQuotientCount = (std::uint64_t{1} << kQuotientCountBits) - 1;
// Slots behind the last quotient's home, at least: runs do not wrap around. A table of uniform hashes at 95 %
// load spills into the k-th with a probability of about exp(-k / 10), so it is refused its last keys once in
// 10^11 tables.
inline constexpr std::uint64_t kOverflowSlots = 256;
inline constexpr std::uint64_t kSlotsPerBlock = 64;

struct QuotientPlan {
  std::uint64_t quotients = 1;       // 1 to kMaxQuotients
  std::uint32_t remainder_bits = 1;  // 1 to kMaxRemainderBits

  friend bool operator==(const QuotientPlan&, const QuotientPlan&) = default;
};

constexpr bool is_valid(const QuotientPlan& plan) {
  return plan.quotients >= 1 && plan.quotients <= kMaxQuotients && plan.remainder_bits >= 1 &&
         plan.remainder_bits <= kMaxRemainderBits;
}

// Precondition of these: is_valid(plan), which keeps all of them from overflowing.
constexpr std::uint64_t quotient_blocks(const QuotientPlan& plan) {
  return (plan.quotients + kOverflowSlots + kSlotsPerBlock - 1) / kSlotsPerBlock;
}
constexpr std::uint64_t quotient_slots(const QuotientPlan& plan) {
  return quotient_blocks(plan) * kSlotsPerBlock;
}
constexpr std::uint64_t quotient_block_words(const QuotientPlan& plan) {
  return std::uint64_t{2} + plan.remainder_bits;
}

// The words of a table; nothing when there is none of this plan.
constexpr std::optional<std::uint64_t> quotient_words(const QuotientPlan& plan) {
  if (!is_valid(plan)) {
    return std::nullopt;
  }
  return quotient_blocks(plan) * quotient_block_words(plan) + (quotient_blocks(plan) + 7) / 8;
}
static_assert(kOverflowSlots >= kSlotsPerBlock);  // so that kernels may read over the end of a home's block
static_assert(quotient_words({kMaxQuotients, kMaxRemainderBits}) < std::uint64_t{1} << 60);
static_assert(quotient_slots({kMaxQuotients, 1}) <= ~std::uint64_t{0} / kMaxQuotientCount + 1);

struct QuotientFingerprint {
  std::uint64_t quotient = 0;
  std::uint64_t remainder = 0;

  friend bool operator==(const QuotientFingerprint&, const QuotientFingerprint&) = default;
  friend constexpr std::strong_ordering operator<=>(const QuotientFingerprint& a,
                                                    const QuotientFingerprint& b) {
    const std::strong_ordering by_quotient = a.quotient <=> b.quotient;
    return std::is_eq(by_quotient) ? a.remainder <=> b.remainder : by_quotient;
  }
};

constexpr QuotientFingerprint quotient_fingerprint(std::uint64_t quotients, std::uint32_t remainder_bits,
                                                   std::uint64_t hash) {
  const Uint128 product = Uint128{hash} * quotients;
  return {.quotient = static_cast<std::uint64_t>(product >> 64),
          .remainder = static_cast<std::uint64_t>(product) >> (64 - remainder_bits)};
}

// What is in a table. It follows from the bytes.
struct QuotientTally {
  std::uint64_t slots = 0;         // taken
  std::uint64_t fingerprints = 0;  // distinct
  std::uint64_t keys = 0;          // the sum of their counts

  friend bool operator==(const QuotientTally&, const QuotientTally&) = default;
};

// A group of a run, as read.
struct QuotientGroup {
  std::uint64_t count = 0;  // 0: slots that no table has
  std::uint64_t slots = 0;
};

constexpr std::uint64_t low_bits(std::uint64_t count) {  // 0 to 63
  return (std::uint64_t{1} << count) - 1;
}
constexpr std::uint64_t bits_through(std::uint64_t last) {  // 0 to 63
  return ~std::uint64_t{0} >> (63 - last);
}

inline constexpr std::uint8_t kSaturatedOffset = 255;

// A table's words, read and written.
class QuotientSlots {
 public:
  QuotientSlots() = default;
  // `words` are quotient_words(plan), of a valid plan.
  QuotientSlots(const QuotientPlan& plan, std::uint64_t* words)
      : words_(words),
        quotients_(plan.quotients),
        blocks_(quotient_blocks(plan)),
        block_words_(quotient_block_words(plan)),
        remainder_mask_(low_bits(plan.remainder_bits)),
        remainder_bits_(plan.remainder_bits) {}

  QuotientPlan plan() const { return {.quotients = quotients_, .remainder_bits = remainder_bits_}; }
  std::uint64_t quotients() const { return quotients_; }
  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t slots() const { return blocks_ * kSlotsPerBlock; }
  std::uint32_t remainder_bits() const { return remainder_bits_; }
  std::uint64_t block_words() const { return block_words_; }
  std::uint64_t* words() const { return words_; }

  QuotientFingerprint fingerprint(std::uint64_t hash) const {
    return quotient_fingerprint(quotients_, remainder_bits_, hash);
  }

  std::uint64_t* block(std::uint64_t index) const { return words_ + index * block_words_; }
  std::uint64_t& occupieds(std::uint64_t block_index) const { return block(block_index)[0]; }
  std::uint64_t& runends(std::uint64_t block_index) const { return block(block_index)[1]; }
  std::uint64_t* remainders(std::uint64_t block_index) const { return block(block_index) + 2; }
  std::uint8_t& offset(std::uint64_t block_index) const {
    return reinterpret_cast<std::uint8_t*>(words_ + blocks_ * block_words_)[block_index];
  }

  bool is_occupied(std::uint64_t slot) const { return (occupieds(slot / 64) >> (slot % 64) & 1) != 0; }
  bool is_runend(std::uint64_t slot) const { return (runends(slot / 64) >> (slot % 64) & 1) != 0; }

  // A remainder starts in one byte and ends within eight; behind the last block's are the offsets, so that
  // whole words are read and written everywhere.
  std::uint64_t remainder(std::uint64_t slot) const { return remainder_in(remainders(slot / 64), slot % 64); }
  // Remainder `index` of those of a block.
  std::uint64_t remainder_in(const std::uint64_t* block_remainders, std::uint64_t index) const {
    const std::uint64_t bit = index * remainder_bits_;
    return load_little64(reinterpret_cast<const std::byte*>(block_remainders) + bit / 8) >> (bit % 8) &
           remainder_mask_;
  }
  void set_remainder(std::uint64_t slot, std::uint64_t value) const {
    const std::uint64_t bit = slot % 64 * remainder_bits_;
    std::byte* const bytes = reinterpret_cast<std::byte*>(remainders(slot / 64)) + bit / 8;
    const std::uint64_t kept = load_little64(bytes) & ~(remainder_mask_ << (bit % 8));
    store_little(bytes, kept | value << (bit % 8));
  }

  // The group that begins at `slot` of a run that ends before `end`. Reads no slot from `end` on, whatever
  // they say.   Precondition: slot < end <= slots().
  QuotientGroup group(std::uint64_t slot, std::uint64_t end) const {
    const std::uint64_t value = remainder(slot);
    if (slot + 1 == end || remainder(slot + 1) != value) {
      return {.count = 1, .slots = 1};
    }
    if (slot + 2 == end || remainder(slot + 2) != value) {
      return {.count = 2, .slots = 2};
    }
    return counted_group(slot, end);
  }
  // Of a group with this count, 1 to kMaxQuotientCount.
  std::uint64_t group_slots(std::uint64_t count) const {
    if (count < 3) {
      return count;
    }
    const auto bits = static_cast<std::uint32_t>(std::bit_width(count - 3));
    return std::uint64_t{3} +
           digit_slots() * std::max<std::uint32_t>((bits + digit_bits() - 1) / digit_bits(), 1);
  }
  // Writes the remainders of a group into group_slots(count) slots.
  void set_group(std::uint64_t slot, std::uint64_t value, std::uint64_t count) const;

 private:
  std::uint32_t digit_bits() const { return std::max<std::uint32_t>(remainder_bits_, 2) - 1; }
  std::uint64_t digit_slots() const { return remainder_bits_ == 1 ? 2 : 1; }
  QuotientGroup counted_group(std::uint64_t slot, std::uint64_t end) const;

  std::uint64_t* words_ = nullptr;
  std::uint64_t quotients_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t block_words_ = 0;
  std::uint64_t remainder_mask_ = 0;
  std::uint32_t remainder_bits_ = 0;
};

}  // namespace bloomery
