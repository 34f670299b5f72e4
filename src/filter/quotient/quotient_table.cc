#include "filter/quotient/quotient_table.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string>
#include <utility>

#include "bloomery/base/uint128.h"

namespace bloomery {
namespace {

constexpr const char* kQuotientTableSubject = "quotient table";

std::string in_words(const QuotientPlan& plan) {
  return std::to_string(plan.quotients) + " quotients and " + std::to_string(plan.remainder_bits) +
         " remainder bits";
}

Error invalid_plan(const QuotientPlan& plan) {
  return Error::invalid_argument(kQuotientTableSubject, "expected 1 to 2^40 quotients and 1 to " +
                                                            std::to_string(kMaxRemainderBits) +
                                                            " remainder bits, found " + in_words(plan));
}

// ---- the check

// Walks a table from its first block to its last. The table may be any bytes. Reads no slot twice except the
// first of a group, and writes nothing.
class Checker {
 public:
  explicit Checker(const QuotientSlots& slots) : slots_(slots) {}

  // Returns the tally of the table. Errors: kCorruption.
  Result<QuotientTally> check() {
    for (std::uint64_t block = 0; block < slots_.blocks(); ++block) {
      BLOOMERY_RETURN_IF_ERROR(check_offset(block));
      for (std::uint64_t left = slots_.occupieds(block); left != 0; left &= left - 1) {
        BLOOMERY_RETURN_IF_ERROR(check_run(block * 64 + static_cast<std::uint64_t>(std::countr_zero(left))));
      }
    }
    BLOOMERY_RETURN_IF_ERROR(check_free(slots_.slots()));
    BLOOMERY_RETURN_IF_ERROR(check_padding());
    return tally_;
  }

 private:
  Error corruption(std::uint64_t word, std::string detail) const {
    return Error::corruption(kQuotientTableSubject, word * sizeof(std::uint64_t), std::move(detail));
  }
  Error at_slot(std::uint64_t slot, const std::string& detail) const {
    const std::uint64_t bit = slot % 64 * slots_.remainder_bits();
    return corruption(slot / 64 * slots_.block_words() + 2 + bit / 64,
                      "slot " + std::to_string(slot) + ": " + detail);
  }
  std::uint64_t offset_word(std::uint64_t block) const {
    return slots_.blocks() * slots_.block_words() + block / 8;
  }

  // Checks the offset of a block. All runs of quotients before the block have been walked.
  Status check_offset(std::uint64_t block) const {
    const std::uint64_t first = block * 64;
    const std::uint64_t expected = std::min<std::uint64_t>(std::max(taken_, first) - first, kSaturatedOffset);
    if (slots_.offset(block) != expected) {
      return corruption(offset_word(block), "offset of block " + std::to_string(block) + ": expected " +
                                                std::to_string(expected) + ", found " +
                                                std::to_string(slots_.offset(block)));
    }
    return {};
  }

  // Checks that the slots from taken_ to `end` belong to no run. All slots before `end` are then checked.
  Status check_free(std::uint64_t end) {
    for (; taken_ < end; ++taken_) {
      if (slots_.is_runend(taken_)) {
        return corruption(taken_ / 64 * slots_.block_words() + 1,
                          "slot " + std::to_string(taken_) + ": expected no end of a run where none is");
      }
      if (slots_.remainder(taken_) != 0) {
        return at_slot(taken_,
                       "expected 0 in a free slot, found " + std::to_string(slots_.remainder(taken_)));
      }
    }
    return {};
  }

  Status check_run(std::uint64_t quotient) {
    if (quotient >= slots_.quotients()) {
      return corruption(quotient / 64 * slots_.block_words(), "expected quotients below " +
                                                                  std::to_string(slots_.quotients()) +
                                                                  ", found " + std::to_string(quotient));
    }
    BLOOMERY_RETURN_IF_ERROR(check_free(quotient));
    std::uint64_t end = taken_;
    while (end < slots_.slots() && !slots_.is_runend(end)) {
      ++end;
    }
    if (end == slots_.slots()) {
      return corruption(quotient / 64 * slots_.block_words(),
                        "expected an end of the run of quotient " + std::to_string(quotient));
    }
    ++end;
    tally_.slots += end - taken_;
    return check_groups(end);
  }

  Status check_groups(std::uint64_t end) {
    for (std::uint64_t least = 0; taken_ < end;) {
      const std::uint64_t remainder = slots_.remainder(taken_);
      if (remainder < least) {
        return at_slot(taken_, "expected a remainder of at least " + std::to_string(least) + ", found " +
                                   std::to_string(remainder));
      }
      const QuotientGroup group = slots_.group(taken_, end);
      if (group.count == 0) {
        return at_slot(taken_, "expected a count, found digits that are none");
      }
      tally_.fingerprints += 1;
      tally_.keys += group.count;
      taken_ += group.slots;
      least = remainder + 1;
    }
    return {};
  }

  Status check_padding() const {
    const std::uint64_t used = slots_.blocks() % 8;
    const std::uint64_t last = offset_word(slots_.blocks() - 1);
    if (used != 0 && slots_.words()[last] >> (used * 8) != 0) {
      return corruption(last, "expected zeroes behind the last offset");
    }
    return {};
  }

  QuotientSlots slots_;
  std::uint64_t taken_ = 0;  // all slots before it have been walked
  QuotientTally tally_;
};

// ---- from one plan to another

// The entries of a table, mapped to a plan whose universe divides the universe of the table.
class MappedCursor {
 public:
  MappedCursor(const QuotientTable& table, const QuotientPlan& plan)
      : cursor_(table.cursor()),
        from_(table.plan()),
        to_(plan),
        divisor_(universe(table.plan()) / universe(plan)),
        is_shift_((divisor_ & (divisor_ - 1)) == 0) {
    while ((Uint128{1} << shift_) < divisor_ && is_shift_) {
      ++shift_;
    }
    has_read_ = read();
  }

  static Uint128 universe(const QuotientPlan& plan) { return Uint128{plan.quotients} << plan.remainder_bits; }

  // Returns false if there is no further entry. Entries that map to one fingerprint are combined.
  bool next(QuotientEntry& entry) {
    if (!has_read_) {
      return false;
    }
    entry = read_;
    while ((has_read_ = read()) && read_.fingerprint == entry.fingerprint) {
      entry.count = std::min(entry.count + read_.count, kMaxQuotientCount);
    }
    return true;
  }

 private:
  bool read() {
    if (!cursor_.next(read_)) {
      return false;
    }
    const QuotientFingerprint& had = read_.fingerprint;
    const Uint128 number = (Uint128{had.quotient} << from_.remainder_bits) | had.remainder;
    const Uint128 mapped = is_shift_ ? number >> shift_ : number / divisor_;
    read_.fingerprint = {.quotient = static_cast<std::uint64_t>(mapped >> to_.remainder_bits),
                         .remainder = static_cast<std::uint64_t>(mapped) & low_bits(to_.remainder_bits)};
    return true;
  }

  QuotientCursor cursor_;
  QuotientPlan from_;
  QuotientPlan to_;
  Uint128 divisor_;
  bool is_shift_;
  std::uint32_t shift_ = 0;
  QuotientEntry read_;
  bool has_read_ = false;
};

// Checks that a table of plan `from` can become one of plan `to`: the universe of `to` divides that of
// `from`.
Status check_universes(const QuotientPlan& from, const QuotientPlan& to) {
  if (MappedCursor::universe(from) % MappedCursor::universe(to) != 0) {
    return Error::invalid_argument(kQuotientTableSubject, "expected quotients * 2^r that divides that of " +
                                                              in_words(from) + ", found " + in_words(to));
  }
  return {};
}

// Appends the entries of a and b in order. `b` may be null.
Status append_all(QuotientTableWriter& writer, MappedCursor a, MappedCursor* b) {
  QuotientEntry from_a;
  QuotientEntry from_b;
  bool has_a = a.next(from_a);
  bool has_b = b != nullptr && b->next(from_b);
  while (has_a || has_b) {
    const bool take_a = has_a && (!has_b || from_a.fingerprint <= from_b.fingerprint);
    const bool take_b = has_b && (!has_a || from_b.fingerprint <= from_a.fingerprint);
    QuotientEntry entry = take_a ? from_a : from_b;
    if (take_a && take_b) {
      entry.count = std::min(from_a.count + from_b.count, kMaxQuotientCount);
    }
    BLOOMERY_RETURN_IF_ERROR(writer.append(entry));
    has_a = take_a ? a.next(from_a) : has_a;
    has_b = take_b ? b->next(from_b) : has_b;
  }
  return {};
}

}  // namespace

// ---- QuotientCursor

QuotientCursor::QuotientCursor(const QuotientSlots& slots) : slots_(slots), occupieds_(slots.occupieds(0)) {}

bool QuotientCursor::next(QuotientEntry& entry) {
  if (slot_ == run_end_ && !next_run()) {
    return false;
  }
  const QuotientGroup group = slots_.group(slot_, run_end_);
  entry = {.fingerprint = {.quotient = quotient_, .remainder = slots_.remainder(slot_)},
           .count = group.count};
  slot_ += group.slots;
  return true;
}

bool QuotientCursor::next_run() {
  while (occupieds_ == 0) {
    if (++block_ == slots_.blocks()) {
      --block_;
      return false;
    }
    occupieds_ = slots_.occupieds(block_);
  }
  quotient_ = block_ * 64 + static_cast<std::uint64_t>(std::countr_zero(occupieds_));
  occupieds_ &= occupieds_ - 1;
  slot_ = std::max(run_end_, quotient_);
  std::uint64_t block = slot_ / 64;
  std::uint64_t ends = slots_.runends(block) & ~low_bits(slot_ % 64);
  while (ends == 0) {
    ends = slots_.runends(++block);
  }
  run_end_ = block * 64 + static_cast<std::uint64_t>(std::countr_zero(ends)) + 1;
  return true;
}

// ---- QuotientTable

Result<QuotientTable> QuotientTable::create(const QuotientPlan& plan) {
  const auto words = quotient_words(plan);
  if (!words) {
    return invalid_plan(plan);
  }
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer memory, AlignedBuffer::zeroed(*words * sizeof(std::uint64_t)));
  QuotientTable table(plan, reinterpret_cast<std::uint64_t*>(memory.bytes().data()), {});
  table.own_ = std::move(memory);
  return table;
}

Result<QuotientTable> QuotientTable::over_checked(const QuotientPlan& plan, std::span<std::uint64_t> words,
                                                  const QuotientTally& tally) {
  const auto expected = quotient_words(plan);
  if (!expected) {
    return invalid_plan(plan);
  }
  if (words.size() != *expected) {
    return Error::invalid_argument(kQuotientTableSubject, "expected " + std::to_string(*expected) +
                                                              " words for " + in_words(plan) + ", found " +
                                                              std::to_string(words.size()));
  }
  return QuotientTable(plan, words.data(), tally);
}

Result<QuotientTable> QuotientTable::over(const QuotientPlan& plan, std::span<std::uint64_t> words) {
  BLOOMERY_ASSIGN_OR_RETURN(QuotientTable table, over_checked(plan, words, {}));
  BLOOMERY_ASSIGN_OR_RETURN(table.tally_, Checker(table.slots_).check());
  return table;
}

Status QuotientTable::check() const {
  BLOOMERY_ASSIGN_OR_RETURN(const QuotientTally held, Checker(slots_).check());
  if (held != tally_) {
    return Error::corruption(kQuotientTableSubject, 0,
                             "expected " + std::to_string(tally_.slots) + " slots taken by " +
                                 std::to_string(tally_.keys) + " keys of " +
                                 std::to_string(tally_.fingerprints) + " fingerprints, found " +
                                 std::to_string(held.slots) + ", " + std::to_string(held.keys) + " and " +
                                 std::to_string(held.fingerprints));
  }
  return {};
}

Result<QuotientTable> QuotientTable::merged(const QuotientTable& a, const QuotientTable& b,
                                            const QuotientPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(QuotientTable table, create(plan));
  BLOOMERY_RETURN_IF_ERROR(check_universes(a.plan(), plan));
  BLOOMERY_RETURN_IF_ERROR(check_universes(b.plan(), plan));
  QuotientTableWriter writer(plan, table.slots_.words());
  MappedCursor from_b(b, plan);
  BLOOMERY_RETURN_IF_ERROR(append_all(writer, MappedCursor(a, plan), &from_b));
  table.tally_ = writer.finish();
  return table;
}

Result<QuotientTable> QuotientTable::resized(const QuotientPlan& plan) const {
  BLOOMERY_ASSIGN_OR_RETURN(QuotientTable table, create(plan));
  BLOOMERY_RETURN_IF_ERROR(check_universes(this->plan(), plan));
  QuotientTableWriter writer(plan, table.slots_.words());
  BLOOMERY_RETURN_IF_ERROR(append_all(writer, MappedCursor(*this, plan), nullptr));
  table.tally_ = writer.finish();
  return table;
}

Result<QuotientTable> QuotientTable::doubled() const {
  return resized({.quotients = 2 * slots_.quotients(), .remainder_bits = slots_.remainder_bits() - 1});
}

Result<std::pair<QuotientTable, QuotientTable>> QuotientTable::halves() const {
  const QuotientPlan half{.quotients = slots_.quotients(), .remainder_bits = slots_.remainder_bits() - 1};
  BLOOMERY_ASSIGN_OR_RETURN(QuotientTable lower, create(half));
  BLOOMERY_ASSIGN_OR_RETURN(QuotientTable upper, create(half));
  QuotientTableWriter to_lower(half, lower.slots_.words());
  QuotientTableWriter to_upper(half, upper.slots_.words());
  MappedCursor cursor(*this, {.quotients = 2 * half.quotients,
                              .remainder_bits = half.remainder_bits});  // the plan of doubled()
  for (QuotientEntry entry; cursor.next(entry);) {
    const bool is_upper = entry.fingerprint.quotient >= half.quotients;
    entry.fingerprint.quotient -= is_upper ? half.quotients : 0;
    BLOOMERY_RETURN_IF_ERROR((is_upper ? to_upper : to_lower).append(entry));
  }
  lower.tally_ = to_lower.finish();
  upper.tally_ = to_upper.finish();
  return std::pair(std::move(lower), std::move(upper));
}

void QuotientTable::clear() {
  std::fill_n(slots_.words(), words().size(), 0);
  tally_ = {};
}

void QuotientTable::contains_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  assert(answers.size() >= (hashes.size() + 63) / 64);
  kernel_->contains_batch(slots_, hashes, answers.data());
}

void QuotientTable::erase_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) {
  assert(answers.size() >= (hashes.size() + 63) / 64);
  kernel_->erase_batch(slots_, tally_, hashes, answers.data());
}

double QuotientTable::load() const {
  return static_cast<double>(tally_.slots) / static_cast<double>(slots_.quotients());
}

double QuotientTable::fpp() const {
  return static_cast<double>(tally_.fingerprints) / static_cast<double>(MappedCursor::universe(plan()));
}

// ---- QuotientTableWriter

Status QuotientTableWriter::append(const QuotientEntry& entry) {
  const QuotientFingerprint& fingerprint = entry.fingerprint;
  const bool ascends = tally_.fingerprints == 0 || fingerprint > last_;
  if (!ascends || fingerprint.quotient >= slots_.quotients() ||
      fingerprint.remainder >> slots_.remainder_bits() != 0 || entry.count == 0 ||
      entry.count > kMaxQuotientCount) {
    return Error::invalid_argument(kQuotientTableSubject,
                                   "expected an entry of the plan behind the one before, found quotient " +
                                       std::to_string(fingerprint.quotient) + ", remainder " +
                                       std::to_string(fingerprint.remainder) + ", count " +
                                       std::to_string(entry.count));
  }
  if (tally_.fingerprints != 0 && fingerprint.quotient != last_.quotient) {
    end_run(fingerprint.quotient);
  }
  const std::uint64_t slot = std::max(free_, fingerprint.quotient);
  const std::uint64_t taken = slots_.group_slots(entry.count);
  if (taken > slots_.slots() - slot) {
    return Error::capacity(kQuotientTableSubject, "expected at most " + std::to_string(slots_.slots()) +
                                                      " slots, needs more from quotient " +
                                                      std::to_string(fingerprint.quotient) + " on");
  }
  slots_.set_group(slot, fingerprint.remainder, entry.count);
  slots_.occupieds(fingerprint.quotient / 64) |= std::uint64_t{1} << (fingerprint.quotient % 64);
  free_ = slot + taken;
  last_ = fingerprint;
  tally_.slots += taken;
  tally_.fingerprints += 1;
  tally_.keys += entry.count;
  return {};
}

void QuotientTableWriter::end_run(std::uint64_t next_quotient) {
  if (free_ != 0) {
    slots_.runends((free_ - 1) / 64) |= std::uint64_t{1} << ((free_ - 1) % 64);
  }
  for (std::uint64_t block = last_.quotient / 64 + 1; block <= next_quotient / 64; ++block) {
    const std::uint64_t taken = std::max(free_, block * 64) - block * 64;
    slots_.offset(block) = static_cast<std::uint8_t>(std::min<std::uint64_t>(taken, kSaturatedOffset));
  }
}

QuotientTally QuotientTableWriter::finish() {
  end_run(slots_.slots() - 1);
  return tally_;
}

}  // namespace bloomery
