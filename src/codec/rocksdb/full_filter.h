// One full filter of RocksDB: its data, followed by five bytes that identify its kind. All three kinds have
// the same policy name. t is the first of the five bytes.
//
//   no bytes at all                 the filter has no keys
//   t = 00                          matches every key
//   t = 01 .. 7f, u32 lines         legacy; t is k
//   t = ff, 00, k, 00, 00           fastlocal, of 64-byte lines
//   t = fe, u8 seed, u24 blocks     ribbon
//   other t                         reserved; matches every key
//
// If the fields contradict the size, the filter matches every key, as in RocksDB.
//
// A filter of one to five bytes is an error here. RocksDB treats it as a filter without keys and answers no.
// One exception is a legacy filter without cache lines, which old releases wrote as five bytes: it has no
// keys. Source: docs/formats/rocksdb.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/rocksdb/bloom_probes.h"
#include "codec/rocksdb/ribbon.h"
#include "codec/word_bits.h"

namespace bloomery {

inline constexpr std::size_t kRocksDbTrailerBytes = 5;

struct RocksDbNoKeys {};
struct RocksDbMatchesAll {
  const char* reason;
};
struct RocksDbRibbon {
  RocksDbRibbonShape shape;
  std::uint8_t seed;
};
using RocksDbScheme = std::variant<RocksDbNoKeys, RocksDbMatchesAll, RocksDbLegacyProbes,
                                   RocksDbFastLocalProbes, RocksDbRibbon>;

// Reads the last bytes of a filter. `offset` is the filter's offset in its file, for
// messages. Errors: kCorruption.
Result<RocksDbScheme> read_rocksdb_trailer(std::span<const std::byte> filter, std::uint64_t offset);

class RocksDbFullFilter {
 public:
  // Copies the bytes, which are charged to `memory`. Errors: kCorruption, kCapacity.
  static Result<RocksDbFullFilter> open(std::span<const std::byte> filter, std::uint64_t offset,
                                        MemoryShare memory = {});

  const RocksDbScheme& scheme() const { return scheme_; }
  bool is_bloom() const {
    return std::holds_alternative<RocksDbLegacyProbes>(scheme_) ||
           std::holds_alternative<RocksDbFastLocalProbes>(scheme_);
  }
  // Returns "legacy", "fastlocal" or "ribbon"; "empty" or "always true" for a filter of no kind.
  const char* kind_name() const;

  bool may_contain(std::string_view key) const;
  void may_contain_batch(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const;
  // Returns the number of keys that changed a bit. Precondition: is_bloom().
  std::uint64_t insert_batch(std::span<const std::string_view> keys);

  // Returns the bits, set bits and k.
  DialectFacts facts() const;
  double fpp() const;
  // Errors: kUnsupported for a ribbon; kCapacity if every key matches.
  Result<double> estimated_count() const;
  Status write(const DialectFilter::Sink& sink) const;

 private:
  RocksDbFullFilter(RocksDbScheme scheme, WordBits data, std::size_t data_bytes,
                    std::span<const std::byte> trailer, MemoryShare memory)
      : scheme_(scheme),
        data_(std::move(data)),
        data_bytes_(data_bytes),
        trailer_(trailer.begin(), trailer.end()),
        memory_(std::move(memory)) {}

  // Calls use() with the words of each cache line.
  template <typename Use>
  void for_each_line(Use use) const;
  std::uint32_t hash_count() const;

  RocksDbScheme scheme_;
  WordBits data_;
  std::size_t data_bytes_;
  std::vector<std::byte> trailer_;
  MemoryShare memory_;
};

}  // namespace bloomery
