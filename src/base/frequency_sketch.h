// Estimates the recent query frequency of keys, in four bytes a key.
//
//   line of a key = 64 bytes with 128 counters of 4 bits; four of them, one in each quarter, are the key's
//   estimate      = the smallest of the four
//
// Keys that share a counter make the estimate larger, never smaller. After sixteen times as many queries as
// reserve() was given keys, all counters are halved, so that old queries lose weight.
//
// Source: Einziger, Friedman, Manes: TinyLFU (2017); the count-min sketch of Cormode and Muthukrishnan. Not
// here: the eviction (cache_entries.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bloomery {

class FrequencySketch {
 public:
  static constexpr unsigned kMost = 15;

  // Grows the sketch for that many keys. If a line is split into two, both keep its counts.
  void reserve(std::size_t keys) {
    const std::size_t lines = std::bit_ceil(std::max<std::size_t>(keys / kKeysOfALine, 1));
    if (words_.empty()) {
      words_.resize(kWords);
    }
    while (lines * kWords > words_.size()) {
      const std::vector<std::uint64_t> half = words_;
      words_.insert(words_.end(), half.begin(), half.end());
    }
    most_counted_ = kTimesKeys * std::max<std::uint64_t>(keys, kKeysOfALine);
  }

  // Precondition of the calls with a hash: reserve() was called. `hash` has 64 random bits.
  void add(std::uint64_t hash) {
    std::uint64_t* const line = line_of(hash);
    for (unsigned i = 0; i < kRows; ++i) {
      const Place place = place_of(hash, i);
      if ((line[place.word] >> place.shift & kMost) < kMost) {
        line[place.word] += std::uint64_t{1} << place.shift;
      }
    }
  }

  // Counts a query, whether it is added or not. After many of them, all counters are halved.
  void age() {
    if (++counted_ >= most_counted_) {
      halve();
    }
  }

  unsigned estimate(std::uint64_t hash) {
    const std::uint64_t* const line = line_of(hash);
    unsigned least = kMost;
    for (unsigned i = 0; i < kRows; ++i) {
      const Place place = place_of(hash, i);
      least = std::min(least, static_cast<unsigned>(line[place.word] >> place.shift & kMost));
    }
    return least;
  }

 private:
  static constexpr std::size_t kWords = 8;  // of a line
  static constexpr std::size_t kKeysOfALine = 16;
  static constexpr unsigned kRows = 4;
  static constexpr std::uint64_t kTimesKeys = 16;

  struct Place {
    std::size_t word;
    unsigned shift;
  };

  std::uint64_t* line_of(std::uint64_t hash) {
    return words_.data() + (hash >> 20 & (words_.size() / kWords - 1)) * kWords;
  }
  // Five bits of the hash for each row: one chooses the word of the row's quarter, four the counter in it.
  static Place place_of(std::uint64_t hash, unsigned row) {
    const auto bits = static_cast<unsigned>(hash >> (5 * row) & 31);
    return {2 * std::size_t{row} + (bits >> 4), 4 * (bits & 15)};
  }

  void halve() {
    for (std::uint64_t& word : words_) {
      word = word >> 1 & 0x7777777777777777;
    }
    counted_ /= 2;
  }

  std::vector<std::uint64_t> words_;
  std::uint64_t counted_ = 0;
  std::uint64_t most_counted_ = 0;
};

}  // namespace bloomery
