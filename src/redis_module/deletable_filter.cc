#include "redis_module/deletable_filter.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "bloomery/filter/native_filter.h"
#include "filter/quotient/quotient_kernel.h"
#include "filter/quotient/quotient_table.h"

namespace bloomery::redis_module {
namespace {

constexpr std::uint64_t kMostEntriesPerSegment = 64;
constexpr std::size_t kMostSegments = std::size_t{1} << 26;
constexpr std::size_t kMarked = 64;

constexpr bool is_full(std::uint64_t slots, std::uint64_t quotients) {
  return slots * 25 > quotients * 24;  // a load of 0.96
}

QuotientSlots slots_over(const QuotientPlan& plan, const std::byte* words) {
  // Tables are read and written by one kind of view.
  auto* const writable = const_cast<std::byte*>(words);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return {plan, reinterpret_cast<std::uint64_t*>(writable)};
}

std::span<std::uint64_t> words_over(const QuotientPlan& plan, const std::byte* words) {
  return {slots_over(plan, words).words(), static_cast<std::size_t>(*quotient_words(plan))};
}

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

Error corrupt_levels(std::size_t index, const std::string& detail) {
  return Error(ErrorCode::kCorruption, "level of segment " + std::to_string(index), detail);
}

}  // namespace

// ---- making

Result<DeletableFilter> DeletableFilter::create(const DeletablePlan& plan, std::uint64_t most_bytes) {
  const Grows grows = plan.usual.expansion == 0 ? Grows::kNo : Grows::kYes;
  BLOOMERY_ASSIGN_OR_RETURN(const DeletableStart start,
                            deletable_start(plan.usual.capacity, plan.usual.fpp, grows));
  if (start.planned_bytes > most_bytes) {
    return Error::capacity("filter", "needs " + std::to_string(start.planned_bytes) +
                                         " bytes, and a key may have " + std::to_string(most_bytes));
  }
  const std::vector<std::byte> levels(std::size_t{1} << DeletableShape::depth(start.level),
                                      static_cast<std::byte>(start.level));
  return of_levels(plan, start.shape, levels);
}

Result<DeletableFilter> DeletableFilter::of_levels(const DeletablePlan& plan, const DeletableShape& shape,
                                                   std::span<const std::byte> levels) {
  BLOOMERY_RETURN_IF_ERROR(check_deletable_shape(shape));
  if (levels.empty() || levels.size() > kMostSegments) {
    return corrupt_levels(0, "expected 1 to 2^26 segments, found " + std::to_string(levels.size()));
  }
  DeletableFilter made(plan, shape, levels.size());
  made.levels_.reserve(levels.size());
  std::uint64_t covered = 0;  // the share of all hashes, in units of 2^-63
  std::uint32_t last_level = 0;
  std::uint64_t table_bytes = 0;  // at this level; most levels are as the one before
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto level = std::to_integer<std::uint32_t>(levels[i]);
    const std::uint32_t depth = DeletableShape::depth(level);
    if (!shape.is_level(level) || std::uint64_t{1} << depth > kMostEntriesPerSegment * levels.size()) {
      return corrupt_levels(i, "expected one that fits shape and segments, found " + std::to_string(level));
    }
    const std::uint64_t share = std::uint64_t{1} << (63 - depth);
    if (covered % share != 0 || covered >= std::uint64_t{1} << 63) {
      return corrupt_levels(
          i, "expected a segment that begins where the one before it ends, found " + std::to_string(level));
    }
    table_bytes = level == last_level ? table_bytes : shape.table_bytes(level);
    last_level = level;
    made.levels_.push_back(static_cast<std::uint8_t>(level));
    made.size_bytes_ += table_bytes;
    covered += share;
  }
  if (covered != std::uint64_t{1} << 63) {
    return corrupt_levels(levels.size(), "expected segments of all hashes, found a gap at the end");
  }
  made.build_directory();
  return made;
}

// ---- the directory

// Segments have their numbers in the order of their hashes.
void DeletableFilter::build_directory() {
  depth_ = DeletableShape::depth(*std::ranges::max_element(levels_));
  directory_.resize(std::size_t{1} << depth_);
  auto entry = directory_.begin();
  for (std::uint32_t i = 0; i < levels_.size(); ++i) {
    entry = std::fill_n(entry, std::size_t{1} << (depth_ - DeletableShape::depth(levels_[i])), i);
  }
}

void DeletableFilter::double_directory() {
  std::vector<std::uint32_t> doubled(2 * directory_.size());
  for (std::size_t i = 0; i < directory_.size(); ++i) {
    doubled[2 * i] = directory_[i];
    doubled[2 * i + 1] = directory_[i];
  }
  directory_ = std::move(doubled);
  ++depth_;
}

void DeletableFilter::name_in_directory(std::uint32_t index, std::uint64_t prefix, std::uint32_t depth) {
  const std::uint32_t below = depth_ - depth;
  std::fill_n(directory_.begin() + static_cast<std::ptrdiff_t>(prefix << below), std::size_t{1} << below,
              index);
}

DeletableFilter::InOrder DeletableFilter::after(const InOrder& one) const {
  const std::uint32_t level = levels_[one.index];
  const std::uint64_t entry = one.entry + (std::uint64_t{1} << (depth_ - DeletableShape::depth(level)));
  return {.begin = one.begin + shape_.table_bytes(level),
          .entry = entry,
          .index = entry < directory_.size() ? directory_[entry] : 0};
}

const std::vector<DeletableFilter::InOrder>& DeletableFilter::marked_in_order() const {
  if (marked_in_order_.empty()) {
    marked_in_order_.reserve(segments_.size() / kMarked + 1);
    InOrder one = {.begin = 0, .entry = 0, .index = directory_[0]};
    for (std::size_t i = 0; i < segments_.size(); ++i, one = after(one)) {
      if (i % kMarked == 0) {
        marked_in_order_.push_back(one);
      }
    }
  }
  return marked_in_order_;
}

DeletableFilter::InOrder DeletableFilter::in_order(std::size_t segment) const {
  InOrder one = marked_in_order()[segment / kMarked];
  for (std::size_t i = segment % kMarked; i > 0; --i) {
    one = after(one);
  }
  return one;
}

std::vector<std::byte> DeletableFilter::levels_in_order() const {
  std::vector<std::byte> levels;
  levels.reserve(segments_.size());
  for (std::size_t entry = 0; entry < directory_.size();) {
    const std::uint32_t level = levels_[directory_[entry]];
    levels.push_back(static_cast<std::byte>(level));
    entry += std::size_t{1} << (depth_ - DeletableShape::depth(level));
  }
  return levels;
}

// ---- splitting

// Puts the tables of the next level into the place of a segment: the first at its index, the other at the end.
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
  held_bytes_ += held - shape_.table_bytes(levels_[index]);
  ++levels_[index];
  if (parts.size() > 1) {
    segments_.push_back(std::move(made[1]));
    levels_.push_back(levels_[index]);
  }
  segments_.change(index) = std::move(made[0]);
  return true;
}

Added DeletableFilter::split(std::uint64_t hash, std::uint64_t most_bytes) {
  const std::uint32_t index = index_of(hash);
  const Segment& whole = segments_[index];
  const std::uint32_t level = levels_[index] + 1U;
  const std::uint32_t depth = DeletableShape::depth(level);
  if (!shape_.is_level(level) || segments_.size() >= kMostSegments ||
      (depth > depth_ && std::uint64_t{1} << depth > kMostEntriesPerSegment * (segments_.size() + 1))) {
    return Added::kFull;
  }
  const std::uint64_t parts = depth == 0 ? 1 : 2;
  const std::uint64_t size = size_bytes_ - shape_.table_bytes(level - 1) + parts * shape_.table_bytes(level);
  if (size > most_bytes) {
    return Added::kOverLimit;
  }
  const QuotientPlan plan = shape_.plan(level - 1);
  const Result<QuotientTable> table =
      QuotientTable::over_checked(plan, words_over(plan, whole.words.read()), whole.tally);
  bool is_done = false;
  if (parts == 1) {
    const Result<QuotientTable> larger = table->resized(shape_.plan(level));
    is_done = larger && replace(index, std::span(&*larger, 1));
  } else if (auto halves = table->halves(); halves) {
    const std::array<QuotientTable, 2> both = {std::move(halves->first), std::move(halves->second)};
    is_done = replace(index, both);
  }
  if (!is_done) {
    return Added::kNoMemory;
  }
  size_bytes_ = size;
  marked_in_order_.clear();
  mark_.reset();
  if (depth > depth_) {
    double_directory();
  }
  if (parts == 2) {
    const std::uint64_t prefix = hash >> (64 - depth) | 1;  // of the second part
    name_in_directory(static_cast<std::uint32_t>(segments_.size() - 1), prefix, depth);
  }
  return Added::kNew;
}

// ---- items

DeletableFilter::Spot DeletableFilter::spot_of(std::uint64_t hash) const {
  const std::uint32_t index = index_of(hash);
  const std::uint32_t level = levels_[index];
  const QuotientPlan plan = shape_.plan(level);
  return {.index = index,
          .plan = plan,
          .fingerprint =
              quotient_fingerprint(plan.quotients, plan.remainder_bits, hash << DeletableShape::depth(level)),
          .words = segments_[index].words.read()};
}

// Calls use(i) for each hash i, and prefetches what later calls need.
template <typename Use>
void DeletableFilter::for_each_ahead(std::span<const Hash128> hashes, Use use) const {
  constexpr std::size_t kAhead = 16;
  const auto prefetch = [&](std::uint64_t hash) {
    const Spot spot = spot_of(hash);
    if (spot.words == nullptr) {
      return;
    }
    const QuotientSlots slots = slots_over(spot.plan, spot.words);
    const std::uint64_t* const block = slots.block(spot.fingerprint.quotient / 64);
    __builtin_prefetch(block);
    __builtin_prefetch(block + 2 + spot.fingerprint.quotient % 64 * slots.remainder_bits() / 64);
  };
  for (std::size_t i = 0; i < hashes.size() + kAhead; ++i) {
    if (i < hashes.size()) {
      prefetch(hashes[i].low);
    }
    if (i >= kAhead) {
      use(i - kAhead);
    }
  }
}

bool DeletableFilter::contains(const Spot& spot) {
  return spot.words != nullptr &&
         chosen_quotient_kernel().contains(slots_over(spot.plan, spot.words), spot.fingerprint);
}

void DeletableFilter::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  for_each_ahead(hashes, [&](std::size_t i) {
    answers[i / 64] |= std::uint64_t{contains(spot_of(hashes[i].low))} << (i % 64);
  });
}

std::uint64_t DeletableFilter::count(const Hash128& hash) const {
  const Spot spot = spot_of(hash.low);
  return spot.words == nullptr
             ? 0
             : chosen_quotient_kernel().count(slots_over(spot.plan, spot.words), spot.fingerprint);
}

Segment* DeletableFilter::own(std::uint32_t index) {
  const std::uint64_t bytes = shape_.table_bytes(levels_[index]);
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

Added DeletableFilter::add_one(std::uint64_t hash, AddWhen when, std::uint64_t most_bytes) {
  if (when == AddWhen::kAbsent && contains(spot_of(hash))) {
    return Added::kKnown;
  }
  if (plan_.usual.expansion == 0 && keys_ >= plan_.usual.capacity) {
    return Added::kFull;
  }
  for (;;) {
    const Spot spot = spot_of(hash);
    if (!is_full(segments_[spot.index].tally.slots, spot.plan.quotients)) {
      Segment* const segment = own(spot.index);
      if (segment == nullptr) {
        return Added::kNoMemory;
      }
      QuotientTally& tally = segment->tally;
      const QuotientTally before = tally;
      const QuotientSlots slots = slots_over(spot.plan, segment->words.read());
      if (chosen_quotient_kernel().insert(slots, tally, spot.fingerprint, 1)) {
        note_change(before, tally);
        // A count that has reached its end does not change.
        return tally.keys == before.keys ? Added::kFull : Added::kNew;
      }
    }
    // After a split the hash may belong to another segment, so the loop looks again.
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
  const QuotientSlots slots = slots_over(spot.plan, segment->words.read());
  static_cast<void>(chosen_quotient_kernel().erase(slots, tally, spot.fingerprint));
  note_change(before, tally);
  deleted_ += before.keys - tally.keys;
  if (tally.slots == 0) {
    segment->words = {};
    held_bytes_ -= shape_.table_bytes(levels_[spot.index]);
  }
  return Removed::kYes;
}

std::uint64_t DeletableFilter::memory_bytes() const {
  return sizeof(DeletableFilter) + held_bytes_ + segments_.memory_bytes() +
         segments_.size() * sizeof(levels_[0]) + directory_.size() * sizeof(directory_[0]);
}

// ---- saved segments

void DeletableFilter::read(std::size_t segment, std::uint64_t offset, std::span<std::byte> out) const {
  if (const std::byte* const from = segments_[in_order(segment).index].words.read(); from != nullptr) {
    std::copy_n(from + offset, out.size(), out.begin());
  } else {
    std::ranges::fill(out, std::byte{0});
  }
}

Status DeletableFilter::load(std::size_t segment, std::span<const std::byte> bytes) {
  const InOrder place = in_order(segment);
  const std::uint64_t size = shape_.table_bytes(levels_[place.index]);
  if (bytes.size() != size) {
    return Error::invalid_argument(
        "segment", "expected " + std::to_string(size) + " bytes, found " + std::to_string(bytes.size()));
  }
  SharedChunk words;
  QuotientTally tally;
  if (!is_zero(bytes)) {
    std::byte* const to = words.write(bytes.size());
    if (to == nullptr) {
      return Error::capacity("segment", "memory is lacking");
    }
    std::ranges::copy(bytes, to);
    const QuotientPlan plan = shape_.plan(levels_[place.index]);
    BLOOMERY_ASSIGN_OR_RETURN(const QuotientTable table, QuotientTable::over(plan, words_over(plan, to)));
    tally = table.tally();
  }
  Segment& into = segments_.change(place.index);
  held_bytes_ += words.read() == nullptr ? 0 : size;
  held_bytes_ -= into.words.read() == nullptr ? 0 : size;
  note_change(into.tally, tally);
  into.tally = tally;
  into.words = std::move(words);
  return {};
}

DeletableFilter::Place DeletableFilter::place_of(std::uint64_t offset) const {
  const auto& marked = marked_in_order();
  const auto behind = std::ranges::upper_bound(marked, offset, {}, &InOrder::begin);
  auto segment = static_cast<std::size_t>(behind - marked.begin() - 1) * kMarked;
  InOrder one = *(behind - 1);
  for (InOrder next = after(one); next.begin <= offset; next = after(one)) {
    one = next;
    ++segment;
  }
  return {.segment = segment, .begin = one.begin};
}

}  // namespace bloomery::redis_module
