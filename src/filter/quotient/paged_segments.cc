#include "filter/quotient/paged_segments.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/prefetch.h"
#include "base/zero_bytes.h"
#include "bloomery/filter/native_filter.h"
#include "filter/quotient/quotient_kernel.h"
#include "filter/quotient/quotient_table.h"

namespace bloomery {
namespace {

std::span<std::uint64_t> words_over(const QuotientPlan& plan, const std::byte* words) {
  return {quotient_slots_over(plan, words).words(), static_cast<std::size_t>(*quotient_words(plan))};
}

}  // namespace

// ---- queries

PagedSegments::Spot PagedSegments::spot_of(std::uint64_t hash) const {
  const std::uint32_t index = directory_.index_of(hash);
  const QuotientPlan plan = directory_.plan(index);
  return {.index = index,
          .plan = plan,
          .fingerprint =
              quotient_fingerprint(plan.quotients, plan.remainder_bits, hash << directory_.depth(index)),
          .words = segments_[index].words.read()};
}

void PagedSegments::prefetch_table(std::uint64_t hash) const {
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

bool PagedSegments::contains(const Spot& spot) {
  return spot.words != nullptr &&
         chosen_quotient_kernel().contains(quotient_slots_over(spot.plan, spot.words), spot.fingerprint);
}

std::uint64_t PagedSegments::count(const Spot& spot) {
  return spot.words == nullptr
             ? 0
             : chosen_quotient_kernel().count(quotient_slots_over(spot.plan, spot.words), spot.fingerprint);
}

void PagedSegments::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  for_each_ahead(hashes, [&](std::size_t i) {
    answers[i / 64] |= std::uint64_t{contains(spot_of(hashes[i].low))} << (i % 64);
  });
}

// ---- changes

std::byte* PagedSegments::own(std::uint32_t index) {
  const std::uint64_t bytes = directory_.table_bytes(index);
  Segment& segment = segments_.change(index);
  const bool was_empty = segment.words.read() == nullptr;
  std::byte* const words = segment.words.write(bytes);
  held_bytes_ += was_empty && words != nullptr ? bytes : 0;
  return words;
}

void PagedSegments::note_change(const QuotientTally& before, const QuotientTally& after) {
  keys_ += after.keys - before.keys;
  fingerprints_ += after.fingerprints - before.fingerprints;
}

PagedSegments::Inserted PagedSegments::insert(const Spot& spot) {
  std::byte* const words = own(spot.index);
  if (words == nullptr) {
    return Inserted::kNoMemory;
  }
  QuotientTally& tally = segments_.change(spot.index).tally;
  const QuotientTally before = tally;
  if (!chosen_quotient_kernel().insert(quotient_slots_over(spot.plan, words), tally, spot.fingerprint, 1)) {
    return Inserted::kNoRoom;
  }
  note_change(before, tally);
  return Inserted::kYes;
}

Removed PagedSegments::erase(const Spot& spot) {
  std::byte* const words = own(spot.index);
  if (words == nullptr) {
    return Removed::kNoMemory;
  }
  Segment& segment = segments_.change(spot.index);
  const QuotientTally before = segment.tally;
  static_cast<void>(
      chosen_quotient_kernel().erase(quotient_slots_over(spot.plan, words), segment.tally, spot.fingerprint));
  note_change(before, segment.tally);
  if (segment.tally.slots == 0) {
    segment.words = {};
    held_bytes_ -= directory_.table_bytes(spot.index);
  }
  return Removed::kYes;
}

// ---- splitting

// Replaces a segment by its tables of the next level: the first at its index, the second at the end. Returns
// false, without any change, if memory is lacking.
bool PagedSegments::replace(std::uint32_t index, std::span<const QuotientTable> parts) {
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

Added PagedSegments::split(std::uint64_t hash) {
  const std::uint32_t index = directory_.index_of(hash);
  const Segment& whole = segments_[index];
  const QuotientPlan plan = directory_.plan(index);
  const Result<QuotientTable> table =
      QuotientTable::over_checked(plan, words_over(plan, whole.words.read()), whole.tally);
  bool is_replaced = false;
  if (directory_.parts_of_split(index) == 1) {
    const Result<QuotientTable> larger = table->resized(directory_.shape().plan(directory_.level(index) + 1));
    if (!larger) {
      return Added::kFull;
    }
    is_replaced = replace(index, std::span(&*larger, 1));
  } else {
    auto halves = table->halves();
    if (!halves) {
      return Added::kFull;
    }
    const std::array<QuotientTable, 2> both = {std::move(halves->first), std::move(halves->second)};
    is_replaced = replace(index, both);
  }
  if (!is_replaced) {
    return Added::kNoMemory;
  }
  directory_.split(hash);
  return Added::kNew;
}

// ---- saved segments

void PagedSegments::read(std::size_t segment, std::uint64_t offset, std::span<std::byte> out) const {
  const std::byte* const from = segments_[index_of(segment)].words.read();
  if (from != nullptr) {
    std::copy_n(from + offset, out.size(), out.begin());
  } else {
    std::ranges::fill(out, std::byte{0});
  }
}

Status PagedSegments::load(std::size_t segment, std::span<const std::byte> bytes) {
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
