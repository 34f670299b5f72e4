// XXH32 and XXH3-64 with seed 0, as formats use them for checksums. XXH64 is in xxh64.h, the hash of our
// filters in hash128.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

std::uint32_t xxh32(std::span<const std::byte> bytes);
std::uint64_t xxh3_64(std::span<const std::byte> bytes);

}  // namespace bloomery
