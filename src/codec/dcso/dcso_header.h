// The header of a DCSO .bloom file, and the sizes that it records.
//
// All numbers are little-endian, p is a double.
//
//   0       8   16  24  32  40            48                       48 + 8 ceil(m / 64)
//   +-------+---+---+---+---+-------------+------------------------+- - - - - -
//   | flags | n | p | k | m | N, inserted | words: bit i is bit    | free data
//   |       |   |   |   |   |             | i mod 64 of word i / 64|
//   +-------+---+---+---+---+-------------+------------------------+- - - - - -
//
// The low byte of flags is the version, 1. Source: docs/formats/dcso.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

struct DcsoHeader {
  static constexpr std::size_t kBytes = 48;

  std::uint64_t flags = 1;
  std::uint64_t capacity = 0;
  double fpp = 0;
  std::uint64_t hash_count = 0;
  std::uint64_t bits = 0;
  std::uint64_t inserted = 0;

  // Returns true if k and m are the values that DCSO computes from n and p.
  bool has_computed_sizes() const;
  // Describes how n, p, k and m contradict each other; empty if they agree. A difference of one is accepted,
  // because another language may round the logarithm differently.
  std::string contradiction() const;
};

// A larger k means a damaged file: even the smallest positive double as p needs only 1,075.
inline constexpr std::uint64_t kDcsoMaxHashCount = 4096;

// Returns the header of an empty filter. Errors: kInvalidArgument unless fpp is in (0, 1) and the filter has
// at least one bit.
Result<DcsoHeader> dcso_header_for(std::uint64_t capacity, double fpp);

// Errors: kUnsupported for another version; kCorruption unless 1 <= k <= 4096 and m > 0.
Result<DcsoHeader> parse_dcso_header(std::span<const std::byte, DcsoHeader::kBytes> bytes);
std::array<std::byte, DcsoHeader::kBytes> dcso_header_bytes(const DcsoHeader& header);

}  // namespace bloomery
