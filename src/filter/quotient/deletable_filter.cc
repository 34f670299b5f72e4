#include "filter/quotient/deletable_filter.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/prefetch.h"
#include "base/zero_bytes.h"
#include "bloomery/filter/native_filter.h"
#include "filter/quotient/quotient_kernel.h"
#include "filter/quotient/quotient_table.h"

namespace bloomery {
namespace {

constexpr bool is_full(std::uint64_t slots, std::uint64_t quotients) {
  return slots * 25 > quotients * 24;  // a load of 0.96
}

std::span<std::uint64_t> words_over(const QuotientPlan& plan, const std::byte* words) {
  return {quotient_slots_over(plan, words).words(), static_cast<std::size_t>(*quotient_words(plan))};
}

}  // namespace

// ---- making

Result<DeletableFilter> DeletableFilter::create(const GrowingPlan& plan, std::uint64_t most_bytes) {
  const Grows grows = plan.expansion == 0 ? Grows::kNo : Grows::kYes;
  BLOOMERY_ASSIGN_OR_RETURN(const DeletableStart start, deletable_start(plan.capacity, plan.fpp, grows));
  if (start.planned_bytes > most_bytes) {
    return Error::capacity("filter", "needs " + std::to_string(start.planned_bytes) +
                                         " bytes, and a key may have " + std::to_string(most_bytes));
  }
  const std::vector<std::byte> levels(std::size_t{1} << DeletableShape::depth(start.level),
                                      static_cast<std::byte>(start.level));
  return of_levels(plan, start.shape, levels);
}

Result<DeletableFilter> DeletableFilter::of_levels(const GrowingPlan& plan, const DeletableShape& shape,
                                                   std::span<const std::byte> levels) {
  BLOOMERY_ASSIGN_OR_RETURN(SegmentDirectory directory, SegmentDirectory::of_levels(shape, levels));
  return DeletableFilter(plan, std::move(directory));
}

// ---- splitting

// Replaces a segment by its tables of the next level: the first at its index, the second at the end. Returns
// false, without any change, if memory is lacking.
bool DeletableFilter::replace(std::uint32_t index, std::span<const QuotientTable> parts) {
  std::array<Segment, 2> made;
  std::uint64_t held = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    made[i].tally = parts[i].tally();
    if (made[i].tally.slots > 0) {
      const auto bytes = std::as_bytes(parts[i].words());
      std::byte* const to = made[i].words.write(bytes.size());
      if (to == nullptr) {
        return false;
      }
      std::ranges::copy(bytes, to);
      held += bytes.size();
    }
  }
  held_bytes_ += held - directory_.table_bytes(index);
  if (parts.size() > 1) {
    segments_.push_back(std::move(made[1]));
  }
  segments_.change(index) = std::move(made[0]);
  return true;
}

Added DeletableFilter::split(std::uint64_t hash, std::uint64_t most_bytes) {
  const std::uint32_t index = directory_.index_of(hash);
  const std::optional<std::uint64_t> size = directory_.size_after_split(index);
  if (!size) {
    return Added::kFull;
  }
  if (*size > most_bytes) {
    return Added::kOverLimit;
  }
  const Segment& whole = segments_[index];
  const QuotientPlan plan = directory_.plan(index);
  const Result<QuotientTable> table =
      QuotientTable::over_checked(plan, words_over(plan, whole.words.read()), whole.tally);
  bool is_done = false;
  if (directory_.parts_of_split(index) == 1) {
    const Result<QuotientTable> larger = table->resized(shape().plan(directory_.level(index) + 1));
    is_done = larger && replace(index, std::span(&*larger, 1));
  } else if (auto halves = table->halves(); halves) {
    const std::array<QuotientTable, 2> both = {std::move(halves->first), std::move(halves->second)};
    is_done = replace(index, both);
  }
  if (!is_done) {
    return Added::kNoMemory;
  }
  directory_.split(hash);
  return Added::kNew;
}

// ---- queries

DeletableFilter::Spot DeletableFilter::spot_of(std::uint64_t hash) const {
  const std::uint32_t index = directory_.index_of(hash);
  const std::uint32_t level = directory_.level(index);
  const QuotientPlan plan = directory_.plan(index);
  return {.index = index,
          .plan = plan,
          .fingerprint =
              quotient_fingerprint(plan.quotients, plan.remainder_bits, hash << DeletableShape::depth(level)),
          .words = segments_[index].words.read()};
}

void DeletableFilter::prefetch_table(std::uint64_t hash) const {
  const Spot spot = spot_of(hash);
  if (spot.words == nullptr) {
    return;
  }
  const QuotientSlots slots = quotient_slots_over(spot.plan, spot.words);
  const std::uint64_t* const block = slots.block(spot.fingerprint.quotient / 64);
  prefetch_to_read(block);
  prefetch_to_read(block + 2 + spot.fingerprint.quotient % 64 * slots.remainder_bits() / 64);
  prefetch_to_read(&slots.offset(spot.fingerprint.quotient / 64));
}

// Calls use(i) for each hash i, and prefetches for later calls: first the entries that lead to the tables,
// then the tables.
template <typename Use>
void DeletableFilter::for_each_ahead(std::span<const Hash128> hashes, Use use) const {
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < hashes.size() + 3 * kAhead; ++i) {
    if (i < hashes.size()) {
      segments_.prefetch_group(directory_.index_of(hashes[i].low));
    }
    if (i >= kAhead && i - kAhead < hashes.size()) {
      segments_.prefetch_segment(directory_.index_of(hashes[i - kAhead].low));
    }
    if (i >= 2 * kAhead && i - 2 * kAhead < hashes.size()) {
      prefetch_table(hashes[i - 2 * kAhead].low);
    }
    if (i >= 3 * kAhead) {
      use(i - 3 * kAhead);
    }
  }
}

bool DeletableFilter::contains(const Spot& spot) {
  return spot.words != nullptr &&
         chosen_quotient_kernel().contains(quotient_slots_over(spot.plan, spot.words), spot.fingerprint);
}

std::uint64_t DeletableFilter::count_at(const Spot& spot) {
  return spot.words == nullptr
             ? 0
             : chosen_quotient_kernel().count(quotient_slots_over(spot.plan, spot.words), spot.fingerprint);
}

void DeletableFilter::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  for_each_ahead(hashes, [&](std::size_t i) {
    answers[i / 64] |= std::uint64_t{contains(spot_of(hashes[i].low))} << (i % 64);
  });
}

std::uint64_t DeletableFilter::count(const Hash128& hash) const {
  return count_at(spot_of(hash.low));
}

// ---- adds and deletes

Segment* DeletableFilter::own(std::uint32_t index) {
  const std::uint64_t bytes = directory_.table_bytes(index);
  Segment& segment = segments_.change(index);
  const bool was_empty = segment.words.read() == nullptr;
  if (segment.words.write(bytes) == nullptr) {
    return nullptr;
  }
  held_bytes_ += was_empty ? bytes : 0;
  return &segment;
}

void DeletableFilter::note_change(const QuotientTally& before, const QuotientTally& after) {
  keys_ += after.keys - before.keys;
  fingerprints_ += after.fingerprints - before.fingerprints;
}

std::optional<Added> DeletableFilter::add_at(const Spot& spot) {
  if (is_full(segments_[spot.index].tally.slots, spot.plan.quotients)) {
    return std::nullopt;
  }
  Segment* const segment = own(spot.index);
  if (segment == nullptr) {
    return Added::kNoMemory;
  }
  QuotientTally& tally = segment->tally;
  const QuotientTally before = tally;
  const QuotientSlots slots = quotient_slots_over(spot.plan, segment->words.read());
  if (!chosen_quotient_kernel().insert(slots, tally, spot.fingerprint, 1)) {
    return std::nullopt;
  }
  note_change(before, tally);
  // A count at its maximum does not change.
  return tally.keys == before.keys ? Added::kFull : Added::kNew;
}

Added DeletableFilter::add_one(std::uint64_t hash, AddWhen when, std::uint64_t most_bytes) {
  if (when == AddWhen::kAbsent && contains(spot_of(hash))) {
    return Added::kKnown;
  }
  if (plan_.expansion == 0 && keys_ >= plan_.capacity) {
    return Added::kFull;
  }
  for (;;) {
    if (const std::optional<Added> outcome = add_at(spot_of(hash)); outcome) {
      return *outcome;
    }
    // After a split the hash may belong to another segment, so the loop searches again.
    if (const Added outcome = split(hash, most_bytes); outcome != Added::kNew) {
      return outcome;
    }
  }
}

void DeletableFilter::add(std::span<const Hash128> hashes, AddWhen when, std::uint64_t most_bytes,
                          std::span<Added> outcomes) {
  for_each_ahead(hashes, [&](std::size_t i) { outcomes[i] = add_one(hashes[i].low, when, most_bytes); });
}

Removed DeletableFilter::remove(const Hash128& hash) {
  const Spot spot = spot_of(hash.low);
  if (!contains(spot)) {
    return Removed::kAbsent;
  }
  Segment* const segment = own(spot.index);
  if (segment == nullptr) {
    return Removed::kNoMemory;
  }
  QuotientTally& tally = segment->tally;
  const QuotientTally before = tally;
  const QuotientSlots slots = quotient_slots_over(spot.plan, segment->words.read());
  static_cast<void>(chosen_quotient_kernel().erase(slots, tally, spot.fingerprint));
  note_change(before, tally);
  deleted_ += before.keys - tally.keys;
  if (tally.slots == 0) {
    segment->words = {};
    held_bytes_ -= directory_.table_bytes(spot.index);
  }
  return Removed::kYes;
}

std::uint64_t DeletableFilter::memory_bytes() const {
  return sizeof(DeletableFilter) + held_bytes_ + segments_.memory_bytes() + directory_.memory_bytes();
}

// ---- saved segments

void DeletableFilter::read(std::size_t segment, std::uint64_t offset, std::span<std::byte> out) const {
  const std::uint32_t index = index_of(segment);
  const std::byte* const from = segments_[index].words.read();
  if (from != nullptr) {
    std::copy_n(from + offset, out.size(), out.begin());
  } else {
    std::ranges::fill(out, std::byte{0});
  }
}

Status DeletableFilter::load(std::size_t segment, std::span<const std::byte> bytes) {
  const std::uint32_t index = index_of(segment);
  const std::uint64_t size = directory_.table_bytes(index);
  if (bytes.size() != size) {
    return Error::invalid_argument(
        "segment", "expected " + std::to_string(size) + " bytes, found " + std::to_string(bytes.size()));
  }
  SharedPage words;
  QuotientTally tally;
  if (!all_zeros(bytes)) {
    std::byte* const to = words.write(bytes.size());
    if (to == nullptr) {
      return Error::capacity("segment", "memory is lacking");
    }
    std::ranges::copy(bytes, to);
    const QuotientPlan plan = directory_.plan(index);
    BLOOMERY_ASSIGN_OR_RETURN(const QuotientTable table, QuotientTable::over(plan, words_over(plan, to)));
    tally = table.tally();
  }
  Segment& into = segments_.change(index);
  held_bytes_ += words.read() == nullptr ? 0 : size;
  held_bytes_ -= into.words.read() == nullptr ? 0 : size;
  note_change(into.tally, tally);
  into.tally = tally;
  into.words = std::move(words);
  return {};
}

}  // namespace bloomery
