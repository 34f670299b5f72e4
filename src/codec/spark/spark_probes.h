// The positions of a key's bits in Spark's two versions, in a filter of m = 64 W bits.
//
//   h1 = H(key, seed), h2 = H(key, h1), both i32, with H = spark_murmur3_x86_32; the seed is 0 in version 1
//   version 1   c = h1 + i h2 for i = 1..k in 32 bits with overflow
//   version 2   c = h1 (2^31 - 1) + i h2 for i = 1..k in 64 bits
//
// The bit is c mod m, or ~c mod m for a negative c. The next c follows from c itself, not from ~c.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/endian.h"
#include "codec/int_steps.h"
#include "codec/modulo.h"
#include "codec/stepped_fpp.h"
#include "hash/murmur3_x86_32.h"

namespace bloomery {

struct SparkHashes {
  std::uint32_t first;
  std::uint32_t second;
};

inline SparkHashes spark_hashes(std::string_view key, std::uint32_t seed) {
  if (key.size() == 8) {
    const std::uint64_t word = load_little64(reinterpret_cast<const std::byte*>(key.data()));
    const std::uint32_t first = murmur3_x86_32_of_long(word, seed);
    return {.first = first, .second = murmur3_x86_32_of_long(word, first)};
  }
  const std::uint32_t first = spark_murmur3_x86_32(key, seed);
  return {.first = first, .second = spark_murmur3_x86_32(key, first)};
}

class SparkV1 : public IntSteps {
 public:
  SparkV1(std::uint64_t bits, std::uint32_t hash_count) : IntSteps(bits, hash_count), wide_(bits) {}

  const WideModulo& wide() const { return wide_; }
  Probe begin(std::string_view key) const {
    const SparkHashes hashes = spark_hashes(key, 0);
    return {.at = hashes.first, .step = hashes.second};
  }

 private:
  WideModulo wide_;
};

class SparkV2 {
 public:
  struct Probe {
    std::uint64_t at;
    std::uint64_t step;
  };

  // Precondition: bits > 0.
  SparkV2(std::uint64_t bits, std::uint32_t hash_count, std::uint32_t seed)
      : bits_(bits), wide_(bits), hash_count_(hash_count), seed_(seed) {}

  std::uint32_t hash_count() const { return hash_count_; }
  std::uint32_t seed() const { return seed_; }
  const WideModulo& wide() const { return wide_; }
  // Returns the probe of a random key with these first two positions. Its c are never negative: a negative
  // c would walk backwards, which makes no difference for random keys.
  Probe sample(std::uint64_t first, std::uint64_t second, SampleNumbers& numbers) const {
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 60;
    constexpr std::uint64_t kMostStep = 0x7fffffff;
    const std::uint64_t bits = bits_.divisor();
    const std::uint64_t rest = second >= first ? second - first : second + bits - first;
    const std::uint64_t at = kLeast - kLeast % bits + numbers.with_rest(first, bits, kLeast);
    if (rest > kMostStep || (numbers.next() >> 63 != 0 && bits - rest <= kMostStep)) {
      const std::uint64_t down = numbers.with_rest(bits - rest, bits, std::max(kMostStep, bits - rest));
      return {.at = at + down, .step = 0 - down};
    }
    const std::uint64_t up = numbers.with_rest(rest, bits, kMostStep);
    return {.at = at - up, .step = up};
  }
  Probe begin(std::string_view key) const {
    const SparkHashes hashes = spark_hashes(key, seed_);
    return {.at = extended(hashes.first) * 0x7fffffff, .step = extended(hashes.second)};
  }
  std::uint64_t next(Probe& probe) const {
    probe.at += probe.step;
    const std::uint64_t sign = std::uint64_t{0} - (probe.at >> 63);  // all ones for a negative number
    return bits_.of(probe.at ^ sign);
  }

 private:
  static std::uint64_t extended(std::uint32_t value) {
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
  }

  Modulo bits_;
  WideModulo wide_;
  std::uint32_t hash_count_;
  std::uint32_t seed_;
};

}  // namespace bloomery
