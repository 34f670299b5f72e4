// A table of keys with all their bytes, in order of arrival. It can count each key.
//
//   arena   | count | key size | key | line size | line |  | count | ...     chunks of 4 MiB;
//                                                                            a larger record has its own
//   table   hash -> address of the record in the arena                       hash_ordered_table.h
//
// A record has its count only if keys are counted, and its line only if lines are kept. Keys with the same
// hash are distinguished by their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "dedup/hash_ordered_table.h"

namespace bloomery {

class KeyTable {
 public:
  struct Keep {
    bool counts = false;
    bool lines = false;  // also keep the first line of each key, if the key is only a part of it
  };
  explicit KeyTable(Keep keep) : keep_(keep) {}

  // Inserts in order. lines[i] is the line of keys[i], whose hash is hashes[i]. Bit i of `answers` is set if
  // keys[i] was not in the table. Errors: kCapacity if memory is lacking; some keys of the batch are then in.
  Status test_and_insert_batch(std::span<const std::string_view> keys, std::span<const Hash128> hashes,
                               std::span<const std::string_view> lines, std::span<std::uint64_t> answers);

  std::uint64_t size() const { return table_.size(); }

  // Calls `use` for every key, in the order of their first lines, until it fails. It passes the kept line, or
  // the key if lines are not kept. Precondition: counts are kept.
  Status for_each(const std::function<Status(std::uint64_t count, std::string_view line)>& use) const;

 private:
  struct Place {
    std::uint32_t chunk = 0;
    std::uint32_t offset = 0;
  };
  struct Entry {
    std::uint64_t value;  // the hash, with 1 in place of 0
    Place place;
    std::uint64_t hash() const { return value; }
  };
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t used = 0;
    std::size_t size = 0;
  };

  Result<bool> test_and_insert(std::string_view key, std::uint64_t hash, std::string_view line);
  Result<Place> append(std::string_view key, std::string_view line);
  Result<char*> room_for(std::size_t size);
  void prefetch_record(std::uint64_t hash);
  char* record_at(const Place& place) const { return chunks_[place.chunk].bytes.get() + place.offset; }
  std::size_t count_bytes() const { return keep_.counts ? sizeof(std::uint64_t) : 0; }
  // Returns the key of a record. Sets `behind` to the byte that follows it.
  std::string_view key_of(const char* record, const char** behind = nullptr) const;

  Keep keep_;
  std::vector<Chunk> chunks_;
  HashOrderedTable<Entry> table_;
};

}  // namespace bloomery
