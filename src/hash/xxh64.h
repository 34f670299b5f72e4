// XXH64, the 64-bit hash of 2012, as Parquet uses it.
//
// Source: xxHash specification, version 0.1.1. Not a hash for our own filters: XXH3 is faster (hash128.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

std::uint64_t xxh64(std::string_view key, std::uint64_t seed = 0);

}  // namespace bloomery
