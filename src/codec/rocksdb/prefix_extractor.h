// RocksDB's own prefix extractors: they define which prefix of a key a prefix filter contains.
//
//   option     name in a table's properties   prefix of a key
//   fixed:N    rocksdb.FixedPrefix.N          its first N bytes; a shorter key has no prefix
//   capped:N   rocksdb.CappedPrefix.N         its first N bytes, or all of it if it is shorter
//   noop       rocksdb.Noop                   all of it
//
// A key without a prefix is in no prefix filter, so such a filter cannot answer for it.
// Source: RocksDB 11.8, util/slice.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery {

class RocksDbPrefixExtractor {
 public:
  // Reads an option, or a name from a table. Errors: kInvalidArgument.
  static Result<RocksDbPrefixExtractor> parse(std::string_view text);

  std::optional<std::string_view> prefix_of(std::string_view key) const;
  // Returns the name in a table's properties.
  std::string name() const;

  friend bool operator==(const RocksDbPrefixExtractor&, const RocksDbPrefixExtractor&) = default;

 private:
  enum class Kind { kFixed, kCapped, kNoop };

  RocksDbPrefixExtractor(Kind kind, std::size_t bytes) : kind_(kind), bytes_(bytes) {}

  Kind kind_;
  std::size_t bytes_;
};

}  // namespace bloomery
