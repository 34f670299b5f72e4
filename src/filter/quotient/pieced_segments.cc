#include "filter/quotient/pieced_segments.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/crc32c_change.h"
#include "filter/quotient/quotient_kernel.h"
#include "filter/quotient/quotient_slots.h"

namespace bloomery {
namespace {

// The words of a quotient table that one insert or erase may change, copied before the change. So the CRC of
// the table follows from these words, without reading the others.
//
//   table      block 0 | ... | touched blocks | ... | offsets of all blocks: ... | touched | ...
//
// They are the block of the fingerprint's home to that of the last free slot which the change needs
// (QuotientKernel::first_free). At a load of 95 % these are about ten blocks.

// The most slots that one more copy of a fingerprint needs: two with one remainder bit are followed by a
// third and a digit of two slots.
constexpr std::uint64_t kMostNewSlots = 3;

class TouchedWords {
 public:
  // Copies them for an insert that needs up to `new_slots` slots, or for an erase, which needs 1.
  TouchedWords(const QuotientSlots& slots, const QuotientFingerprint& fingerprint, std::uint64_t new_slots);
  // Returns the value to XOR to the CRC of the table's bytes after the change. May be called once.
  std::uint32_t crc_change();

 private:
  std::span<std::byte> blocks() const;
  std::span<std::byte> offsets() const;

  QuotientSlots slots_;
  std::uint64_t first_;  // block
  std::uint64_t last_;
  std::vector<std::byte> before_;  // the blocks, and then their offsets
};

TouchedWords::TouchedWords(const QuotientSlots& slots, const QuotientFingerprint& fingerprint,
                           std::uint64_t new_slots)
    : slots_(slots), first_(fingerprint.quotient / kSlotsPerBlock) {
  std::uint64_t free = fingerprint.quotient;
  for (std::uint64_t i = 0; i < new_slots && free < slots.slots(); ++i) {
    free = chosen_quotient_kernel().first_free(slots, free + (i == 0 ? 0 : 1));
  }
  last_ = std::min(free, slots.slots() - 1) / kSlotsPerBlock;
  before_.reserve(blocks().size() + offsets().size());
  before_.assign(blocks().begin(), blocks().end());
  before_.insert(before_.end(), offsets().begin(), offsets().end());
}

std::span<std::byte> TouchedWords::blocks() const {
  return std::as_writable_bytes(std::span(slots_.block(first_), (last_ - first_ + 1) * slots_.block_words()));
}

std::span<std::byte> TouchedWords::offsets() const {
  return {reinterpret_cast<std::byte*>(&slots_.offset(first_)), last_ - first_ + 1};
}

std::uint32_t TouchedWords::crc_change() {
  const std::uint64_t table_bytes = *quotient_words(slots_.plan()) * sizeof(std::uint64_t);
  const auto* const begin = reinterpret_cast<const std::byte*>(slots_.words());
  const auto change_of = [&](std::span<const std::byte> now, std::span<std::byte> before) {
    std::ranges::transform(before, now, before.begin(), [](std::byte a, std::byte b) { return a ^ b; });
    const auto end = static_cast<std::uint64_t>(now.data() - begin) + now.size();
    return crc32c_of_change(before, table_bytes - end);
  };
  const std::span<std::byte> before(before_);
  return change_of(blocks(), before.first(blocks().size())) ^
         change_of(offsets(), before.subspan(blocks().size()));
}

bool is_kept(Added outcome) {
  return outcome == Added::kNew || outcome == Added::kKnown;
}

}  // namespace

PiecedSegments::PiecedSegments(const QuotientFront& front)
    : shape_(front.shape), tables_(SegmentDirectory(segments_of(front.shape), front.depths)) {
  kept_.reserve(segment_count());
  for (std::uint32_t i = 0; i < segment_count(); ++i) {
    kept_.push_back({.crc = crc32c_of_zeros(directory().table_bytes(i))});
  }
}

Status PiecedSegments::load(std::size_t segment, std::span<const std::byte> bytes) {
  if (const Status loaded = tables_.load(segment, bytes); !loaded) {
    const Error& error = loaded.error();
    return error.code() == ErrorCode::kCorruption
               ? bad_payload(begin_of(segment) + error.offset().value_or(0), error.detail())
               : error;
  }
  kept_[tables_.index_of(segment)].crc = crc32c(bytes);
  return {};
}

// ---- inserts

bool PiecedSegments::may_split(std::uint32_t index) const {
  return !kept_[index].stays && directory().size_after_split(index).has_value();
}

// Returns true if an insert may raise the load of its table above that of a split.
bool PiecedSegments::is_near_split(const PagedSegments::Spot& spot) const {
  const auto splits_with = [&](std::uint64_t new_slots) {
    return is_over_split_load(tables_.tally(spot.index).slots + new_slots, spot.plan.quotients);
  };
  return splits_with(1) || (splits_with(kMostNewSlots) && PagedSegments::contains(spot));
}

Added PiecedSegments::insert(const Hash128& hash, std::uint64_t most_payload_bytes) {
  const PagedSegments::Spot spot = tables_.spot_of(hash.low);
  const bool splits = may_split(spot.index);
  Added outcome = splits && is_near_split(spot) ? Added::kFull : insert_unsplit(hash.low);
  if (outcome != Added::kFull || !splits) {
    return outcome;
  }
  PiecedSegments tried(*this);
  outcome = tried.insert_and_split(hash.low);
  if (!is_kept(outcome)) {
    return outcome;
  }
  const bool has_split = tried.segment_count() != segment_count();
  if (has_split &&
      (tried.payload_bytes() > most_payload_bytes || tried.segment_count() > kMostFileSegments)) {
    return Added::kOverLimit;
  }
  *this = std::move(tried);
  return outcome;
}

// The outcome is kFull if the table has no room.
Added PiecedSegments::insert_unsplit(std::uint64_t hash) {
  const std::uint32_t index = directory().index_of(hash);
  if (tables_.own(index) == nullptr) {
    return Added::kNoMemory;
  }
  const PagedSegments::Spot spot = tables_.spot_of(hash);
  const bool is_known = PagedSegments::contains(spot);
  TouchedWords touched(quotient_slots_over(spot.plan, spot.words), spot.fingerprint,
                       is_known ? kMostNewSlots : 1);
  if (tables_.insert(spot) != PagedSegments::Inserted::kYes) {
    return Added::kFull;
  }
  kept_[index].crc ^= touched.crc_change();
  return is_known ? Added::kKnown : Added::kNew;
}

Added PiecedSegments::insert_and_split(std::uint64_t hash) {
  for (;;) {
    const Added outcome = insert_unsplit(hash);
    if (outcome != Added::kFull) {
      const Added relieved = is_kept(outcome) ? relieve(hash) : Added::kNew;
      return relieved == Added::kNoMemory ? relieved : outcome;
    }
    // After a split the hash may belong to another segment, so the loop searches again.
    if (const Added divided = split(hash); divided != Added::kNew) {
      return divided;
    }
  }
}

// Splits the segment of a hash, and then its halves if they need it. The outcome is kFull if the segment
// stays as it is.
Added PiecedSegments::split(std::uint64_t hash) {
  const std::uint32_t index = directory().index_of(hash);
  if (!may_split(index)) {
    return Added::kFull;
  }
  if (const Added divided = tables_.split(hash); divided != Added::kNew) {
    kept_[index].stays = divided == Added::kFull;
    return divided;
  }
  kept_.push_back({});
  note_table(index);
  note_table(static_cast<std::uint32_t>(kept_.size() - 1));
  const std::uint64_t upper = std::uint64_t{1} << (64 - directory().depth(index));
  for (const std::uint64_t half : {hash & ~upper, hash | upper}) {
    if (relieve(half) == Added::kNoMemory) {
      return Added::kNoMemory;
    }
  }
  return Added::kNew;
}

Added PiecedSegments::relieve(std::uint64_t hash) {
  const std::uint32_t index = directory().index_of(hash);
  return is_over_split_load(tables_.tally(index).slots, directory().plan(index).quotients) ? split(hash)
                                                                                           : Added::kNew;
}

// Computes the CRC of a table that a split has made.
void PiecedSegments::note_table(std::uint32_t index) {
  const std::uint64_t bytes = directory().table_bytes(index);
  const std::byte* const words = tables_.words_of(index);
  kept_[index] = {.crc = words == nullptr ? crc32c_of_zeros(bytes) : crc32c({words, bytes})};
}

Removed PiecedSegments::remove(const Hash128& hash) {
  if (!PagedSegments::contains(tables_.spot_of(hash.low))) {
    return Removed::kAbsent;
  }
  const std::uint32_t index = directory().index_of(hash.low);
  if (tables_.own(index) == nullptr) {
    return Removed::kNoMemory;
  }
  const PagedSegments::Spot spot = tables_.spot_of(hash.low);
  TouchedWords touched(quotient_slots_over(spot.plan, spot.words), spot.fingerprint, 1);
  const Removed outcome = tables_.erase(spot);
  kept_[index].stays = false;
  if (tables_.words_of(index) == nullptr) {  // it was the last key
    kept_[index].crc = crc32c_of_zeros(directory().table_bytes(index));
  } else {
    kept_[index].crc ^= touched.crc_change();
  }
  return outcome;
}

// ---- bytes

std::vector<std::byte> PiecedSegments::front() const {
  return write_quotient_front(shape_, directory().levels_in_order());
}

std::uint32_t PiecedSegments::payload_crc() const {
  std::uint32_t crc = crc32c(front());
  directory().for_each_in_order([&](std::uint32_t index) {
    crc = crc32c_of_both(crc, kept_[index].crc, directory().table_bytes(index));
  });
  return crc;
}

std::uint64_t PiecedSegments::memory_bytes() const {
  return tables_.memory_bytes() + kept_.capacity() * sizeof(Kept);
}

void PiecedSegments::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (const std::uint64_t front_end = front_bytes(); offset < front_end && !out.empty()) {
    const std::vector<std::byte> begin = front();
    const std::size_t size = std::min<std::uint64_t>(out.size(), front_end - offset);
    std::copy_n(begin.begin() + static_cast<std::ptrdiff_t>(offset), size, out.begin());
    out = out.subspan(size);
    offset += size;
  }
  while (!out.empty()) {
    const SegmentDirectory::Place place = directory().place_of(offset - front_bytes());
    const std::uint64_t within = offset - front_bytes() - place.begin;
    const std::size_t size = std::min<std::uint64_t>(out.size(), bytes_of(place.segment) - within);
    tables_.read(place.segment, within, out.first(size));
    out = out.subspan(size);
    offset += size;
  }
}

}  // namespace bloomery
