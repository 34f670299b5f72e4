// The numbers of one link of a RedisBloom chain: how it is sized, where it is in a header, what is legal.
//
//   u64 bytes  u64 bits  u64 size  f64 error  f64 bits per entry  u32 hashes  u64 entries  u8 n2      53
//   bytes
//
// `bits` = 8 `bytes` is what positions are reduced by, unless n2 is not 0: then it is 2^n2 (old filters).
// `size` counts the keys that were put into this link, `entries` is when the next one begins. Source:
// docs/formats/redisbloom.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery::redisbloom {

inline constexpr std::size_t kLinkBytes = 53;

// In the header of a chain.
inline constexpr std::uint32_t kNoRounding = 1;      // without it, bits are rounded up to a power of two
inline constexpr std::uint32_t kEntriesAreBits = 2;  // no server makes such
inline constexpr std::uint32_t kForce64 = 4;         // the hash of 64 bits
inline constexpr std::uint32_t kNoScaling = 8;       // one link; full is an error
inline constexpr std::uint32_t kKnownOptions = 15;

inline constexpr std::uint32_t kMaxExpansion = 32768;  // that a server takes

struct ChainLink {
  std::uint64_t bytes = 0;
  std::uint64_t bits = 0;
  std::uint64_t size = 0;
  double error = 0;
  double bits_per_entry = 0;
  std::uint32_t hash_count = 0;
  std::uint64_t entries = 0;
  std::uint8_t n2 = 0;

  // What positions are below.
  std::uint64_t used_bits() const { return n2 > 0 ? std::uint64_t{1} << n2 : bits; }
};

// Returns an empty link for `entries` keys. Errors: kInvalidArgument unless entries > 0 and 0 < error < 1;
// kUnsupported for kEntriesAreBits; kCapacity beyond 2^62 bits.
Result<ChainLink> new_link(std::uint64_t entries, double error, std::uint32_t options);

// Precondition: kLinkBytes bytes. Errors: kCorruption for what no RedisBloom writes, at `offset`.
Result<ChainLink> read_link(std::span<const std::byte> bytes, std::uint64_t offset);
void append_link(const ChainLink& link, std::string& out);

}  // namespace bloomery::redisbloom
