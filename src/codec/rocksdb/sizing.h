// Computes the sizes of RocksDB's filters, in RocksDB's own arithmetic.
//
//   bits per key   below 0.5 no filter; below 1 as 1; above 100 as 100
//   millibits      trunc(1000 bits + 0.500001)
//
//   legacy         whole = (millibits + 500) / 1000; k = trunc(0.69 whole), from 1 to 30;
//                  64-byte lines for min(n * whole, ffff0000) bits, one more if their number is even
//   fastlocal      n * millibits / 8000 bytes, rounded up to a full line, at most ffffffc0;
//                  k from a table by millibits
//   ribbon         enough result bits for the fpp of a fastlocal filter with the same bits
//
// Source: docs/formats/rocksdb.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

enum class RocksDbKind { kLegacy, kFastLocal, kRibbon };

// Bits per key in RocksDB's two representations.
struct RocksDbBits {
  double bits = 0;
  std::uint32_t millibits = 0;

  // Precondition: bits_per_key >= 0.5.
  static RocksDbBits of(double bits_per_key);
};

// Returns the plan's bits per key. For a plan with an fpp, returns the smallest number whose filter of `kind`
// reaches it, in steps of a thousandth of a bit (legacy: integers). Errors: kInvalidArgument for an
// impossible plan and below 0.5 bits.
Result<RocksDbBits> rocksdb_bits(const DialectPlan& plan, RocksDbKind kind);

std::uint32_t legacy_whole_bits(const RocksDbBits& bits);
std::uint32_t legacy_hash_count(const RocksDbBits& bits);
std::uint32_t legacy_lines(std::uint64_t entries, const RocksDbBits& bits);

std::uint32_t fast_local_hash_count(const RocksDbBits& bits);
// Returns the size in bytes without the trailer. Precondition: entries > 0.
std::uint64_t fast_local_bytes(std::uint64_t entries, const RocksDbBits& bits);

// Returns 1 / fpp for cache lines of 512 bits at `bits` per key. The fpp is the mean of two lines: one whose
// number of keys is one standard deviation above the mean, and one as far below.
double line_one_in(double bits, std::uint32_t hash_count);

// Returns the slots of a ribbon of `entries` keys: a multiple of 128, at least 256. Precondition: entries >
// 0.
std::uint64_t ribbon_slots(std::uint64_t entries);
// Returns the number of 16-byte segments for that many slots. `first_hash` decides the rounding
// of a fraction.
std::uint64_t ribbon_segments(std::uint64_t slots, const RocksDbBits& bits, std::uint64_t first_hash);

}  // namespace bloomery
