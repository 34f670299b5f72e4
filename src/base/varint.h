// Variable-length integers: seven bits a byte, low group first. The high bit is set on every byte but the
// last.
//
//   0..127           1 byte
//   ...
//   2^63..           10 bytes
//   for example      300 = 10 0101100 in binary, written as ac 02
//
// read_varint() accepts only the shortest form, because two spellings of one length would give one key two
// hashes. Readers of formats that allow longer forms (Thrift, HBase's compressed ints) use join_varint().
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

// Writes `value` at `out`, which has room for kMaxVarintBytes. Returns the number of bytes written.
std::size_t write_varint(std::byte* out, std::uint64_t value);

// How reading a varint ended.
enum class VarintEnd {
  kWhole,
  kCut,      // the bytes end before the varint does
  kTooLong,  // more groups than are allowed, or more than 64 bits
};

struct VarintGroups {
  std::uint64_t value;
  std::size_t size_bytes;  // the bytes that were read, with the one that ended the varint
  VarintEnd end;
};

// Joins the groups of one varint of at most `kMaxBytes` at the front of `bytes`, in the shortest form or a
// longer one. Every reader of varints uses this loop. It is in the header so that readers of three varints
// per cell can inline it.
template <std::size_t kMaxBytes = kMaxVarintBytes>
inline VarintGroups join_varint(std::span<const std::byte> bytes) {
  static_assert(kMaxBytes >= 1 && kMaxBytes <= kMaxVarintBytes);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kMaxBytes; ++i) {
    if (i == bytes.size()) {
      return {value, i, VarintEnd::kCut};
    }
    const auto group = std::to_integer<std::uint64_t>(bytes[i]);
    if (i == kMaxVarintBytes - 1 && group > 1) {
      return {value, i + 1, VarintEnd::kTooLong};
    }
    value |= (group & 0x7f) << (7 * i);
    if (group < 0x80) {
      return {value, i + 1, VarintEnd::kWhole};
    }
  }
  return {value, kMaxBytes, VarintEnd::kTooLong};
}

// Reads one varint from the front of `bytes`. Errors: kCorruption if it is cut, longer than its value needs,
// or above 64 bits. `offset` is the position of `bytes` in its file, for the message.
Result<Varint> read_varint(std::span<const std::byte> bytes, std::uint64_t offset);

// Reads a varint like read_varint(), and removes it from `bytes`. After an error `bytes` is unchanged.
Result<std::uint64_t> read_next_varint(std::span<const std::byte>& bytes, std::uint64_t offset);

// Decodes the zigzag form: returns 0, -1, 1, -2, ... for 0, 1, 2, 3, ...
constexpr std::int64_t unzigzagged(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}

}  // namespace bloomery
