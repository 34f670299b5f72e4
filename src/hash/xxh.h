// The hashes of xxHash for other systems: XXH64 for Parquet's filters, and XXH32, XXH64 and XXH3-64 as
// checksums of formats.
//
// Source: xxHash specification, version 0.1.1. Our own filters use XXH3-128 (hash128.h).
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

// With seed 0.
std::uint32_t xxh32(std::span<const std::byte> bytes);
std::uint64_t xxh3_64(std::span<const std::byte> bytes);

}  // namespace bloomery
