// The segments of a quotient filter: quotient tables of one size, chosen by the leading bits of a hash. A
// full segment splits in two.
//
//    directory                  2^D entries; the D leading bits of a hash choose one (extendible hashing)
//    +----+----+----+----+
//    | 00 | 01 | 10 | 11 |      D = 2
//    +-+--+-+--+-+--+-+--+
//      |    |     \  /
//      v    v      vv
//    +----+----+ +----+
//    | 00 | 01 | | 1  |         segment: depth d and prefix
//    +----+----+ +----+         depths 2, 2 and 1
//
// A segment has the hashes whose d leading bits are its prefix, each shifted left by d. They are in a
// QuotientTable of m quotients and r - (d - d0) remainder bits. The shape is m together with d0 and r, the
// depth and the remainder bits of the first segments.
//
// So the fingerprint of a hash is the same number at any depth, floor(h * 2^d0 * m * 2^r / 2^64). A deeper
// segment gets one bit more of it from the directory, and keeps one bit less as a remainder. Therefore a
// segment splits without its keys and loses nothing. A call reads one segment. A split rewrites one segment,
// which has about kMostQuotients slots at most, regardless of the filter's size.
//
// A segment splits when an insert has raised its load above 98 %, or when its table has refused an insert.
// Three cases prevent a split:
//
//   - The segment has one remainder bit left.
//   - The directory would get more than kMostEntriesPerSegment entries for each segment. Even hashes are far
//     from that.
//   - Memory is lacking.
//
// A segment that cannot split accepts keys until its table refuses them.
//
// Bytes. The depths of the segments follow from the keys that were ever in at the same time. They are the
// same for equal multisets that grew by inserts and merges alone, in any order, unless keys were refused.
// Removing does not merge segments. With equal depths, equal multisets have equal bytes.
//
// Source: Fagin, Nievergelt, Pippenger and Strong, "Extendible Hashing" (1979). Splitting fingerprints
// instead of keys is the doubling of Bender et al. (2012), see quotient_table.h. Threads: several readers may
// run together; a writer is alone. Not here: exceptions, the header, the form of keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/quotient_range.h"
#include "bloomery/filter/quotient_sizing.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/filter_body.h"
#include "filter/native/storage.h"
#include "filter/quotient/quotient_table.h"

namespace bloomery {

class QuotientSegments;

// Checks the header fields that repeat values of the payload. Errors: kCorruption.
Status check_quotient_header(const NativeHeader& header, const QuotientSegments& segments);

class QuotientSegments final : public SegmentedPayload {
 public:
  static Result<std::unique_ptr<QuotientSegments>> create(const QuotientShape& shape);
  // Opens the segments in a payload at an address that is a multiple of 8. Reads every word and verifies
  // every table. Errors: kCorruption, with the offset in the file.
  static Result<std::unique_ptr<QuotientSegments>> over(Storage payload);
  // Opens the segments of a payload whose bytes are still arriving in place. Verifies nothing yet.
  // Precondition: the front, which has the shape and the depths, has arrived (see front_bytes_in()).
  static Result<std::unique_ptr<QuotientSegments>> over_coming(Storage payload);
  // Verifies the segments whose words end in the first `bytes` bytes of the payload, each once. A segment
  // must not be queried before. Errors: kCorruption, with the offset in the file.
  Status prove_first(std::uint64_t bytes);
  bool is_proven() const { return proven_ == segments_.size(); }
  // Returns the size of a payload's front from its first 16 bytes, or nothing if there are fewer.
  static std::optional<std::uint64_t> front_bytes_in(std::span<const std::byte> payload);

  // Adds `times` to the count of a hash. Returns false if the filter is full. Its keys are then the same as
  // before.
  bool insert(std::uint64_t hash, std::uint64_t times = 1);
  // Returns false if the key is certainly absent.
  bool erase(std::uint64_t hash);
  bool contains(std::uint64_t hash) const {
    const Segment& segment = segments_[index_of(hash)];
    return segment.table.contains(hash << segment.depth);
  }
  std::uint64_t count(std::uint64_t hash) const {
    const Segment& segment = segments_[index_of(hash)];
    return segment.table.count(hash << segment.depth);
  }
  void contains_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Calls use(i) for each hash i. Prefetches the table words of later hashes.
  template <typename Use>
  void for_each_ahead(std::span<const Hash128> hashes, Use use) const;

  // Merges another filter of the same shape. Errors: kInvalidArgument, kCapacity; then nothing has changed.
  Status merge(const QuotientSegments& other);

  const QuotientShape& shape() const { return shape_; }
  std::uint64_t keys() const { return keys_; }
  std::uint64_t segment_count() const { return segments_.size(); }
  std::uint64_t fingerprints() const;
  double load() const;
  double fpp() const;
  double estimated_count() const;
  void for_each(const std::function<void(const QuotientRange&)>& use) const;

  bool is_writable() const override { return writable_; }
  std::uint64_t byte_size() const override;
  const MappedFile* mapping() const override { return home_.mapping(); }
  Image image() const override;
  void clear() override;

 private:
  struct Segment {
    QuotientTable table;
    std::uint64_t prefix = 0;
    std::uint32_t depth = 0;
    bool is_in_home = false;
    bool stays = false;  // a split has failed and is not tried again
  };
  class Uniter;

  QuotientSegments(const QuotientShape& shape, Storage home)
      : shape_(shape), home_(std::move(home)), writable_(home_.is_writable()) {}

  std::uint32_t index_of(std::uint64_t hash) const { return directory_[hash >> 1 >> (63 - depth_)]; }
  QuotientPlan plan_at(std::uint32_t depth) const {
    return {.quotients = shape_.quotients, .remainder_bits = shape_.remainder_bits - (depth - shape_.depth)};
  }
  static Result<std::unique_ptr<QuotientSegments>> over_front(Storage payload);
  Status open_segments(std::span<const std::byte> depths);
  Status check_depths(std::span<const std::byte> depths) const;
  void build_directory();
  void name_in_directory(std::uint32_t index);
  bool may_split(const Segment& segment) const;
  // Splits a segment, and then its halves if they need it. Returns false if the segment stays as it is.
  bool split(std::uint32_t index);
  void relieve(std::uint32_t index);
  std::vector<const Segment*> in_order() const;

  QuotientShape shape_;
  Storage home_;  // the words of segments that have no memory of their own
  bool writable_;
  std::uint64_t in_home_ = 0;  // how many segments have their words in home_
  std::size_t proven_ = 0;     // how many segments of an opened payload were verified
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> directory_;
  std::uint32_t depth_ = 0;  // D, the depth of the directory
  std::uint64_t keys_ = 0;
};

template <typename Use>
void QuotientSegments::for_each_ahead(std::span<const Hash128> hashes, Use use) const {
  constexpr std::size_t kAhead = 16;
  const auto ask = [&](std::size_t i) {
    const Segment& segment = segments_[index_of(hashes[i].low)];
    segment.table.prefetch(hashes[i].low << segment.depth);
  };
  for (std::size_t i = 0; i < std::min(kAhead, hashes.size()); ++i) {
    ask(i);
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) {
      ask(i + kAhead);
    }
    use(i);
  }
}

}  // namespace bloomery
