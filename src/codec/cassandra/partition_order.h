// The order of partitions in an sstable: by the token that the partitioner makes of a key, then by the key's
// bytes as unsigned numbers.
//
//   Murmur3Partitioner       the first word of the key's hash, signed; 2^63 - 1 in place of -2^63
//   RandomPartitioner        the absolute value of the key's MD5 as a signed big-endian number
//   ByteOrderedPartitioner   none: the order of the bytes
//
// Source: docs/formats/cassandra.md. Not here: partitioners that compare values by their type.
#pragma once

#include <optional>
#include <string_view>

#include "bloomery/base/uint128.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

class PartitionOrder {
 public:
  enum class Partitioner { kMurmur3, kRandom, kByteOrdered };

  explicit PartitionOrder(Partitioner partitioner) : partitioner_(partitioner) {}
  // Returns nothing for a class that is not in the list above.
  static std::optional<PartitionOrder> of(std::string_view partitioner_class);

  Partitioner partitioner() const { return partitioner_; }
  // Returns a number that orders keys by their tokens. `hash` is cassandra_hash(key).
  Uint128 rank(std::string_view key, const Hash128& hash) const {
    return partitioner_ == Partitioner::kMurmur3 ? rank_of_hash(hash) : other_rank(key);
  }
  // Returns the 64 bits of Murmur3Partitioner's token with an inverted sign.
  static std::uint64_t rank_of_hash(const Hash128& hash) {
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 63;
    return hash.low == kLeast ? ~std::uint64_t{0} : hash.low ^ kLeast;
  }

 private:
  Uint128 other_rank(std::string_view key) const;

  Partitioner partitioner_;
};

}  // namespace bloomery
