// Variable-length integers: seven bits a byte, low group first, the high bit set on every byte but the last.
//
//   0..127 -> 1 byte, ..., 2^63.. -> 10 bytes.       300 = 10 0101100 -> ac 02
//
// Reading accepts the shortest form only: two spellings of one length would give one key two hashes.
// Source: Protocol Buffers encoding, "Base 128 Varints".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

inline constexpr std::size_t kMaxVarintBytes = 10;

struct Varint {
  std::uint64_t value;
  std::size_t size_bytes;
};

// Writes `value` at `out`, which has room for kMaxVarintBytes, and returns the number of bytes written.
std::size_t write_varint(std::byte* out, std::uint64_t value);

// Reads one varint from the front of `bytes`. Errors: kCorruption when it is cut, longer than its value
// needs, or above 64 bits; `offset` is where `bytes` begins in its file, for the message.
Result<Varint> read_varint(std::span<const std::byte> bytes, std::uint64_t offset);

}  // namespace bloomery
