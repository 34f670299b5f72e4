// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein 2012), as libsodium computes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

// Returns the low and the high word of the hash of `size` bytes under a key of 16 bytes.
std::array<std::uint64_t, 2> siphash128(const void* data, std::size_t size,
                                        std::span<const std::uint8_t, 16> key);

}  // namespace bloomery
