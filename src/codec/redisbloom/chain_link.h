// One link of a RedisBloom chain: its size, its bytes in a header, and its legal values.
//
//   u64 bytes | u64 bits | u64 size | f64 error | f64 bits per entry | u32 hashes | u64 entries | u8 n2
//   0           8          16         24          32                   40           44            52    53
//
//   bits      8 * bytes; positions are taken modulo bits, or modulo 2^n2 if n2 is not 0 (old filters)
//   size      the number of keys that were inserted into this link
//   entries   the number of keys at which the next link begins
//
// Source: docs/formats/redisbloom.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery::redisbloom {

inline constexpr std::size_t kLinkBytes = 53;

// The options in the header of a chain.
inline constexpr std::uint32_t kNoRounding = 1;      // without it, bits are rounded up to a power of two
inline constexpr std::uint32_t kEntriesAreBits = 2;  // no server makes such a chain
inline constexpr std::uint32_t kForce64 = 4;         // the 64-bit hash
inline constexpr std::uint32_t kNoScaling = 8;       // only one link; an insert fails if it is full
inline constexpr std::uint32_t kKnownOptions = 15;

inline constexpr std::uint32_t kMaxExpansion = 32768;  // the largest that a server accepts

struct ChainLink {
  std::uint64_t bytes = 0;
  std::uint64_t bits = 0;
  std::uint64_t size = 0;
  double error = 0;
  double bits_per_entry = 0;
  std::uint32_t hash_count = 0;
  std::uint64_t entries = 0;
  std::uint8_t n2 = 0;

  // Every position is below this number.
  std::uint64_t used_bits() const { return n2 > 0 ? std::uint64_t{1} << n2 : bits; }
};

// Returns an empty link for `entries` keys. Errors: kInvalidArgument unless entries > 0 and 0 < error < 1;
// kUnsupported for kEntriesAreBits; kCapacity beyond 2^62 bits.
Result<ChainLink> new_link(std::uint64_t entries, double error, std::uint32_t options);

// Reads a link. Precondition: `bytes` has kLinkBytes bytes. Errors: kCorruption at `offset`, for values that
// RedisBloom never writes.
Result<ChainLink> read_link(std::span<const std::byte> bytes, std::uint64_t offset);
void append_link(const ChainLink& link, std::string& out);

}  // namespace bloomery::redisbloom
