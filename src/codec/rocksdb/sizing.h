// Sizes of RocksDB's filters, in its own arithmetic.
//
//   bits per key: below 0.5 no filter, below 1 as 1, above 100 as 100
//   millibits = trunc(1000 bits + 0.500001)
//
//   legacy      whole = (millibits + 500) / 1000, k = trunc(0.69 whole) from 1 to 30
//               lines of 64 bytes for min(n * whole, ffff0000) bits, made odd
//   fastlocal   n * millibits / 8000 bytes, up to a whole line, at most ffffffc0; k from a table by millibits
//   ribbon      as many result bits as give the rate that a fastlocal filter of the same bits would have
//
// Source: docs/formats/rocksdb.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

enum class RocksDbKind { kLegacy, kFastLocal, kRibbon };

// Bits per key as RocksDB takes them.
struct RocksDbBits {
  double bits = 0;
  std::uint32_t millibits = 0;

  // Precondition: bits_per_key >= 0.5.
  static RocksDbBits of(double bits_per_key);
};

// Returns the plan's bits per key, or the least thousandth of a bit whose filter of `kind` is not above the
// plan's fpp. Errors: kInvalidArgument for an impossible plan and below 0.5 bits.
Result<RocksDbBits> rocksdb_bits(const DialectPlan& plan, RocksDbKind kind);

std::uint32_t legacy_whole_bits(const RocksDbBits& bits);
std::uint32_t legacy_hash_count(const RocksDbBits& bits);
std::uint32_t legacy_lines(std::uint64_t entries, const RocksDbBits& bits);

std::uint32_t fast_local_hash_count(const RocksDbBits& bits);
// Bytes without the trailer. Precondition: entries > 0.
std::uint64_t fast_local_bytes(std::uint64_t entries, const RocksDbBits& bits);

// 1 / fpp of keys that fill cache lines of 512 bits at `bits` per key: the mean of a cache line with one
// standard deviation more keys than the mean and of one with as many less.
double line_one_in(double bits, std::uint32_t hash_count);

// A multiple of 128, at least 256. Precondition: entries > 0.
std::uint64_t ribbon_slots(std::uint64_t entries);
// 16-byte segments for that many slots. `first_hash` decides how a fraction is rounded.
std::uint64_t ribbon_segments(std::uint64_t slots, const RocksDbBits& bits, std::uint64_t first_hash);

}  // namespace bloomery
