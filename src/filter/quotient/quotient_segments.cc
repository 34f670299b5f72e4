#include "filter/quotient/quotient_segments.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "bloomery/base/uint128.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/sizing.h"
#include "filter/native/native_header.h"
#include "filter/quotient/quotient_front.h"
#include "filter/quotient/quotient_layout.h"
#include "filter/quotient/quotient_slots.h"

namespace bloomery {
namespace {

constexpr const char* kQuotientFilterSubject = "quotient filter";

// The largest depth of the first segments: indexes of segments have 32 bits.
constexpr std::uint32_t kMostDepth = 30;

double universe(const QuotientPlan& plan) {
  return std::ldexp(static_cast<double>(plan.quotients), static_cast<int>(plan.remainder_bits));
}

}  // namespace

// ---- making and opening

QuotientSegments::QuotientSegments(const QuotientShape& shape, std::span<const std::byte> depths,
                                   Storage home, std::uint64_t begin)
    : shape_(shape),
      home_(std::move(home)),
      writable_(home_.is_writable()),
      in_home_(depths.size()),
      directory_(segments_of(shape), depths) {
  auto* words = reinterpret_cast<std::uint64_t*>(home_.raw().data() + begin);
  std::uint64_t covered = 0;  // the share of all hashes, in units of 2^-63
  segments_.reserve(depths.size());
  for (std::uint32_t i = 0; i < depths.size(); ++i) {
    const QuotientPlan plan = directory_.plan(i);
    const std::uint32_t depth = directory_.depth(i);
    const std::span<std::uint64_t> table(words, *quotient_words(plan));
    segments_.push_back({.table = *QuotientTable::over_checked(plan, table, {}),
                         .prefix = covered >> (63 - depth),
                         .depth = depth,
                         .is_in_home = true});
    covered += std::uint64_t{1} << (63 - depth);
    words += table.size();
  }
}

Result<std::unique_ptr<QuotientSegments>> QuotientSegments::create(const QuotientShape& shape) {
  BLOOMERY_RETURN_IF_ERROR(check_quotient_shape(shape));
  if (shape.depth > kMostDepth) {
    return Error::capacity(kQuotientFilterSubject,
                           "expected at most 2^30 segments, needs 2^" + std::to_string(shape.depth));
  }
  const std::vector<std::byte> depths(std::size_t{1} << shape.depth, static_cast<std::byte>(shape.depth));
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::zeroed(quotient_bytes(shape) -
                                                                        quotient_front_bytes(depths.size())));
  return std::unique_ptr<QuotientSegments>(
      new QuotientSegments(shape, depths, Storage(std::move(buffer)), 0));
}

Result<std::unique_ptr<QuotientSegments>> QuotientSegments::over(Storage payload) {
  BLOOMERY_ASSIGN_OR_RETURN(const QuotientFront front,
                            read_quotient_front(payload.bytes(), payload.bytes().size()));
  std::unique_ptr<QuotientSegments> opened(new QuotientSegments(front.shape, front.depths, std::move(payload),
                                                                quotient_front_bytes(front.depths.size())));
  BLOOMERY_RETURN_IF_ERROR(opened->check_tables());
  return opened;
}

// Verifies the tables of an opened payload, and counts their keys.
Status QuotientSegments::check_tables() {
  const auto* const begin = home_.bytes().data();
  for (Segment& segment : segments_) {
    const std::span<const std::uint64_t> words = segment.table.words();
    const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(words.data()) - begin);
    Result<QuotientTable> table = QuotientTable::over(
        segment.table.plan(), {reinterpret_cast<std::uint64_t*>(home_.raw().data() + offset), words.size()});
    if (!table) {
      return bad_payload(offset + table.error().offset().value_or(0), table.error().detail());
    }
    keys_ += table->tally().keys;
    segment.table = std::move(*table);
  }
  return {};
}

std::vector<const QuotientSegments::Segment*> QuotientSegments::in_order() const {
  std::vector<const Segment*> ordered;
  ordered.reserve(segments_.size());
  directory_.for_each_in_order([&](std::uint32_t index) { ordered.push_back(&segments_[index]); });
  return ordered;
}

// ---- splitting

bool QuotientSegments::may_split(std::uint32_t index) const {
  return !segments_[index].stays && directory_.size_after_split(index).has_value();
}

bool QuotientSegments::split(std::uint32_t index) {
  if (!may_split(index)) {
    return false;
  }
  auto halves = segments_[index].table.halves();
  if (!halves) {
    segments_[index].stays = true;
    return false;
  }
  // The halves replace the segment: the lower one at its index, the upper one at the end. The opened payload
  // is released when no segment reads it any more.
  const Segment& whole = segments_[index];
  in_home_ -= whole.is_in_home ? 1 : 0;
  directory_.split(whole.depth == 0 ? 0 : whole.prefix << (64 - whole.depth));
  const std::uint32_t depth = whole.depth + 1;
  const std::uint64_t prefix = whole.prefix * 2;
  segments_[index] = {.table = std::move(halves->first), .prefix = prefix, .depth = depth};
  segments_.push_back({.table = std::move(halves->second), .prefix = prefix + 1, .depth = depth});
  if (in_home_ == 0) {
    home_ = Storage();
  }
  const auto added = static_cast<std::uint32_t>(segments_.size() - 1);
  relieve(index);
  relieve(added);
  return true;
}

void QuotientSegments::relieve(std::uint32_t index) {
  const QuotientTable& table = segments_[index].table;
  if (is_over_split_load(table.tally().slots, table.plan().quotients)) {
    split(index);
  }
}

// ---- keys

bool QuotientSegments::insert(std::uint64_t hash, std::uint64_t times) {
  for (;;) {
    const std::uint32_t index = index_of(hash);
    Segment& segment = segments_[index];
    const std::uint64_t before = segment.table.tally().keys;
    if (segment.table.insert(hash << segment.depth, times)) {
      keys_ += segment.table.tally().keys - before;
      relieve(index);
      return true;
    }
    // The table has refused. After a split the hash may belong to another segment, so the loop searches
    // again.
    if (!split(index)) {
      return false;
    }
  }
}

bool QuotientSegments::erase(std::uint64_t hash) {
  Segment& segment = segments_[index_of(hash)];
  const std::uint64_t before = segment.table.tally().keys;
  const bool erased = segment.table.erase(hash << segment.depth);
  keys_ -= before - segment.table.tally().keys;
  return erased;
}

void QuotientSegments::contains_batch(std::span<const Hash128> hashes,
                                      std::span<std::uint64_t> answers) const {
  if (segments_.size() == 1) {
    segments_.front().table.contains_batch(hashes, answers);
    return;
  }
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  for_each_ahead(
      hashes, [&](std::size_t i) { answers[i / 64] |= std::uint64_t{contains(hashes[i].low)} << (i % 64); });
}

// ---- merging

// Merges the segments of two filters of one shape, one range of hashes after the other.
class QuotientSegments::Uniter {
 public:
  using Parts = std::span<const Segment* const>;

  // Merges the segments of the hashes that begin with `prefix`, of `depth` bits. Each side has one segment
  // for them, or several in order.
  Status unite(Parts a, Parts b, std::uint64_t prefix, std::uint32_t depth) {
    if (a.size() == 1 && b.size() == 1) {
      const QuotientPlan plan = a.front()->table.plan();
      auto merged = QuotientTable::merged(a.front()->table, b.front()->table, plan);
      if (merged) {
        made.push_back({.table = std::move(*merged), .prefix = prefix, .depth = depth});
        return {};
      }
      if (plan.remainder_bits == 1) {
        return merged.error();
      }
    }
    BLOOMERY_ASSIGN_OR_RETURN(const Halves of_a, halve(a, prefix, depth));
    BLOOMERY_ASSIGN_OR_RETURN(const Halves of_b, halve(b, prefix, depth));
    BLOOMERY_RETURN_IF_ERROR(unite(of_a.lower, of_b.lower, 2 * prefix, depth + 1));
    return unite(of_a.upper, of_b.upper, 2 * prefix + 1, depth + 1);
  }

  std::vector<Segment> made;  // the merged segments, in order

 private:
  struct Halves {
    std::vector<Segment> split;  // the halves of a segment that had to be split
    std::vector<const Segment*> lower;
    std::vector<const Segment*> upper;
  };

  static Result<Halves> halve(Parts parts, std::uint64_t prefix, std::uint32_t depth) {
    Halves halves;
    if (parts.size() == 1) {
      BLOOMERY_ASSIGN_OR_RETURN(auto tables, parts.front()->table.halves());
      halves.split.push_back({.table = std::move(tables.first), .prefix = 2 * prefix, .depth = depth + 1});
      halves.split.push_back(
          {.table = std::move(tables.second), .prefix = 2 * prefix + 1, .depth = depth + 1});
      halves.lower = {&halves.split[0]};
      halves.upper = {&halves.split[1]};
      return halves;
    }
    for (const Segment* const part : parts) {
      const bool is_upper = (part->prefix >> (part->depth - depth - 1) & 1) != 0;
      (is_upper ? halves.upper : halves.lower).push_back(part);
    }
    return halves;
  }
};

Status QuotientSegments::merge(const QuotientSegments& other) {
  if (shape_ != other.shape_) {
    return Error::invalid_argument("merge", "expected filters of one plan, found different segments");
  }
  // The recursion begins at the shape's depth and not at the root: above it there is no segment.
  const std::vector<const Segment*> ours = in_order();
  const std::vector<const Segment*> theirs = other.in_order();
  const auto group = [this](const std::vector<const Segment*>& all, std::size_t& from, std::uint64_t prefix) {
    const std::size_t first = from;
    while (from < all.size() && all[from]->prefix >> (all[from]->depth - shape_.depth) == prefix) {
      ++from;
    }
    return Uniter::Parts(all).subspan(first, from - first);
  };
  Uniter uniter;
  std::size_t a = 0;
  std::size_t b = 0;
  for (std::uint64_t prefix = 0; a < ours.size(); ++prefix) {
    const Uniter::Parts of_a = group(ours, a, prefix);
    BLOOMERY_RETURN_IF_ERROR(uniter.unite(of_a, group(theirs, b, prefix), prefix, shape_.depth));
  }
  std::vector<std::byte> depths;
  depths.reserve(uniter.made.size());
  for (const Segment& segment : uniter.made) {
    depths.push_back(static_cast<std::byte>(segment.depth));
  }
  const std::uint32_t deepest = std::ranges::max_element(uniter.made, {}, &Segment::depth)->depth;
  if (std::uint64_t{1} << deepest > kMostEntriesPerSegment * uniter.made.size()) {
    return Error::capacity(kQuotientFilterSubject, "expected even hashes, found too many that begin alike");
  }
  segments_ = std::move(uniter.made);
  home_ = Storage();
  in_home_ = 0;
  keys_ = 0;
  for (const Segment& segment : segments_) {
    keys_ += segment.table.tally().keys;
  }
  directory_ = SegmentDirectory(segments_of(shape_), depths);
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    relieve(i);
  }
  return {};
}

// ---- facts

std::uint64_t QuotientSegments::fingerprints() const {
  std::uint64_t sum = 0;
  for (const Segment& segment : segments_) {
    sum += segment.table.tally().fingerprints;
  }
  return sum;
}

double QuotientSegments::load() const {
  double slots = 0;
  for (const Segment& segment : segments_) {
    slots += static_cast<double>(segment.table.tally().slots);
  }
  return slots / (static_cast<double>(shape_.quotients) * static_cast<double>(segments_.size()));
}

double QuotientSegments::fpp() const {
  double sum = 0;
  for (const Segment& segment : segments_) {
    sum += std::ldexp(segment.table.fpp(), -static_cast<int>(segment.depth));
  }
  return sum;
}

// Estimates the keys from the fingerprints. Of n evenly hashed keys, U (1 - (1 - 1/U)^n) of U possible
// fingerprints are expected.
double QuotientSegments::estimated_count() const {
  double sum = 0;
  for (const Segment& segment : segments_) {
    const double all = universe(segment.table.plan());
    const auto found = static_cast<double>(segment.table.tally().fingerprints);
    sum += std::log1p(-std::min(found, all - 1) / all) / std::log1p(-1 / all);
  }
  return sum;
}

void QuotientSegments::for_each(const std::function<void(const QuotientRange&)>& use) const {
  for (const Segment* const segment : in_order()) {
    const QuotientPlan plan = segment->table.plan();
    const Uint128 all = Uint128{plan.quotients} << plan.remainder_bits;
    const std::uint64_t base = segment->depth == 0 ? 0 : segment->prefix << (64 - segment->depth);
    // Returns the least hash, without the prefix, whose fingerprint in the segment is at least `number`.
    const auto first_of = [&](Uint128 number) {
      const Uint128 shifted = ((number << 64) + all - 1) / all;
      return (shifted + (Uint128{1} << segment->depth) - 1) >> segment->depth;
    };
    QuotientCursor cursor = segment->table.cursor();
    for (QuotientEntry entry; cursor.next(entry);) {
      const Uint128 number =
          (Uint128{entry.fingerprint.quotient} << plan.remainder_bits) | entry.fingerprint.remainder;
      use({.first_hash = base + static_cast<std::uint64_t>(first_of(number)),
           .last_hash = base + static_cast<std::uint64_t>(first_of(number + 1) - 1),
           .count = entry.count});
    }
  }
}

// ---- the payload

std::uint64_t QuotientSegments::byte_size() const {
  return quotient_front_bytes(segments_.size()) + directory_.size_bytes();
}

SegmentedPayload::Image QuotientSegments::image() const {
  Image image;
  image.front = write_quotient_front(shape_, directory_.levels_in_order());
  image.pieces.reserve(segments_.size());
  for (const Segment* const segment : in_order()) {
    image.pieces.push_back(std::as_bytes(segment->table.words()));
  }
  return image;
}

// Returns to the first segments of the shape. If memory for them is lacking, keeps the present segments and
// empties them.
void QuotientSegments::clear() {
  if (segments_.size() != std::uint64_t{1} << shape_.depth) {
    if (auto fresh = create(shape_)) {
      *this = std::move(**fresh);
      return;
    }
  }
  for (Segment& segment : segments_) {
    segment.table.clear();
    segment.stays = false;
  }
  keys_ = 0;
}

}  // namespace bloomery
