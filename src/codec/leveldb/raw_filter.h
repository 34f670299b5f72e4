// One Bloom filter of LevelDB ("leveldb.BuiltinBloomFilter2"), as its policy makes it from a list of keys.
//
//   bits, LSB first | u8 k
//
//   k      = trunc(bits per key * 0.69), from 1 to 30
//   bits   = max(64, keys * bits per key), rounded up to whole bytes
//   probes:  h = leveldb_hash(key), step = rotr(h, 17);  k times: bit h mod bits, h += step (32 bits)
//
// A repeated key counts each time for the size. A filter whose k is 0 or above 30 matches everything.
// Source: docs/formats/leveldb.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codec/modulo32.h"
#include "hash/leveldb_hash.h"

namespace bloomery {

inline constexpr std::uint32_t kLevelDbMaxHashCount = 30;

// A ProbeScheme (codec/probes.h).
class LevelDbProbes {
 public:
  struct Probe {
    std::uint32_t h;
    std::uint32_t step;
  };

  // Precondition: bits > 0.
  LevelDbProbes(std::uint64_t bits, std::uint32_t hash_count) : bits_(bits), hash_count_(hash_count) {}

  Probe begin(std::string_view key) const { return begin(leveldb_hash(key, TailBytes::kUnsigned)); }
  Probe begin(std::uint32_t hash) const { return {hash, std::rotr(hash, 17)}; }
  std::uint64_t next(Probe& probe) const {
    const std::uint64_t position = bits_.of(probe.h);
    probe.h += probe.step;
    return position;
  }
  std::uint32_t hash_count() const { return hash_count_; }

 private:
  Modulo32 bits_;
  std::uint32_t hash_count_;
};

std::uint32_t leveldb_hash_count(std::int64_t bits_per_key);
// Returns the bytes of the bits, without the byte of k.
std::uint64_t leveldb_bit_bytes(std::uint64_t key_count, std::int64_t bits_per_key);

// Whether k makes a filter match every key.
constexpr bool leveldb_matches_all(std::uint32_t hash_count) {
  return hash_count == 0 || hash_count > kLevelDbMaxHashCount;
}

// Whether a filter of at least 2 bytes may have been given a key of this hash.
bool leveldb_may_match(std::span<const std::byte> filter, std::uint32_t hash);
// Appends the filter of these keys' hashes.
void append_leveldb_filter(std::span<const std::uint32_t> hashes, std::int64_t bits_per_key,
                           std::string& out);

// The size and fill of one filter.
struct LevelDbFilterCount {
  std::uint64_t bits = 0;
  std::uint64_t set_bits = 0;
  std::uint32_t hash_count = 0;

  double fpp() const;
};
// Precondition: the filter has at least 2 bytes.
LevelDbFilterCount count_leveldb_filter(std::span<const std::byte> filter);

}  // namespace bloomery
