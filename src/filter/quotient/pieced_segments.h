// The quotient filter of a file in the memory of a server: its segments as quotient_segments.h has them, over
// pages that copies share.
//
//   payload of the file     front | segment 0 | segment 1 | ...
//   here                    front, made when it is read | PagedSegments
//
// Inserts, erases and splits give the bytes that QuotientSegments gives after the same calls. The CRC of each
// table follows its changes (TouchedWords), so the time of a step does not grow with the payload.
//
// An insert that may split a segment works on a copy of the filter, which shares all other tables. So a
// refused key leaves no trace: the filter would exceed its limit, memory is lacking, or the table is full and
// cannot split. The library keeps the splits that it made before it refuses a key for the last reason.
//
// Not here: exceptions, counts, the file (filter/any/pieced_file.h); its load (segments_load.h). Threads: one
// thread changes the segments, and copies them. Other threads may release copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/quotient/paged_segments.h"
#include "filter/quotient/quotient_front.h"

namespace bloomery {

// A larger file is refused, and a file does not grow beyond these bounds. So its front is small, and each
// step of a load: a table is verified in one step.
inline constexpr std::uint64_t kMostFileSegments = std::uint64_t{1} << 14;
inline constexpr std::uint64_t kMostFileQuotients = kMostQuotients;

class PiecedSegments {
 public:
  // Makes empty segments.
  explicit PiecedSegments(const QuotientFront& front);
  // Fills a segment, by its number in the order of hashes. Errors: kCorruption, with the offset in the file,
  // unless it is a valid quotient table of the segment's size; kCapacity if memory is lacking.
  Status load(std::size_t segment, std::span<const std::byte> bytes);

  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
    tables_.may_contain(hashes, answers);
  }
  std::uint64_t count(const Hash128& hash) const { return PagedSegments::count(tables_.spot_of(hash.low)); }
  void prefetch_places(const Hash128& hash) const { tables_.prefetch_group(hash.low); }
  void prefetch(const Hash128& hash) const { tables_.prefetch_table(hash.low); }
  // Inserts one copy. The outcome is kKnown if the hash may have been in, or else kNew; kOverLimit if the
  // payload would exceed `most_payload_bytes`, or have more than kMostFileSegments; kFull; kNoMemory.
  Added insert(const Hash128& hash, std::uint64_t most_payload_bytes);
  // Removes one copy.
  Removed remove(const Hash128& hash);
  void begin_step() {}

  const QuotientShape& shape() const { return shape_; }
  std::uint64_t keys() const { return tables_.keys(); }
  std::size_t segment_count() const { return directory().segment_count(); }
  // Returns the bytes of a segment, and the offset in the payload where it begins.
  std::uint64_t bytes_of(std::size_t segment) const {
    return directory().table_bytes(tables_.index_of(segment));
  }
  std::uint64_t begin_of(std::size_t segment) const {
    return front_bytes() + directory().in_order(segment).begin;
  }
  std::uint64_t payload_bytes() const { return front_bytes() + directory().size_bytes(); }
  std::uint32_t payload_crc() const;
  std::uint64_t memory_bytes() const;
  // Copies bytes of the payload. Precondition: offset + out.size() <= payload_bytes().
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  struct Kept {
    std::uint32_t crc;   // of the table
    bool stays = false;  // its keys do not fit two tables; another try would have the same result
  };

  const SegmentDirectory& directory() const { return tables_.directory(); }
  std::uint64_t front_bytes() const { return quotient_front_bytes(segment_count()); }
  std::vector<std::byte> front() const;
  bool may_split(std::uint32_t index) const;
  bool is_near_split(const PagedSegments::Spot& spot) const;
  Added insert_unsplit(std::uint64_t hash);
  Added insert_and_split(std::uint64_t hash);
  Added split(std::uint64_t hash);
  Added relieve(std::uint64_t hash);
  void note_table(std::uint32_t index);

  QuotientShape shape_;
  PagedSegments tables_;
  std::vector<Kept> kept_;  // by the indexes of the directory
};

}  // namespace bloomery
