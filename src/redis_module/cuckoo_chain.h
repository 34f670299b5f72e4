// A cuckoo filter of RedisBloom: a chain of tables of fingerprints. Keys have this layout if they came from
// RedisBloom by CF.LOADCHUNK; they answer as they did there.
//
//   hash          h = murmur64a(item, 0)
//   fingerprint   f = h mod 255 + 1, a byte; 0 is an empty slot
//   buckets       h mod b and (h ^ f 5bd1e995) mod b, where table i has b = buckets * expansion^i buckets
//   slot j        byte bucket * bucket size + j of the table
//
//   header        u64 items | u64 buckets of table 0 | u64 deleted | u64 tables | u16 bucket size |
//                 u16 iterations | u16 expansion
//
// An item is inserted into the first empty slot of its two buckets, in the newest table that has one. If none
// has, an insert into the newest table moves fingerprints to their other buckets, at most `iterations` times.
// If that finds no empty slot, nothing is moved and the chain gets another table, unless `expansion` is 0.
//
// A delete clears one slot, first in the newest table. A deleted item that was never added may clear the
// slot of another item, as in every cuckoo filter.
//
// Difference: RedisBloom moves fingerprints to older tables when a tenth of the items is deleted. This class
// never does. So its answers are those of RedisBloom until the first such move; an item that is in is maybe
// in both.
//
// Invariants: `expansion` is 0 or a power of two, so the two buckets of a fingerprint determine each other.
// A table has at most 2^32 bytes, since RedisBloom computes slots in 32 bits.
//
// Source: the dumps and answers of RedisBloom 2.8.20 (tests/golden/redisbloom-cuckoo).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "filter/native/growing_plan.h"
#include "filter/pages/paged_words.h"

namespace bloomery::redis_module {

inline constexpr std::size_t kCuckooHeaderBytes = 38;

class CuckooChain {
 public:
  struct Header {
    std::uint64_t items = 0;
    std::uint64_t buckets = 0;  // of the first table
    std::uint64_t deleted = 0;
    std::uint64_t tables = 0;
    std::uint16_t bucket_size = 0;
    std::uint16_t most_iterations = 0;
    std::uint16_t expansion = 0;  // 0: no growth
  };

  // Makes the empty tables of a header. Errors: kCorruption, kCapacity.
  static Result<CuckooChain> of_header(std::span<const std::byte> bytes);
  std::string header_bytes() const;
  const Header& header() const { return header_; }

  std::size_t table_count() const { return tables_.size(); }
  std::uint64_t bytes_of(std::size_t table) const;
  const PagedWords& words_of(std::size_t table) const { return tables_[table]; }
  PagedWords& words_of(std::size_t table) { return tables_[table]; }
  std::uint64_t slot_count() const;
  double current_fpp() const;

  bool may_contain(std::string_view item) const { return count(item) != 0; }
  // Returns how many slots have the fingerprint of an item in its buckets.
  std::uint64_t count(std::string_view item) const;
  // Precondition of both: begin_step() was called for the command.
  Added add(std::string_view item, AddWhen when, std::uint64_t most_bytes);
  Removed remove(std::string_view item);
  void begin_step();

 private:
  struct Place {
    std::size_t table;
    std::uint64_t byte;
  };
  struct ItemHash {
    std::uint64_t first;
    std::uint64_t second;
    std::uint8_t fingerprint;
  };

  static ItemHash hash_item(std::string_view item);
  std::uint64_t buckets_of(std::size_t table) const;
  std::uint8_t byte_at(const Place& place) const;
  // Finds the first slot with `byte` in a bucket.
  std::optional<Place> find_in_bucket(std::size_t table, std::uint64_t bucket, std::uint8_t byte) const;
  // Finds the first slot with `byte` in the buckets of an item, from the newest table on.
  std::optional<Place> find(const ItemHash& hash, std::uint8_t byte) const;
  // Writes a byte. Precondition: PagedWords::ready() has returned true for this write.
  void put_byte(const Place& place, std::uint8_t byte);
  // Writes a byte. Returns false if memory is lacking.
  bool set_byte(const Place& place, std::uint8_t byte);
  // Inserts into the newest table by moving fingerprints. Returns kFull if no slot was found.
  Added move_and_insert(const ItemHash& hash);
  // Appends a table. Returns kNew if it was made.
  Added grow(std::uint64_t most_bytes);

  Header header_;
  std::vector<PagedWords> tables_;
};

}  // namespace bloomery::redis_module
