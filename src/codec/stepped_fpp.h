// Computes the fpp, from the filter's own bits, of a filter in which each next bit of a key is one step from
// the last.
//
// The usual formula fill^k assumes that the k bits of a key are independent. They are not:
//
//   step 0 mod m        all k bits coincide; one key in m has such a step
//   step m/2, m/3, ...  the key has only two, three ... different bits
//   shared sequences    the bits of an absent key may be a shifted sequence of an inserted key
//
// So the fpp does not fall below about fill / m, however small fill^k is: in 64 bits that is some 100,000
// times fill^k. How often it happens depends on how the sum of the steps wraps, which differs between
// systems. Therefore keys are sampled: the first two bits are chosen among the set bits, and the scheme
// computes the others.
//
//   few bits are set     fill^2 times the share of samples whose bits are all set
//   many bits are set    fill^k, plus the same share for steps that soon return to their first bit
//   fill^k m is large    fill^k, since the correction is negligible
//
// The samples are always the same, so a filter has one fpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "bloomery/base/uint128.h"
#include "codec/probes.h"
#include "codec/word_bits.h"

namespace bloomery {

// A sequence of pseudo-random numbers: SplitMix64 (Steele, Lea, Flood 2014).
class SampleNumbers {
 public:
  SampleNumbers() = default;
  explicit SampleNumbers(std::uint64_t state) : state_(state) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t value = state_;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
  }
  // Returns a number below `end`. Precondition: end > 0.
  std::uint64_t below(std::uint64_t end) { return static_cast<std::uint64_t>((Uint128{next()} * end) >> 64); }
  // Returns a number up to `last` that is congruent to `rest` modulo `divisor`, or `rest` itself if that is
  // above `last`. Precondition: rest < divisor; last < 2^63, or divisor > 1.
  std::uint64_t with_rest(std::uint64_t rest, std::uint64_t divisor, std::uint64_t last) {
    return rest + divisor * below((last - std::min(rest, last)) / divisor + 1);
  }

 private:
  std::uint64_t state_ = 0;
};

struct SteppedShape {
  std::uint64_t bits = 0;
  std::uint64_t set_bits = 0;
  std::uint32_t hash_count = 0;

  double fill() const { return static_cast<double>(set_bits) / static_cast<double>(bits); }
  double independent_fpp() const { return std::pow(fill(), hash_count); }
};

inline constexpr std::uint64_t kMostSamples = std::uint64_t{1} << 18;

// The header of a file may claim any k. At most this many bits of a key are tested, so a larger k yields an
// upper bound.
inline constexpr std::uint32_t kMostTested = 256;

// Returns at most `most` samples: fewer if each tests so many bits that all samples would last seconds.
constexpr std::uint64_t samples_of(std::uint32_t hash_count, std::uint64_t most) {
  constexpr std::uint64_t kMostTests = std::uint64_t{1} << 24;
  return std::min(most, kMostTests / std::clamp<std::uint32_t>(hash_count, 1, kMostTested));
}

// Estimates the fpp with at most `samples` samples of a key's bits. is_set(position) tests a bit.
// all_set(first, second, numbers) tests all bits of a random key with these first two positions.
template <typename IsSet, typename AllSet>
class SteppedFpp {
 public:
  SteppedFpp(const SteppedShape& shape, IsSet is_set, AllSet all_set)
      : shape_(shape), is_set_(std::move(is_set)), all_set_(std::move(all_set)) {}

  double estimate(std::uint64_t samples, SampleNumbers& numbers) {
    // No correction is needed if so many of m keys are expected to match by fill^k.
    constexpr double kPlain = 64;
    constexpr std::uint64_t kFewSetBits = std::uint64_t{1} << 16;
    const double independent = shape_.independent_fpp();
    if (shape_.set_bits == 0 || shape_.set_bits >= shape_.bits || shape_.hash_count <= 2 ||
        independent * static_cast<double>(shape_.bits) >= kPlain) {
      return independent;
    }
    list_set_bits();
    if (shape_.set_bits > kFewSetBits) {
      return independent + short_orbits(std::min<std::uint64_t>(samples, 4096), numbers);
    }
    constexpr std::uint64_t kEnoughHits = 1024;  // for an error within 3 %
    std::uint64_t hits = 0;
    std::uint64_t asked = 0;
    for (; asked < samples && hits < kEnoughHits; ++asked) {
      const std::uint64_t first = set_bit(numbers);
      hits += std::uint64_t{all_set_(first, set_bit(numbers), numbers)};
    }
    return shape_.fill() * shape_.fill() * static_cast<double>(hits) / static_cast<double>(asked);
  }

 private:
  // Lists the set bits if they are few, since random positions would seldom hit one. The first kMostListed
  // represent all.
  void list_set_bits() {
    constexpr std::uint64_t kFewOf = 16;
    constexpr std::size_t kMostListed = 65536;
    for (std::uint64_t i = 0; shape_.set_bits < shape_.bits / kFewOf && i < shape_.bits; ++i) {
      if (is_set_(i)) {
        listed_.push_back(i);
        if (listed_.size() == std::min<std::uint64_t>(shape_.set_bits, kMostListed)) {
          return;
        }
      }
    }
  }

  std::uint64_t set_bit(SampleNumbers& numbers) const {
    if (!listed_.empty()) {
      return listed_[numbers.below(listed_.size())];
    }
    std::uint64_t position = numbers.below(shape_.bits);
    while (!is_set_(position)) {
      position = numbers.below(shape_.bits);
    }
    return position;
  }

  // Returns the share of keys that match because their step is 0, m/2, m/3 ... modulo m.
  double short_orbits(std::uint64_t samples, SampleNumbers& numbers) const {
    std::vector<std::uint64_t> steps = {0};
    for (std::uint64_t orbit = 2; orbit <= std::min<std::uint64_t>(shape_.hash_count, 16); ++orbit) {
      for (std::uint64_t i = 1; i < orbit && shape_.bits % orbit == 0; ++i) {
        steps.push_back(shape_.bits / orbit * i);
      }
    }
    std::ranges::sort(steps);
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < samples; ++i) {
      const std::uint64_t first = set_bit(numbers);
      const std::uint64_t second = (first + steps[numbers.below(steps.size())]) % shape_.bits;
      hits += std::uint64_t{is_set_(second) && all_set_(first, second, numbers)};
    }
    return shape_.fill() * static_cast<double>(steps.size()) / static_cast<double>(shape_.bits) *
           static_cast<double>(hits) / static_cast<double>(samples);
  }

  SteppedShape shape_;
  IsSet is_set_;
  AllSet all_set_;
  std::vector<std::uint64_t> listed_;
};

// Returns the fpp of a filter whose keys' bits are not steps of one number. It is fill^k if the filter is
// large or m fill^k is at least 64. Otherwise bits that keys share may outweigh fill^k, so the filter is
// queried with random keys from random_probe(numbers).
template <ProbeScheme Scheme, typename RandomProbe>
double sampled_fpp(const WordBits& bits, const Scheme& scheme, const RandomProbe& random_probe) {
  constexpr double kPlain = 64;
  const std::uint64_t samples = samples_of(scheme.hash_count(), 4 * kMostSamples);
  constexpr std::uint64_t kEnough = 16;  // hits
  const double independent = std::pow(bits.fill(), scheme.hash_count());
  if (bits.byte_size() > probes::kPrefetchAboveBytes ||
      independent * static_cast<double>(bits.size()) >= kPlain) {
    return independent;
  }
  SampleNumbers numbers;
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    hits += probes::all_set(bits, scheme, random_probe(numbers), std::min(scheme.hash_count(), kMostTested));
  }
  const double sampled = static_cast<double>(hits) / static_cast<double>(samples);
  return hits < kEnough ? std::max(sampled, independent) : sampled;
}

// A ProbeScheme that can make a random key from its first two positions.
template <typename Scheme>
concept SteppedScheme = ProbeScheme<Scheme> &&
    requires(const Scheme& scheme, std::uint64_t position, SampleNumbers& numbers) {
  { scheme.sample(position, position, numbers) } -> std::same_as<typename Scheme::Probe>;
};

template <SteppedScheme Scheme>
double stepped_fpp(const WordBits& bits, const Scheme& scheme) {
  SampleNumbers numbers;
  SteppedFpp fpp(
      {.bits = bits.size(), .set_bits = bits.count(), .hash_count = scheme.hash_count()},
      [&](std::uint64_t position) { return bits.test(position) != 0; },
      [&](std::uint64_t first, std::uint64_t second, SampleNumbers& random) {
        return probes::all_set(bits, scheme, scheme.sample(first, second, random),
                               std::min(scheme.hash_count(), kMostTested)) != 0;
      });
  return fpp.estimate(samples_of(scheme.hash_count(), kMostSamples), numbers);
}

}  // namespace bloomery
