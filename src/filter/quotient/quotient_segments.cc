#include "filter/quotient/quotient_segments.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "base/endian.h"
#include "bloomery/base/uint128.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/sizing.h"
#include "filter/native/native_header.h"
#include "filter/quotient/quotient_layout.h"
#include "filter/quotient/quotient_slots.h"

namespace bloomery {
namespace {

constexpr const char* kQuotientFilterSubject = "quotient filter";

// The offsets of two fields in the front of a payload (quotient_layout.h).
constexpr std::size_t kGrowthAt = 6;
constexpr std::size_t kSegmentCountAt = 8;

// The largest depth of the first segments: indexes of segments have 32 bits.
constexpr std::uint32_t kMostDepth = 30;

constexpr bool is_over_limit(std::uint64_t slots, std::uint64_t quotients) {
  return slots * 50 > quotients * 49;  // a load of 0.98
}

double universe(const QuotientPlan& plan) {
  return std::ldexp(static_cast<double>(plan.quotients), static_cast<int>(plan.remainder_bits));
}

}  // namespace

// ---- making and opening

Result<std::unique_ptr<QuotientSegments>> QuotientSegments::create(const QuotientShape& shape) {
  BLOOMERY_RETURN_IF_ERROR(check_quotient_shape(shape));
  if (shape.depth > kMostDepth) {
    return Error::capacity(kQuotientFilterSubject,
                           "expected at most 2^30 segments, needs 2^" + std::to_string(shape.depth));
  }
  const std::uint64_t count = std::uint64_t{1} << shape.depth;
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                            AlignedBuffer::zeroed(quotient_bytes(shape) - quotient_front_bytes(count)));
  std::unique_ptr<QuotientSegments> made(new QuotientSegments(shape, Storage(std::move(buffer))));
  const QuotientPlan plan = made->plan_at(shape.depth);
  const std::size_t words = *quotient_words(plan);
  auto* const home = reinterpret_cast<std::uint64_t*>(made->home_.raw().data());
  made->segments_.reserve(count);
  for (std::uint64_t prefix = 0; prefix < count; ++prefix) {
    BLOOMERY_ASSIGN_OR_RETURN(QuotientTable table,
                              QuotientTable::over_checked(plan, {home + prefix * words, words}, {}));
    made->segments_.push_back(
        {.table = std::move(table), .prefix = prefix, .depth = shape.depth, .is_in_home = true});
  }
  made->in_home_ = count;
  made->build_directory();
  return made;
}

Result<std::unique_ptr<QuotientSegments>> QuotientSegments::over(Storage payload) {
  const std::uint64_t bytes = payload.bytes().size();
  BLOOMERY_ASSIGN_OR_RETURN(auto opened, over_front(std::move(payload)));
  BLOOMERY_RETURN_IF_ERROR(opened->prove_first(bytes));
  opened->build_directory();
  return opened;
}

Result<std::unique_ptr<QuotientSegments>> QuotientSegments::over_coming(Storage payload) {
  BLOOMERY_ASSIGN_OR_RETURN(auto opened, over_front(std::move(payload)));
  opened->build_directory();
  return opened;
}

std::optional<std::uint64_t> QuotientSegments::front_bytes_in(std::span<const std::byte> payload) {
  if (payload.size() < kDepthsAt) {
    return std::nullopt;
  }
  const std::uint64_t count = load_little64(payload.data() + kSegmentCountAt);
  return count >> 32 != 0 ? kDepthsAt
                          : quotient_front_bytes(count);  // over_front() refuses a count of 2^32 or more
}

// Opens the segments that the front describes, and verifies none.
Result<std::unique_ptr<QuotientSegments>> QuotientSegments::over_front(Storage payload) {
  const std::span<const std::byte> bytes = payload.bytes();
  if (bytes.size() < kDepthsAt || bytes.size() % 8 != 0) {
    return bad_payload(0,
                       "expected a multiple of 8 bytes, at least 16, found " + std::to_string(bytes.size()));
  }
  const QuotientShape shape{.quotients = load_little32(bytes.data()),
                            .depth = std::to_integer<std::uint32_t>(bytes[4]),
                            .remainder_bits = std::to_integer<std::uint32_t>(bytes[5]),
                            .growth_doublings = std::to_integer<std::uint32_t>(bytes[kGrowthAt])};
  if (const Status checked = check_quotient_shape(shape); !checked) {
    return bad_payload(0, checked.error().subject() + ": " + checked.error().detail());
  }
  if (bytes[7] != std::byte{0}) {
    return bad_payload(7, "reserved: expected 0, found " + std::to_string(std::to_integer<int>(bytes[7])));
  }
  const std::uint64_t count = load_little64(bytes.data() + kSegmentCountAt);
  if (count == 0 || count > bytes.size() || count >> 32 != 0 || quotient_front_bytes(count) > bytes.size()) {
    return bad_payload(kSegmentCountAt, "segments: expected 1 or more that the payload has room for, found " +
                                            std::to_string(count));
  }
  const std::span<const std::byte> depths = bytes.subspan(kDepthsAt, quotient_front_bytes(count) - kDepthsAt);
  if (std::any_of(depths.begin() + static_cast<std::ptrdiff_t>(count), depths.end(),
                  [](std::byte b) { return b != std::byte{0}; })) {
    return bad_payload(kDepthsAt + count, "expected zeroes behind the last depth");
  }
  std::unique_ptr<QuotientSegments> opened(new QuotientSegments(shape, std::move(payload)));
  BLOOMERY_RETURN_IF_ERROR(opened->check_depths(depths.first(count)));
  BLOOMERY_RETURN_IF_ERROR(opened->open_segments(depths.first(count)));
  return opened;
}

// Checks that the segments cover all hashes without gap or overlap, and that their depths fit their number.
Status QuotientSegments::check_depths(std::span<const std::byte> depths) const {
  const std::uint32_t most = shape_.depth + shape_.remainder_bits - 1;  // less than 64
  std::uint64_t covered = 0;  // the share of all hashes, in units of 2^-63
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const auto depth = std::to_integer<std::uint32_t>(depths[i]);
    if (depth < shape_.depth || depth > most ||
        std::uint64_t{1} << depth > kMostEntriesPerSegment * depths.size()) {
      return bad_payload(kDepthsAt + i, "depth: expected " + std::to_string(shape_.depth) + " to " +
                                            std::to_string(most) + ", at most 64 times " +
                                            std::to_string(depths.size()) + " segments deep, found " +
                                            std::to_string(depth));
    }
    const std::uint64_t size = std::uint64_t{1} << (63 - depth);
    if (covered % size != 0 || covered >= std::uint64_t{1} << 63) {
      return bad_payload(kDepthsAt + i,
                         "depth: expected a segment that begins where the one before it ends, found " +
                             std::to_string(depth));
    }
    covered += size;
  }
  if (covered != std::uint64_t{1} << 63) {
    return bad_payload(kDepthsAt, "depths: expected segments of all hashes, found a gap at the end");
  }
  return {};
}

// Opens one segment for each depth, in order. Precondition: check_depths() has passed.
Status QuotientSegments::open_segments(std::span<const std::byte> depths) {
  const std::uint64_t front = quotient_front_bytes(depths.size());
  const std::span<std::byte> bytes = home_.raw().subspan(front);
  std::span<std::uint64_t> left{reinterpret_cast<std::uint64_t*>(bytes.data()), bytes.size() / 8};
  std::uint64_t offset = front;
  std::uint64_t covered = 0;
  segments_.reserve(depths.size());
  for (const std::byte byte : depths) {
    const auto depth = std::to_integer<std::uint32_t>(byte);
    const QuotientPlan plan = plan_at(depth);
    const std::uint64_t words = *quotient_words(plan);
    if (words > left.size()) {
      return bad_payload(offset, "expected a segment of " + std::to_string(words) + " words, found " +
                                     std::to_string(left.size()));
    }
    BLOOMERY_ASSIGN_OR_RETURN(QuotientTable table, QuotientTable::over_checked(plan, left.first(words), {}));
    segments_.push_back(
        {.table = std::move(table), .prefix = covered >> (63 - depth), .depth = depth, .is_in_home = true});
    covered += std::uint64_t{1} << (63 - depth);
    left = left.subspan(words);
    offset += words * sizeof(std::uint64_t);
  }
  if (!left.empty()) {
    return bad_payload(
        offset, "expected nothing behind the last segment, found " + std::to_string(left.size()) + " words");
  }
  in_home_ = segments_.size();
  return {};
}

Status QuotientSegments::prove_first(std::uint64_t bytes) {
  auto* const begin = home_.raw().data();
  for (; proven_ < segments_.size(); ++proven_) {
    Segment& segment = segments_[proven_];
    const std::span<const std::uint64_t> words = segment.table.words();
    const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(words.data()) - begin);
    if (offset + words.size_bytes() > bytes) {
      return {};
    }
    Result<QuotientTable> table = QuotientTable::over(
        segment.table.plan(), {reinterpret_cast<std::uint64_t*>(begin + offset), words.size()});
    if (!table) {
      return bad_payload(offset + table.error().offset().value_or(0), table.error().detail());
    }
    keys_ += table->tally().keys;
    segment.table = std::move(*table);
  }
  return {};
}

Status check_quotient_header(const NativeHeader& header, const QuotientSegments& segments) {
  const auto check = [](std::uint64_t at, const char* field, std::uint64_t expected,
                        std::uint64_t found) -> Status {
    return expected == found
               ? Status()
               : bad_header_field(at, field, std::to_string(expected) + " as in the payload", found);
  };
  const QuotientShape& shape = segments.shape();
  BLOOMERY_RETURN_IF_ERROR(
      check(native_header::kHashCountAt, "remainder bits", shape.remainder_bits, header.hash_count));
  BLOOMERY_RETURN_IF_ERROR(
      check(native_header::kBitsAt, "quotients", shape.quotients << shape.depth, header.bits));
  return check(native_header::kInsertedAt, "inserted", segments.keys(), header.inserted);
}

// ---- the directory

void QuotientSegments::build_directory() {
  depth_ = std::ranges::max_element(segments_, {}, &Segment::depth)->depth;
  directory_.assign(std::size_t{1} << depth_, 0);
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    name_in_directory(i);
  }
}

void QuotientSegments::name_in_directory(std::uint32_t index) {
  const Segment& segment = segments_[index];
  const std::uint32_t below = depth_ - segment.depth;
  std::fill_n(directory_.begin() + static_cast<std::ptrdiff_t>(segment.prefix << below),
              std::size_t{1} << below, index);
}

std::vector<const QuotientSegments::Segment*> QuotientSegments::in_order() const {
  std::vector<const Segment*> ordered;
  ordered.reserve(segments_.size());
  for (std::size_t entry = 0; entry < directory_.size();) {
    ordered.push_back(&segments_[directory_[entry]]);
    entry += std::size_t{1} << (depth_ - ordered.back()->depth);
  }
  return ordered;
}

// ---- splitting

bool QuotientSegments::may_split(const Segment& segment) const {
  const std::uint32_t depth = segment.depth + 1;
  return !segment.stays && segment.table.plan().remainder_bits > 1 &&
         (depth <= depth_ || std::uint64_t{1} << depth <= kMostEntriesPerSegment * (segments_.size() + 1));
}

bool QuotientSegments::split(std::uint32_t index) {
  if (!may_split(segments_[index])) {
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
  const std::uint32_t depth = whole.depth + 1;
  const std::uint64_t prefix = whole.prefix * 2;
  segments_[index] = {.table = std::move(halves->first), .prefix = prefix, .depth = depth};
  segments_.push_back({.table = std::move(halves->second), .prefix = prefix + 1, .depth = depth});
  if (in_home_ == 0) {
    home_ = Storage();
  }
  const auto added = static_cast<std::uint32_t>(segments_.size() - 1);
  if (depth > depth_) {
    build_directory();
  } else {
    name_in_directory(added);
  }
  relieve(index);
  relieve(added);
  return true;
}

void QuotientSegments::relieve(std::uint32_t index) {
  const QuotientTable& table = segments_[index].table;
  if (is_over_limit(table.tally().slots, table.plan().quotients)) {
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
  if (depth_ == 0) {
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
  build_directory();
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
  std::uint64_t bytes = quotient_front_bytes(segments_.size());
  for (const Segment& segment : segments_) {
    bytes += segment.table.words().size_bytes();
  }
  return bytes;
}

SegmentedPayload::Image QuotientSegments::image() const {
  Image image;
  image.front.resize(quotient_front_bytes(segments_.size()));
  std::byte* const front = image.front.data();
  store_little(front, static_cast<std::uint32_t>(shape_.quotients));
  front[4] = static_cast<std::byte>(shape_.depth);
  front[5] = static_cast<std::byte>(shape_.remainder_bits);
  front[kGrowthAt] = static_cast<std::byte>(shape_.growth_doublings);
  store_little(front + kSegmentCountAt, std::uint64_t{segments_.size()});
  std::byte* depth = front + kDepthsAt;
  image.pieces.reserve(segments_.size());
  for (const Segment* const segment : in_order()) {
    *depth++ = static_cast<std::byte>(segment->depth);
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
