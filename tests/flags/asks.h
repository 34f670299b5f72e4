// The same questions, compiled for several processors: asks.cc is compiled once for each, with BLOOMERY_ASKS as the name
// of what it defines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/filter/blocked_bloom_filter.h"

namespace bloomery {

struct Asks {
  const char* window;  // the inline window of the translation unit, or "none"
  std::vector<bool> (*may_contain)(const BlockedBloomFilter& filter, std::span<const std::uint64_t> keys);
  void (*insert)(BlockedBloomFilter& filter, std::span<const std::uint64_t> keys);
  std::vector<bool> (*test_and_insert)(BlockedBloomFilter& filter, std::span<const std::uint64_t> keys);
};

extern const Asks kAsksPortable;
extern const Asks kAsksAvx2;
extern const Asks kAsksAvx512;

}  // namespace bloomery
