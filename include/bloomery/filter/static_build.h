// The options of a build of a static filter: a ribbon (ribbon_builder.h) or a fuse filter (fuse_builder.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bloomery/filter/filter_options.h"

namespace bloomery {

inline constexpr std::uint64_t kUnlimitedMemory = ~std::uint64_t{0};
// The least memory of a build. The shards of a fuse filter are larger than those of a ribbon.
inline constexpr std::uint64_t kMinRibbonMemory = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kMinFuseMemory = std::uint64_t{128} << 20;

// The number of leading hash bits that a rejecting build uses.
inline constexpr std::uint32_t kRejectingHashBits = 63;

struct StaticBuildOptions {
  FilterOptions filter = {};  // its `threads` is the number of building threads
  // The number of distinct keys of the entire set, rejected ones included. It decides the number of shards.
  // With 0 the builder estimates the number to 2 per cent above 4,096. A capacity that is wrong by a factor
  // of ten costs less than 0.1 bits per key. One that is too small also costs memory. Neither causes a
  // false negative.
  std::uint64_t capacity = 0;
  // The memory limit of the builder, at least kMinRibbonMemory or kMinFuseMemory. It holds if hashes are
  // spread evenly and the capacity is not far too small. A filter that is built in memory needs its own
  // memory in addition.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::string spool_directory = ".";
  // Builds the `part`-th of `parts` shares of the plan's shards, counted from 1. Keys of other parts are
  // skipped. Requires a capacity, that of the entire set.
  std::uint32_t part = 1;
  std::uint32_t parts = 1;
  // For ribbons: allows keys to be rejected. Requires an fpp of at most 1/2 and a single part.
  bool rejecting = false;
  std::string metadata = {};
};

// The maximal cost of building `key_count` keys in a given memory, if their hashes are spread evenly.
// Repeats and rejected keys count.
struct StaticBuildNeeds {
  std::uint64_t memory_bytes;
  std::uint64_t spool_bytes;   // disk space in the spool directory, or 0
  std::uint64_t filter_bytes;  // the size of the file
};

// The result of a build that wrote a file.
struct StaticBuildWritten {
  std::uint64_t keys;  // distinct keys, without the rejected ones
  std::uint64_t bytes;
};

// Receives the number of finished shards and of all shards.
using StaticBuildProgress = std::function<void(std::uint32_t done, std::uint32_t total)>;

}  // namespace bloomery
