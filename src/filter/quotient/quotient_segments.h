// The segments of a quotient filter: quotient tables of one size, chosen by the leading bits of a hash. A
// full segment splits in two.
//
// A directory finds the segment of a hash by its leading bits (segment_directory.h). A segment has a depth d
// and a prefix: it has the hashes whose d leading bits are its prefix, each shifted left by d. They are in a
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
// Source: segment_directory.h. Splitting fingerprints instead of keys is the doubling of Bender et al. (2012),
// see quotient_table.h. Threads: several readers may run together; a writer is alone. Not here: exceptions,
// the header, the form of keys.
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
#include "filter/quotient/segment_directory.h"

namespace bloomery {

class QuotientSegments final : public SegmentedPayload {
 public:
  static Result<std::unique_ptr<QuotientSegments>> create(const QuotientShape& shape);
  // Opens the segments in a payload at an address that is a multiple of 8. Reads every word and verifies
  // every table. Errors: kCorruption, with the offset in the file.
  static Result<std::unique_ptr<QuotientSegments>> over(Storage payload);

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

  // Makes segments of these depths, one after the other in `home` from `begin` on, and checks none.
  QuotientSegments(const QuotientShape& shape, std::span<const std::byte> depths, Storage home,
                   std::uint64_t begin);

  std::uint32_t index_of(std::uint64_t hash) const { return directory_.index_of(hash); }
  Status check_tables();
  bool may_split(std::uint32_t index) const;
  // Splits a segment, and then its halves if they need it. Returns false if the segment stays as it is.
  bool split(std::uint32_t index);
  void relieve(std::uint32_t index);
  std::vector<const Segment*> in_order() const;

  QuotientShape shape_;
  Storage home_;  // the words of segments that have no memory of their own
  bool writable_;
  std::uint64_t in_home_;  // how many segments have their words in home_
  SegmentDirectory directory_;
  std::vector<Segment> segments_;  // by the indexes of the directory
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
