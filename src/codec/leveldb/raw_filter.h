// One Bloom filter of LevelDB ("leveldb.BuiltinBloomFilter2"), as its policy builds it from a list of keys.
//
//   bits, LSB first | u8 k
//
//   k      = trunc(bits per key * 0.69), from 1 to 30
//   bits   = max(64, keys * bits per key), rounded up to full bytes
//   probes:  h = leveldb_hash(key), step = rotr(h, 17);  k times: bit h mod bits, h += step (32 bits)
//
// Every copy of a repeated key counts for the size. A filter with k = 0 or k > 30 matches everything.
// Source: docs/formats/leveldb.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codec/modulo32.h"
#include "codec/stepped_fpp.h"
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
  // Returns the probe of a random key with these first two positions. In a real key h determines the step,
  // but hardly its remainder modulo the few bits of a filter.
  Probe sample(std::uint64_t first, std::uint64_t second, SampleNumbers& numbers) const {
    const auto value = [&](std::uint64_t position) {
      return static_cast<std::uint32_t>(numbers.with_rest(position, bits_.divisor(), 0xffffffff));
    };
    const std::uint32_t at = value(first);
    return {.h = at, .step = value(second) - at};
  }
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
// Returns the size of the bits in bytes, without the byte of k.
std::uint64_t leveldb_bit_bytes(std::uint64_t key_count, std::int64_t bits_per_key);

// Returns true if this k makes a filter match every key.
constexpr bool leveldb_matches_all(std::uint32_t hash_count) {
  return hash_count == 0 || hash_count > kLevelDbMaxHashCount;
}

// Returns true if a filter of at least 2 bytes may contain a key with this hash.
bool leveldb_may_match(std::span<const std::byte> filter, std::uint32_t hash);
// Appends the filter of these keys' hashes.
void append_leveldb_filter(std::span<const std::uint32_t> hashes, std::int64_t bits_per_key,
                           std::string& out);

// The size and fill of one filter.
struct LevelDbFilterCount {
  std::uint64_t bits = 0;
  std::uint64_t set_bits = 0;
  std::uint32_t hash_count = 0;

  // Returns the likely number of keys that set these bits; 0 if the filter matches every key.
  double keys() const;
};
// Precondition: the filter has at least 2 bytes.
LevelDbFilterCount count_leveldb_filter(std::span<const std::byte> filter);
// Estimates the fpp of the filter with at most `samples` samples (codec/stepped_fpp.h). Precondition: `count`
// belongs to this filter.
double leveldb_fpp(std::span<const std::byte> filter, const LevelDbFilterCount& count, std::uint64_t samples,
                   SampleNumbers& numbers);

}  // namespace bloomery
