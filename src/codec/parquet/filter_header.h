// The Thrift struct before the bitset of a split-block filter.
//
//   field 1  i32     bytes of the bitset, a multiple of 32
//   field 2  union   algorithm    {1: BLOCK {}}
//   field 3  union   hash         {1: XXHASH {}}
//   field 4  union   compression  {1: UNCOMPRESSED {}}
//
// The reader accepts every encoding that Thrift allows. The writer uses the encoding of all known writers.
// Any other field is unsupported, because it could change the meaning of the bits. Source:
// docs/formats/parquet.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery::parquet {

struct FilterHeader {
  std::uint64_t header_bytes = 0;
  std::uint64_t bitset_bytes = 0;  // a multiple of 32, from 32 to 2^31 - 32

  std::uint64_t size_bytes() const { return header_bytes + bitset_bytes; }
};

// Reads the header at the beginning of `bytes`, which begin at `offset` of their file. The caller must check
// that the bitset is complete. Errors: kCorruption, kUnsupported.
Result<FilterHeader> read_filter_header(std::span<const std::byte> bytes, std::uint64_t offset);

// Precondition: `bitset_bytes` is legal (FilterHeader).
std::string filter_header_bytes(std::uint64_t bitset_bytes);

}  // namespace bloomery::parquet
