// The header of a Spark filter, which precedes its words.
//
//   0            4            8           12            16
//   +------------+------------+------------+------------+--------------
//   | version 1  |  k (i32)   |  W (i32)   |  W words of 64 bits       big-endian
//   +------------+------------+------------+------------+--------------
//   | version 2  |  k (i32)   | seed (i32) |  W (i32)   |  W words
//   +------------+------------+------------+------------+--------------
//
// Source: docs/formats/spark.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"

namespace bloomery {

enum class SparkVersion : std::uint8_t { kV1 = 1, kV2 = 2 };  // the number in the file

inline constexpr std::size_t kSparkHeaderBytesMax = 16;

struct SparkHeader {
  SparkVersion version = SparkVersion::kV2;
  std::uint32_t hash_count = 0;
  std::int32_t seed = 0;  // 0 in version 1, which has none
  std::uint32_t words = 0;

  std::uint64_t bits() const { return std::uint64_t{words} * 64; }
  std::size_t byte_size() const { return version == SparkVersion::kV1 ? 12 : kSparkHeaderBytesMax; }
  // Returns the bytes of the header and the words.
  std::uint64_t filter_bytes() const { return byte_size() + bits() / 8; }
};

// Returns the largest k that create() makes for this many bits: the k of one key, round(bits ln 2).
std::uint64_t most_spark_probes(std::uint64_t bits);

// Reads a header and checks that the file contains its words. Errors: kUnsupported for another version;
// kCorruption for a truncated file, and for k and W that no writer makes.
Result<SparkHeader> read_spark_header(std::span<const std::byte> file);

struct SparkHeaderBytes {
  std::array<std::byte, kSparkHeaderBytesMax> bytes;
  std::size_t size;

  std::span<const std::byte> span() const { return std::span(bytes).first(size); }
};

SparkHeaderBytes spark_header_bytes(const SparkHeader& header);

}  // namespace bloomery
