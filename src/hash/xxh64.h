// XXH64, the 64-bit hash of 2012, for Parquet's filters and RocksDB's checksums.
//
// Source: xxHash specification, version 0.1.1. Our own filters do not use it, because XXH3 is faster
// (hash128.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bloomery {

std::uint64_t xxh64(std::string_view key, std::uint64_t seed = 0);

inline std::uint64_t xxh64(std::span<const std::byte> bytes) {
  return xxh64(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace bloomery
