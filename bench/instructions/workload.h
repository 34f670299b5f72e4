// What the hot paths work with: keys that follow from fixed seeds, and the loop of questions that several share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/instructions/counted.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery::instructions {

inline constexpr std::size_t kMembers = 20'000;
inline constexpr std::size_t kAsked = 2 * kMembers;  // every second one is a member
inline constexpr std::size_t kBatch = 1000;          // divides both
inline constexpr double kFpp = 0.01;

[[noreturn]] inline void fail(const std::string& what) {
  fmt::print(stderr, "hot_paths: {}\n", what);
  std::exit(1);
}

template <typename T>
T take(Result<T> result) {
  if (!result) {
    fail(result.error().to_string());
  }
  return std::move(result).value();
}
inline void take(const Status& status) {
  if (!status) {
    fail(status.error().to_string());
  }
}

inline std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Returns 20 letters and digits, as long as a short URL or a key of a cache.
inline std::string text_of(std::uint64_t number) {
  std::string text(20, 'k');
  for (std::size_t at = text.size(); at > 0; number /= 10) {
    text[--at] = static_cast<char>('0' + number % 10);
  }
  return text;
}

// Each list has members at even places and keys that were never inserted at odd ones.
inline std::vector<std::uint64_t> asked_integers() {
  std::vector<std::uint64_t> keys(kAsked);
  for (std::size_t i = 0; i < kAsked; ++i) {
    keys[i] = mixed(i + 1);
  }
  return keys;
}

inline std::vector<std::uint64_t> member_integers() {
  std::vector<std::uint64_t> keys(kMembers);
  for (std::size_t i = 0; i < kMembers; ++i) {
    keys[i] = mixed(2 * i + 1);
  }
  return keys;
}

inline std::vector<Hash128> hashes_of(std::span<const std::uint64_t> keys) {
  std::vector<Hash128> hashes;
  hashes.reserve(keys.size());
  for (const std::uint64_t key : keys) {
    hashes.push_back(hash_key(key, HashSpec{}));
  }
  return hashes;
}

inline std::vector<std::string> texts_of(std::span<const std::uint64_t> keys) {
  std::vector<std::string> texts;
  texts.reserve(keys.size());
  for (const std::uint64_t key : keys) {
    texts.push_back(text_of(key));
  }
  return texts;
}

inline std::vector<std::string_view> views_of(std::span<const std::string> texts) {
  return {texts.begin(), texts.end()};
}

// Asks the filter for every key, and makes sure that no member is denied.
template <typename Filter, typename Keys>
Counted query(const Filter& filter, const Keys& keys) {
  const Counted count = counted(keys.size(), [&] {
    std::uint64_t matches = 0;
    for (const auto& key : keys) {
      matches += filter.may_contain(key) ? 1U : 0U;
    }
    return matches;
  });
  if (count.result < keys.size() / 2) {
    fail("a member was denied");
  }
  return count;
}

}  // namespace bloomery::instructions
