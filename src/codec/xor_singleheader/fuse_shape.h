// The arithmetic of xor_singleheader's 3-wise binary fuse filters: the size of the array, and the cells of a
// key.
//
//    hash         the finalizer of MurmurHash3 of key + seed
//    fingerprint  hash ^ hash >> 32, its low 8 or 16 bits
//    a cell in each of three neighbouring segments of L = 2^k cells, of S + 2:
//      0          start = hash S L / 2^64
//      1          (start + L) ^ (hash >> 18 mod L)
//      2          (start + 2 L) ^ (hash mod L)
//
// A key matches if the XOR of its cells is its fingerprint. Cells never leave the array, whatever the hash.
//
// Source: docs/formats/xor-singleheader.md. Not here: the construction (fuse_construction.h) and the files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bloomery/base/uint128.h"
#include "codec/stepped_fpp.h"
#include "hash/murmur3_x64_128.h"

namespace bloomery::xor_singleheader {

// Beyond this many keys the library's 32-bit sizes overflow.
inline constexpr std::uint32_t kMostKeys = 3'000'000'000;
inline constexpr std::uint32_t kMostSegmentCells = std::uint32_t{1} << 18;
// The library tries this many seeds, and then gives up.
inline constexpr std::uint32_t kMostTries = 100;

struct FuseShape {
  std::uint32_t keys = 0;  // the library's Size
  std::uint32_t segment_cells = 4;
  std::uint32_t segments = 1;  // in which a first cell may be

  // Precondition: the shape has fewer than 2^32 cells.
  std::uint32_t starts() const { return segments * segment_cells; }
  std::uint32_t cells() const { return starts() + 2 * segment_cells; }

  friend bool operator==(const FuseShape&, const FuseShape&) = default;
};

// Returns the shape that the library gives a filter of `keys` keys. Precondition: at most kMostKeys.
FuseShape fuse_shape_of(std::uint32_t keys);

// Returns the seeds that the library tries, in order.
inline SampleNumbers fuse_seeds() {
  return SampleNumbers(0x726b2b9d438b9d4d);
}

// Returns the number of a seed among those that the library tries, from 0; nothing for another one.
std::optional<std::uint32_t> number_of_seed(std::uint64_t seed);

inline std::uint64_t fuse_hash(std::uint64_t key, std::uint64_t seed) {
  return murmur3::finished(key + seed);
}

inline std::array<std::uint32_t, 3> fuse_cells(const FuseShape& shape, std::uint64_t hash) {
  const auto start = static_cast<std::uint32_t>((Uint128{hash} * shape.starts()) >> 64);
  const std::uint32_t mask = shape.segment_cells - 1;
  return {start, (start + shape.segment_cells) ^ (static_cast<std::uint32_t>(hash >> 18) & mask),
          (start + 2 * shape.segment_cells) ^ (static_cast<std::uint32_t>(hash) & mask)};
}

// Returns the fingerprint in its low bits. The others have no meaning.
inline std::uint32_t fuse_fingerprint(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

}  // namespace bloomery::xor_singleheader
