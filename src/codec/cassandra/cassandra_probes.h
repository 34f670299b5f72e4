// The positions of a key's bits in a filter of Cassandra with m = 64 W bits.
//
//   h1, h2   the words of the hash of the key (murmur3_x64_128_signed_tail)
//   c        from sstable version ma on: h2, h2 + h1, h2 + 2 h1, ...    before: h1, h1 + h2, h1 + 2 h2, ...
//   bit      the absolute value of c as a signed number, mod m
//
// Source: docs/formats/cassandra.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/endian.h"
#include "bloomery/hash/hash128.h"
#include "codec/modulo.h"
#include "codec/stepped_fpp.h"
#include "hash/murmur3_x64_128.h"

namespace bloomery {

enum class CassandraProbeOrder : std::uint8_t { kFirstHalfFirst, kSecondHalfFirst };

// Returns the hash of the bytes of a partition key. Its `low` word is the token of Murmur3Partitioner, except
// that the partitioner replaces -2^63 by 2^63 - 1.
inline Hash128 cassandra_hash(std::string_view key) {
  if (key.size() == 8) {
    const std::uint64_t word = load_little64(reinterpret_cast<const std::byte*>(key.data()));
    return murmur3_x64_128_of_long(murmur3::sign_extended_bytes(word));
  }
  return murmur3_x64_128_signed_tail(key);
}

class CassandraProbes {
 public:
  struct Probe {
    std::uint64_t at;
    std::uint64_t step;
  };

  CassandraProbes(std::uint64_t bits, std::uint32_t hash_count, CassandraProbeOrder order)
      : bits_(bits), wide_(bits), hash_count_(hash_count), order_(order) {}

  std::uint32_t hash_count() const { return hash_count_; }
  CassandraProbeOrder order() const { return order_; }
  const WideModulo& wide() const { return wide_; }
  // Returns the probe of a random key with these first two positions.
  Probe sample(std::uint64_t first, std::uint64_t second, SampleNumbers& numbers) const {
    const auto value = [&](std::uint64_t position) {
      const std::uint64_t number = numbers.with_rest(position, bits_.divisor(), ~std::uint64_t{0} >> 1);
      return numbers.next() >> 63 != 0 ? 0 - number : number;
    };
    const std::uint64_t at = value(first);
    return {.at = at, .step = value(second) - at};
  }
  Probe begin(std::string_view key) const { return begin(cassandra_hash(key)); }
  Probe begin(const Hash128& hash) const {
    return order_ == CassandraProbeOrder::kSecondHalfFirst ? Probe{.at = hash.high, .step = hash.low}
                                                           : Probe{.at = hash.low, .step = hash.high};
  }
  std::uint64_t next(Probe& probe) const {
    const std::uint64_t at = std::exchange(probe.at, probe.at + probe.step);
    return bits_.of((at >> 63) != 0 ? 0 - at : at);
  }

 private:
  Modulo bits_;
  WideModulo wide_;
  std::uint32_t hash_count_;
  CassandraProbeOrder order_;
};

}  // namespace bloomery
