// The shared source of all quotient kernels. A file that includes this header defines
// BLOOMERY_QUOTIENT_TARGET, the attribute of all functions here. It also defines nth_set_bit(),
// first_balanced(), move_words_up() and move_words_down(). All functions here are local to that file.
#ifndef BLOOMERY_QUOTIENT_TARGET
#error "quotient_kernel_ops.h is a part of quotient_kernel_*.cc"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "filter/quotient/quotient_kernel.h"

namespace bloomery {
namespace {

// The slots of a quotient's run, [begin, end). If the quotient has no run, both are the slot where it would
// begin.
struct Run {
  std::uint64_t begin;
  std::uint64_t end;
  bool exists;
};

// The run and the slot of a fingerprint's group, or the slot where the group would be inserted.
struct Place {
  Run run;
  std::uint64_t slot;
  QuotientGroup group;  // count 0 and slots 0 if there is none
};

// ---- where runs are

// Returns the slot after the rank-th runend from slot `from` on. The first runend has rank 1.
BLOOMERY_QUOTIENT_TARGET inline std::uint64_t behind_runend(const QuotientSlots& slots, std::uint64_t from,
                                                            std::uint64_t rank) {
  std::uint64_t block = from / 64;
  std::uint64_t ends = slots.runends(block) & ~low_bits(from % 64);
  for (std::uint64_t there; (there = static_cast<std::uint64_t>(__builtin_popcountll(ends))) < rank;) {
    rank -= there;
    ends = slots.runends(++block);
  }
  return block * 64 + nth_set_bit(ends, rank - 1) + 1;
}

// Computes taken_before() for a block with a saturated offset. Counts runs from the nearest earlier block
// that has an exact offset.
BLOOMERY_QUOTIENT_TARGET __attribute__((noinline)) std::uint64_t taken_far_before(const QuotientSlots& slots,
                                                                                  std::uint64_t block) {
  std::uint64_t known = block;
  while (slots.offset(known) == kSaturatedOffset) {
    --known;  // ends at block 0 at the latest, whose offset is 0
  }
  std::uint64_t end = known * 64 + slots.offset(known);
  for (; known < block; ++known) {
    const auto runs = static_cast<std::uint64_t>(__builtin_popcountll(slots.occupieds(known)));
    if (runs != 0) {
      end = behind_runend(slots, std::max(end, known * 64), runs);
    }
  }
  return std::max(end, block * 64);
}

// Returns the first slot at or after the block's first slot that no run of an earlier block's quotient
// occupies.
BLOOMERY_QUOTIENT_TARGET inline std::uint64_t taken_before(const QuotientSlots& slots, std::uint64_t block) {
  const std::uint8_t offset = slots.offset(block);
  if (offset == kSaturatedOffset) [[unlikely]] {
    return taken_far_before(slots, block);
  }
  return block * 64 + offset;
}

// Returns the first bit from `from` (0 to 63) on whose slot is not reached by any run with a home at least
// `lag` slots before it; 64 if there is none.
//
//    lag 0   the slot is free
//    lag 1   the slot is free, or begins a run at home
//
// From the block's offset on, such a slot has as many runends before it as there are occupied quotients up to
// `lag` slots before it. With an offset of 64 or more, no slot of the block qualifies.
BLOOMERY_QUOTIENT_TARGET inline std::uint64_t unreached_in(const QuotientSlots& slots, std::uint64_t block,
                                                           std::uint64_t from, std::uint64_t lag) {
  const std::uint64_t offset = slots.offset(block);
  if (offset >= 64) [[unlikely]] {
    return 64;
  }
  const std::uint64_t runends = slots.runends(block) & ~low_bits(offset);
  return first_balanced(slots.occupieds(block) << lag, runends << 1, std::max(from, offset));
}

// Returns the first free slot from `slot` on, or slots.slots() if there is none.
BLOOMERY_QUOTIENT_TARGET inline std::uint64_t first_free(const QuotientSlots& slots, std::uint64_t slot) {
  for (std::uint64_t from = slot % 64, block = slot / 64; block < slots.blocks(); ++block, from = 0) {
    const std::uint64_t found = unreached_in(slots, block, from, 0);
    if (found != 64) {
      return block * 64 + found;
    }
  }
  return slots.slots();
}

// The position of a run that begins and ends in its quotient's block, as most runs do.
struct NearRun {
  std::uint64_t first;  // has no meaning if there is no run
  std::uint64_t last;
  bool is_near;
  bool exists;
};

BLOOMERY_QUOTIENT_TARGET inline NearRun near_run_of(const QuotientSlots& slots, std::uint64_t quotient) {
  const std::uint64_t block = quotient / 64;
  const std::uint64_t home = quotient % 64;
  const std::uint64_t occupieds = slots.occupieds(block);
  const std::uint64_t offset = slots.offset(block);
  const std::uint64_t runends = slots.runends(block) & ~low_bits(offset % 64);
  const auto rank = static_cast<std::uint64_t>(__builtin_popcountll(occupieds & bits_through(home)));
  const auto ends = static_cast<std::uint64_t>(__builtin_popcountll(runends));
  if (offset >= 64 || rank - 1 >= ends) [[unlikely]] {  // or no quotient up to home has a run
    return {.first = 0, .last = 0, .is_near = false, .exists = false};
  }
  const std::uint64_t last = nth_set_bit(runends, rank - 1);
  // The run begins after the runend before it, or after the overflow from earlier blocks.
  const std::uint64_t begins = (runends & low_bits(last)) << 1 | std::uint64_t{1} << offset;
  return {.first = std::max(home, 63 - static_cast<std::uint64_t>(__builtin_clzll(begins))),
          .last = last,
          .is_near = true,
          .exists = (occupieds >> home & 1) != 0};
}

BLOOMERY_QUOTIENT_TARGET __attribute__((noinline)) Run far_run_of(const QuotientSlots& slots,
                                                                  std::uint64_t quotient) {
  const std::uint64_t block = quotient / 64;
  const std::uint64_t occupieds = slots.occupieds(block);
  const auto runs = static_cast<std::uint64_t>(__builtin_popcountll(occupieds & low_bits(quotient % 64)));
  const std::uint64_t before = taken_before(slots, block);
  const std::uint64_t begin = std::max(runs == 0 ? before : behind_runend(slots, before, runs), quotient);
  const bool exists = (occupieds >> (quotient % 64) & 1) != 0;
  return {.begin = begin, .end = exists ? behind_runend(slots, begin, 1) : begin, .exists = exists};
}

BLOOMERY_QUOTIENT_TARGET __attribute__((noinline)) Place far_place_of(
    const QuotientSlots& slots, const QuotientFingerprint& fingerprint) {
  const Run run = far_run_of(slots, fingerprint.quotient);
  std::uint64_t slot = run.begin;
  while (slot < run.end) {
    const std::uint64_t value = slots.remainder(slot);
    if (value > fingerprint.remainder) {
      break;
    }
    const QuotientGroup group = slots.group(slot, run.end);
    if (value == fingerprint.remainder) {
      return {.run = run, .slot = slot, .group = group};
    }
    slot += group.slots;
  }
  return {.run = run, .slot = slot, .group = {}};
}

// Finds the group of a fingerprint, or the slot where it would begin. The fast case is a run of at most three
// slots inside its quotient's block, or no run. Such a run has no digits of counts, so its remainders are
// compared without branches, which a processor would mispredict. Other cases call far_place_of().
BLOOMERY_QUOTIENT_TARGET inline Place place_of(const QuotientSlots& slots,
                                               const QuotientFingerprint& fingerprint) {
  const NearRun near = near_run_of(slots, fingerprint.quotient);
  const bool is_long = near.exists & (near.last > near.first + 2);
  if (!near.is_near || is_long) [[unlikely]] {
    return far_place_of(slots, fingerprint);
  }
  // If the quotient has no run, `last` is the last slot of the run before it.
  const std::uint64_t begin = near.exists ? near.first : std::max(near.last + 1, fingerprint.quotient % 64);
  const std::uint64_t length = near.exists ? near.last - near.first + 1 : 0;
  const std::uint64_t* const remainders = slots.remainders(fingerprint.quotient / 64);
  std::uint64_t less = 0;
  std::uint64_t equal = 0;
  for (std::uint64_t i = 0; i < 3; ++i) {
    // Reading past the block's last slot is allowed: no quotient is at home in the last blocks.
    const std::uint64_t value = slots.remainder_in(remainders, begin + i);
    less += static_cast<std::uint64_t>((i < length) & (value < fingerprint.remainder));
    equal += static_cast<std::uint64_t>((i < length) & (value == fingerprint.remainder));
  }
  const std::uint64_t block = fingerprint.quotient / 64 * 64;
  return {.run = {.begin = block + begin, .end = block + begin + length, .exists = near.exists},
          .slot = block + begin + less,
          .group = {.count = equal, .slots = equal}};
}

// ---- inserting and erasing a slot

// Moves the bits [begin, end - distance) of words up by `distance`, 1 to 63, within [begin, end). The bits
// that become free in the first word are 0 or keep their old values.
BLOOMERY_QUOTIENT_TARGET inline void move_bits_up(std::uint64_t* words, std::uint64_t begin,
                                                  std::uint64_t end, std::uint32_t distance) {
  const std::uint64_t first = begin / 64;
  const std::uint64_t last = (end - 1) / 64;
  const std::uint64_t to_end = bits_through((end - 1) % 64);
  const std::uint64_t kept_low = words[first] & low_bits(begin % 64);
  const std::uint64_t kept_high = words[last] & ~to_end;
  move_words_up(words + first, last - first, distance);
  words[first] = ((words[first] << distance) & ~low_bits(begin % 64)) | kept_low;
  words[last] = (words[last] & to_end) | kept_high;
}

inline std::uint64_t merged(std::uint64_t old, std::uint64_t replacement, std::uint64_t mask) {
  return (old & ~mask) | (replacement & mask);
}

// Moves the bits [begin + distance, end) down by `distance`. The last `distance` bits then are 0. The words
// at both ends are computed before the others are moved, and written after them: a vector load that reads a
// word just written has to wait for it.
BLOOMERY_QUOTIENT_TARGET inline void move_bits_down(std::uint64_t* words, std::uint64_t begin,
                                                    std::uint64_t end, std::uint32_t distance) {
  const std::uint64_t first = begin / 64;
  const std::uint64_t last = (end - 1) / 64;
  const std::uint64_t before_last = last - (first == last ? 0 : 1);
  const std::uint64_t from_begin = ~low_bits(begin % 64);
  const std::uint64_t to_end = bits_through((end - 1) % 64);
  const std::uint64_t old_first = words[first];
  const std::uint64_t old_before_last = words[before_last];
  const std::uint64_t old_last = words[last];
  const std::uint64_t new_first = old_first >> distance | words[first + (first == last ? 0 : 1)]
                                                              << (64 - distance);
  const std::uint64_t new_before_last = old_before_last >> distance | (old_last & to_end) << (64 - distance);
  move_words_down(words + first, before_last - first, distance);
  words[first] = merged(old_first, new_first, from_begin);
  words[before_last] =
      merged(old_before_last, new_before_last, before_last == first ? from_begin : ~std::uint64_t{0});
  words[last] =
      merged(old_last, (old_last & to_end) >> distance, first == last ? from_begin & to_end : to_end);
}

// Moves slots [first, last) of a block one up, within [first, last]. The content of slot 63 is lost if `last`
// is 63. Slot `first` then has an undefined remainder (0 if it is slot 0) and no runend.
BLOOMERY_QUOTIENT_TARGET inline void move_slots_up(std::uint64_t* block, std::uint64_t first,
                                                   std::uint64_t last, std::uint32_t width) {
  move_bits_up(block + 2, first * width, (last + 1) * width, width);
  const std::uint64_t moved = bits_through(last) & ~low_bits(first);
  block[1] = (block[1] & ~moved) | ((block[1] & moved) << 1 & moved);
}

// Moves slots (first, last] of a block one down. Slot `last` is then empty.
BLOOMERY_QUOTIENT_TARGET inline void move_slots_down(std::uint64_t* block, std::uint64_t first,
                                                     std::uint64_t last, std::uint32_t width) {
  move_bits_down(block + 2, first * width, (last + 1) * width, width);
  const std::uint64_t moved = bits_through(last) & ~low_bits(first);
  block[1] = (block[1] & ~moved) | ((block[1] & moved) >> 1 & moved);
}

// Moves the content of the slots from `slot` up to the next free one by one slot, and updates the offsets of
// the blocks after `home_block`. Finds the free slot on the way, block by block, so that one branch ends both
// the search and the move. Precondition: there is a free slot.
BLOOMERY_QUOTIENT_TARGET inline void push_up(const QuotientSlots& slots, std::uint64_t home_block,
                                             std::uint64_t slot) {
  const std::uint32_t width = slots.remainder_bits();
  std::uint64_t index = slot / 64;
  std::uint64_t* block = slots.block(index);
  for (std::uint64_t i = home_block + 1; i < index; ++i) {
    slots.offset(i) =
        static_cast<std::uint8_t>(slots.offset(i) + (slots.offset(i) != kSaturatedOffset ? 1 : 0));
  }
  std::uint64_t first = slot % 64;
  std::uint64_t remainder = 0;
  std::uint64_t runend = 0;
  for (;; ++index, first = 0) {
    const std::uint64_t free = unreached_in(slots, index, first, 0);
    std::uint8_t& offset = slots.offset(index);
    const bool is_told = index > home_block && offset != kSaturatedOffset;
    offset = static_cast<std::uint8_t>(offset + (is_told ? 1 : 0));
    const std::uint64_t next_remainder = block[slots.block_words() - 1] >> (64 - width);
    const std::uint64_t next_runend = block[1] >> 63;
    move_slots_up(block, first, std::min<std::uint64_t>(free, 63), width);
    block[1] |= runend;
    block[2] |= remainder;
    if (free != 64) {
      return;
    }
    remainder = next_remainder;
    runend = next_runend;
    block += slots.block_words();
  }
}

// Inserts an empty slot into the run of a quotient at `slot`, which may be the slot after its last. The
// caller writes the remainder. Precondition: there is a free slot from there on.
BLOOMERY_QUOTIENT_TARGET inline void open_slot(const QuotientSlots& slots, std::uint64_t quotient,
                                               const Run& run, std::uint64_t slot) {
  push_up(slots, quotient / 64, slot);
  const auto is_end = static_cast<std::uint64_t>(slot == run.end);
  const auto lengthens = is_end & static_cast<std::uint64_t>(run.exists);
  slots.runends((slot - lengthens) / 64) &= ~(lengthens << ((slot - lengthens) % 64));
  slots.runends(slot / 64) |= is_end << (slot % 64);
  slots.occupieds(quotient / 64) |= std::uint64_t{1} << (quotient % 64);
}

// Recomputes the offsets of blocks first..last in order. Precondition: the offset of the block before `first`
// is right.
BLOOMERY_QUOTIENT_TARGET __attribute__((noinline)) void rewrite_offsets(const QuotientSlots& slots,
                                                                        std::uint64_t first,
                                                                        std::uint64_t last) {
  std::uint64_t end = taken_before(slots, first - 1);
  for (std::uint64_t block = first; block <= last; ++block) {
    const auto runs = static_cast<std::uint64_t>(__builtin_popcountll(slots.occupieds(block - 1)));
    end = std::max(runs == 0 ? end : behind_runend(slots, end, runs), block * 64);
    slots.offset(block) =
        static_cast<std::uint8_t>(std::min<std::uint64_t>(end - block * 64, kSaturatedOffset));
  }
}

// Decrements the offsets of blocks first..last, none of which is 0. A saturated offset may mean 255 or more,
// so offsets are recomputed from there on.
BLOOMERY_QUOTIENT_TARGET inline void lower_offsets(const QuotientSlots& slots, std::uint64_t first,
                                                   std::uint64_t last) {
  for (std::uint64_t block = first; block <= last; ++block) {
    if (slots.offset(block) == kSaturatedOffset) [[unlikely]] {
      rewrite_offsets(slots, block, last);
      return;
    }
    --slots.offset(block);
  }
}

// Moves the content after `slot` back by one slot and so overwrites it, up to the first slot that is free or
// begins a run at home, which must not move. Returns the block of the slot that is free now.
BLOOMERY_QUOTIENT_TARGET inline std::uint64_t pull_down(const QuotientSlots& slots, std::uint64_t slot) {
  const std::uint32_t width = slots.remainder_bits();
  std::uint64_t index = slot / 64;
  std::uint64_t* block = slots.block(index);
  std::uint64_t end = slot % 64 == 63 ? 64 : unreached_in(slots, index, slot % 64 + 1, 1);
  for (std::uint64_t first = slot % 64;; first = 0) {
    move_slots_down(block, first, end - 1, width);
    if (end != 64 || index + 1 == slots.blocks() || slots.offset(index + 1) == 0) {
      return index;
    }
    std::uint64_t* const next = block + slots.block_words();
    end = unreached_in(slots, ++index, 0, 1);
    block[1] |= next[1] << 63;
    next[-1] |= next[2] << (64 - width);
    block = next;
  }
}

// Removes slot `slot` from a quotient's run. If it was the only slot, the run disappears.
BLOOMERY_QUOTIENT_TARGET inline void close_slot(const QuotientSlots& slots, std::uint64_t quotient,
                                                const Run& run, std::uint64_t slot) {
  const bool is_end = slot + 1 == run.end;
  const bool is_only = is_end && run.begin == slot;
  const std::uint64_t freed = pull_down(slots, slot);
  const auto shortens = static_cast<std::uint64_t>(is_end && !is_only);
  slots.runends((slot - shortens) / 64) |= shortens << ((slot - shortens) % 64);
  slots.occupieds(quotient / 64) &= ~(static_cast<std::uint64_t>(is_only) << (quotient % 64));
  lower_offsets(slots, quotient / 64 + 1, freed);
}

// ---- the calls

BLOOMERY_QUOTIENT_TARGET bool has_free(const QuotientSlots& slots, std::uint64_t from, std::uint64_t count) {
  for (; count > 0; --count) {
    from = first_free(slots, from) + 1;
    if (from > slots.slots()) {
      return false;
    }
  }
  return true;
}

BLOOMERY_QUOTIENT_TARGET std::uint64_t count_of(const QuotientSlots& slots,
                                                const QuotientFingerprint& fingerprint) {
  return slots.is_occupied(fingerprint.quotient) ? place_of(slots, fingerprint).group.count : 0;
}

BLOOMERY_QUOTIENT_TARGET __attribute__((noinline)) bool far_contains(const QuotientSlots& slots,
                                                                     const QuotientFingerprint& fingerprint) {
  return slots.is_occupied(fingerprint.quotient) && far_place_of(slots, fingerprint).group.count != 0;
}

// A cheaper place_of() that only decides membership. It uses run.exists last, which avoids a branch.
BLOOMERY_QUOTIENT_TARGET inline bool contains_one(const QuotientSlots& slots,
                                                  const QuotientFingerprint& fingerprint) {
  const NearRun run = near_run_of(slots, fingerprint.quotient);
  const bool is_long = run.exists & (run.last > run.first + 2);
  if (!run.is_near || is_long) [[unlikely]] {
    return far_contains(slots, fingerprint);
  }
  const std::uint64_t* const remainders = slots.remainders(fingerprint.quotient / 64);
  const bool is_first = slots.remainder_in(remainders, run.first) == fingerprint.remainder;
  const bool is_middle = slots.remainder_in(remainders, (run.first + run.last) / 2) == fingerprint.remainder;
  const bool is_last = slots.remainder_in(remainders, run.last) == fingerprint.remainder;
  return run.exists & (is_first | is_middle | is_last);
}

// Implements insert_one() if `count` is not 1, or if the fingerprint has a count of two or more.
BLOOMERY_QUOTIENT_TARGET __attribute__((noinline)) bool insert_count(const QuotientSlots& slots,
                                                                     QuotientTally& tally,
                                                                     const QuotientFingerprint& fingerprint,
                                                                     Place place, std::uint64_t count) {
  const QuotientGroup group = place.group;
  const std::uint64_t now = group.count + std::min(count, kMaxQuotientCount - group.count);
  const std::uint64_t more = slots.group_slots(now) - group.slots;
  if (!has_free(slots, place.run.end, more)) {
    return false;
  }
  for (std::uint64_t i = 0; i < more; ++i) {
    open_slot(slots, fingerprint.quotient, place.run, place.slot + group.slots + i);
    place.run.end += 1;
    place.run.exists = true;
  }
  slots.set_group(place.slot, fingerprint.remainder, now);
  tally.slots += more;
  tally.fingerprints += group.count == 0 && now != 0 ? 1 : 0;
  tally.keys += now - group.count;
  return true;
}

BLOOMERY_QUOTIENT_TARGET inline bool insert_one(const QuotientSlots& slots, QuotientTally& tally,
                                                const QuotientFingerprint& fingerprint, std::uint64_t count) {
  const Place place = place_of(slots, fingerprint);
  if (count != 1 || place.group.count > 1) [[unlikely]] {
    return insert_count(slots, tally, fingerprint, place, count);
  }
  // If the table's last slot is occupied, it is the last slot of a run.
  const bool may_be_full = slots.is_runend(slots.slots() - 1);
  if (may_be_full && !has_free(slots, place.run.end, 1)) [[unlikely]] {
    return false;
  }
  const std::uint64_t slot = place.slot + place.group.slots;
  open_slot(slots, fingerprint.quotient, place.run, slot);
  slots.set_remainder(slot, fingerprint.remainder);
  tally.slots += 1;
  tally.fingerprints += 1 - place.group.count;
  tally.keys += 1;
  return true;
}

// Implements erase_one() for a count of three and more.
BLOOMERY_QUOTIENT_TARGET __attribute__((noinline)) void erase_of_count(const QuotientSlots& slots,
                                                                       QuotientTally& tally,
                                                                       const QuotientFingerprint& fingerprint,
                                                                       Place place) {
  const QuotientGroup group = place.group;
  if (group.count == kMaxQuotientCount) {
    return;
  }
  const std::uint64_t left = slots.group_slots(group.count - 1);
  for (std::uint64_t i = group.slots; i > left; --i) {
    close_slot(slots, fingerprint.quotient, place.run, place.slot + i - 1);
    place.run.end -= 1;
  }
  slots.set_group(place.slot, fingerprint.remainder, group.count - 1);
  tally.slots -= group.slots - left;
  tally.keys -= 1;
}

BLOOMERY_QUOTIENT_TARGET inline bool erase_one(const QuotientSlots& slots, QuotientTally& tally,
                                               const QuotientFingerprint& fingerprint) {
  const Place place = place_of(slots, fingerprint);
  if (place.group.count == 0) {
    return false;
  }
  if (place.group.count > 2) [[unlikely]] {
    erase_of_count(slots, tally, fingerprint, place);
    return true;
  }
  close_slot(slots, fingerprint.quotient, place.run, place.slot);
  tally.slots -= 1;
  tally.fingerprints -= 2 - place.group.count;
  tally.keys -= 1;
  return true;
}

BLOOMERY_QUOTIENT_TARGET bool contains(const QuotientSlots& slots, const QuotientFingerprint& fingerprint) {
  return contains_one(slots, fingerprint);
}

BLOOMERY_QUOTIENT_TARGET bool insert(const QuotientSlots& slots, QuotientTally& tally,
                                     const QuotientFingerprint& fingerprint, std::uint64_t count) {
  return insert_one(slots, tally, fingerprint, count);
}

BLOOMERY_QUOTIENT_TARGET bool erase(const QuotientSlots& slots, QuotientTally& tally,
                                    const QuotientFingerprint& fingerprint) {
  return erase_one(slots, tally, fingerprint);
}

// ---- batches

// A batch prefetches the cache lines of the key that is this many keys ahead.
constexpr std::size_t kAhead = 16;

// The next three functions are always inlined. Out of line they have no effect that GCC sees, and it drops
// the calls.
//
// Prefetches what the key will most likely need: the bits of its block, and the remainders at and after its
// home. From kNearEnd on it also prefetches the begin of the next block, since the runs of a full table are
// ten slots away from home.
constexpr std::uint64_t kNearEnd = 40;

BLOOMERY_QUOTIENT_TARGET __attribute__((always_inline)) inline void prefetch(const QuotientSlots& slots,
                                                                             const Hash128& hash) {
  const std::uint64_t quotient = slots.fingerprint(hash.low).quotient;
  const std::uint64_t home = quotient % 64;
  const std::uint64_t* const block = slots.block(quotient / 64);
  const std::uint64_t* const remainders = block + 2 + home * slots.remainder_bits() / 64;
  __builtin_prefetch(block);
  __builtin_prefetch(remainders);
  __builtin_prefetch(home < kNearEnd ? remainders + 2 : block + slots.block_words());
}

BLOOMERY_QUOTIENT_TARGET __attribute__((always_inline)) inline void prefetch_first(
    const QuotientSlots& slots, std::span<const Hash128> hashes) {
  for (std::size_t i = 0; i < std::min(kAhead, hashes.size()); ++i) {
    prefetch(slots, hashes[i]);
  }
}

BLOOMERY_QUOTIENT_TARGET __attribute__((always_inline)) inline void prefetch_next(
    const QuotientSlots& slots, std::span<const Hash128> hashes, std::size_t i) {
  if (i + kAhead < hashes.size()) {
    prefetch(slots, hashes[i + kAhead]);
  }
}

BLOOMERY_QUOTIENT_TARGET void contains_batch(const QuotientSlots& slots, std::span<const Hash128> hashes,
                                             std::uint64_t* answers) {
  prefetch_first(slots, hashes);
  for (std::size_t begin = 0; begin < hashes.size(); begin += 64) {
    std::uint64_t word = 0;
    for (std::size_t i = begin; i < std::min(begin + 64, hashes.size()); ++i) {
      prefetch_next(slots, hashes, i);
      word |= std::uint64_t{contains_one(slots, slots.fingerprint(hashes[i].low))} << (i % 64);
    }
    answers[begin / 64] = word;
  }
}

BLOOMERY_QUOTIENT_TARGET void erase_batch(const QuotientSlots& slots, QuotientTally& tally,
                                          std::span<const Hash128> hashes, std::uint64_t* answers) {
  prefetch_first(slots, hashes);
  for (std::size_t begin = 0; begin < hashes.size(); begin += 64) {
    std::uint64_t word = 0;
    for (std::size_t i = begin; i < std::min(begin + 64, hashes.size()); ++i) {
      prefetch_next(slots, hashes, i);
      word |= std::uint64_t{erase_one(slots, tally, slots.fingerprint(hashes[i].low))} << (i % 64);
    }
    answers[begin / 64] = word;
  }
}

BLOOMERY_QUOTIENT_TARGET std::size_t insert_batch(const QuotientSlots& slots, QuotientTally& tally,
                                                  std::span<const Hash128> hashes) {
  prefetch_first(slots, hashes);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    prefetch_next(slots, hashes, i);
    if (!insert_one(slots, tally, slots.fingerprint(hashes[i].low), 1)) {
      return i;
    }
  }
  return hashes.size();
}

}  // namespace
}  // namespace bloomery
