// The fpp of a filter in which each next bit of a key is one step from the last, from the filter's own bits.
//
// The usual fill^k takes the k bits of a key for independent. They are not:
//
//   step 0 mod m        all k bits are the same one; one key in m has such a step
//   step m/2, m/3, ...  they are two, three ... bits
//   shared sequences    the bits of an absent key may be those of a key that is in, begun elsewhere
//
// So the fpp does not fall below about fill / m, however small fill^k is: in 64 bits that is some 100,000 times fill^k.
// How the sum of the steps wraps decides how often it happens, and each system wraps in its own way. Therefore keys are
// sampled: their first two bits are chosen among those that are set, and the scheme finds the others.
//
//   few bits are set     fill^2 times the share of samples of which all bits are set
//   many bits are set    fill^k, and of the steps that come back to their first bit at once the same share
//   fill^k m is large    fill^k, beside which the rest is nothing
//
// The samples are always the same ones, so a filter has one fpp.
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

// A sequence of random numbers: SplitMix64 (Steele, Lea, Flood 2014).
class SampleNumbers {
 public:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t value = state_;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
  }
  // Returns a number below `end`. Precondition: end > 0.
  std::uint64_t below(std::uint64_t end) { return static_cast<std::uint64_t>((Uint128{next()} * end) >> 64); }
  // Returns a number up to `last` whose rest modulo `divisor` is `rest`; `rest` itself if that is above `last`.
  // Precondition: rest < divisor; last < 2^63, or divisor > 1.
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

// The header of a file may claim any k. Of a key so many bits are tested, at most; a larger k gives a figure from above.
inline constexpr std::uint32_t kMostTested = 256;

// Returns at most `most` samples: fewer where each tests so many bits that all would take seconds.
constexpr std::uint64_t samples_of(std::uint32_t hash_count, std::uint64_t most) {
  constexpr std::uint64_t kMostTests = std::uint64_t{1} << 24;
  return std::min(most, kMostTests / std::clamp<std::uint32_t>(hash_count, 1, kMostTested));
}

// Estimates the fpp with at most `samples` samples of a key's bits. is_set(position) tests a bit. all_set(first, second,
// numbers) returns whether a random key is in whose first two positions are these.
template <typename IsSet, typename AllSet>
class SteppedFpp {
 public:
  SteppedFpp(const SteppedShape& shape, IsSet is_set, AllSet all_set)
      : shape_(shape), is_set_(std::move(is_set)), all_set_(std::move(all_set)) {}

  double estimate(std::uint64_t samples, SampleNumbers& numbers) {
    constexpr double kPlain = 64;  // fill^k of so many keys in m needs no correction
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
    constexpr std::uint64_t kEnoughHits = 1024;  // within 3 %
    std::uint64_t hits = 0;
    std::uint64_t asked = 0;
    for (; asked < samples && hits < kEnoughHits; ++asked) {
      const std::uint64_t first = set_bit(numbers);
      hits += std::uint64_t{all_set_(first, set_bit(numbers), numbers)};
    }
    return shape_.fill() * shape_.fill() * static_cast<double>(hits) / static_cast<double>(asked);
  }

 private:
  // Among few set bits one is found in a list, of which the first ones stand for all.
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

  // Returns the share of keys that are in by a step which is 0, m/2, m/3 ... modulo m.
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

// The fpp of a filter whose keys' bits are no steps of one number: fill^k, unless that is so small beside the number of bits
// that what keys share may be more. Then random keys are asked, which random_probe(numbers) makes.
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

// A ProbeScheme that makes a random key of its first two positions.
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
