// The slots of a quotient table: its plan, its fingerprints, its bytes, and the encoding of counts. The
// kernels (quotient_kernel.h) and the table (quotient_table.h) share these definitions.
//
// Fingerprint   h * quotients = quotient * 2^64 + rest;   remainder = the top r bits of rest
//
//    As one number it is quotient * 2^r + remainder = floor(h * quotients * 2^r / 2^64). It ascends with h.
//    The quotients * 2^r possible fingerprints are the universe.
//
// The words of a table, little-endian, are its blocks and then the offsets:
//
//    block 0   occupieds | runends | 64 remainders of r bits, packed from the lowest bit     2 + r words
//    block 1   occupieds | runends | 64 remainders
//    ...
//    offsets   one byte for each block, padded with zeroes to a word
//
// Slot s is bit and remainder s mod 64 of block s / 64. The home of quotient q is slot q.
//
//    occupieds    bit q: quotient q has a run, which holds its remainders
//    runends      bit s: slot s is the last of a run
//    offset of b  how many slots from 64 b on runs of quotients before 64 b use; 255 means 255 or more
//
// Example with quotients 1 (remainders a, b), 2 (c) and 5 (d):
//
//    slot        0 1 2 3 4 5
//    occupieds   0 1 1 0 0 1
//    runends     0 0 1 1 0 1
//    remainder   . a b c . d       the run of 2 begins after the run of 1, since slot 2 is taken
//
// Invariants of a valid table. They make the encoding of a multiset unique, so equal multisets have equal
// bytes.
//
//   - Runs are in the order of their quotients. A run begins at home or, if its home is taken, directly after
//     the previous run.
//   - Slots outside runs are zero. So are the occupieds of slots that are no quotient's home.
//   - A run consists of groups, with ascending remainders. A group is a remainder v and its count n:
//
//      n = 1   v
//      n = 2   v v
//      n >= 3  v v v digits       the digits of n - 3, least significant first
//
//   - A digit is one slot (two if r = 1, the upper bit first). Its top bit says that another digit follows,
//     and the other bits are its value. The last digit is not 0, unless it is the only one. Read from its
//     first slot, a run is unambiguous.
//   - Digits hold at most 24 bits, so no group has more than 27 slots (51 if r = 1).
//   - A count that has reached kMaxQuotientCount stays there.
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
// The largest count. Its product with the number of slots fits 64 bits.
inline constexpr std::uint64_t kMaxQuotientCount = (std::uint64_t{1} << kQuotientCountBits) - 1;
// The least number of slots after the last quotient's home, since runs do not wrap around. A table of uniform
// hashes at 95 % load spills into the k-th of them with a probability of about exp(-k / 10). So it refuses
// its last keys once in 10^11 tables.
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

// Precondition of these functions: is_valid(plan), which rules out overflow in all of them.
constexpr std::uint64_t quotient_blocks(const QuotientPlan& plan) {
  return (plan.quotients + kOverflowSlots + kSlotsPerBlock - 1) / kSlotsPerBlock;
}
constexpr std::uint64_t quotient_slots(const QuotientPlan& plan) {
  return quotient_blocks(plan) * kSlotsPerBlock;
}
constexpr std::uint64_t quotient_block_words(const QuotientPlan& plan) {
  return std::uint64_t{2} + plan.remainder_bits;
}

// Returns the words of a table, or nothing if the plan is not valid.
constexpr std::optional<std::uint64_t> quotient_words(const QuotientPlan& plan) {
  if (!is_valid(plan)) {
    return std::nullopt;
  }
  return quotient_blocks(plan) * quotient_block_words(plan) + (quotient_blocks(plan) + 7) / 8;
}
static_assert(kOverflowSlots >= kSlotsPerBlock);  // kernels may read past the end of a home's block
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

// The counts of a table's content, which follow from its bytes.
struct QuotientTally {
  std::uint64_t slots = 0;         // occupied slots
  std::uint64_t fingerprints = 0;  // distinct ones
  std::uint64_t keys = 0;          // the sum of their counts

  friend bool operator==(const QuotientTally&, const QuotientTally&) = default;
};

// A group as it is read from a run.
struct QuotientGroup {
  std::uint64_t count = 0;  // 0 for slots that no valid table has
  std::uint64_t slots = 0;
};

constexpr std::uint64_t low_bits(std::uint64_t count) {  // 0 to 63
  return (std::uint64_t{1} << count) - 1;
}
constexpr std::uint64_t bits_through(std::uint64_t last) {  // 0 to 63
  return ~std::uint64_t{0} >> (63 - last);
}

inline constexpr std::uint8_t kSaturatedOffset = 255;

// Access to the words of a table.
class QuotientSlots {
 public:
  QuotientSlots() = default;
  // `words` has quotient_words(plan) words, and the plan is valid.
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

  // A remainder is within the eight bytes that begin with its first byte. The offsets follow the last block's
  // remainders, so these eight bytes exist for every remainder.
  std::uint64_t remainder(std::uint64_t slot) const { return remainder_in(remainders(slot / 64), slot % 64); }
  // Returns remainder `index` of a block.
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

  // Returns the group that begins at `slot`, of a run that ends before `end`. Reads no slot from `end` on,
  // for any content. Precondition: slot < end <= slots().
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
  // Returns the slots of a group with this count, which is 1 to kMaxQuotientCount.
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

// Returns a view of a table in a page. One view type serves reads and writes; a caller may write only if it
// owns the page.
inline QuotientSlots quotient_slots_over(const QuotientPlan& plan, const std::byte* words) {
  auto* const writable = const_cast<std::byte*>(words);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return {plan, reinterpret_cast<std::uint64_t*>(writable)};
}

}  // namespace bloomery
