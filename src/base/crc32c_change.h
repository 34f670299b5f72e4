// The CRC-32C of bytes that are joined, or of which a few change, without reading the others.
//
// A CRC is linear. With r(d) for the register that begins with 0 and runs over d, and polynomials modulo that of the CRC:
//
//   two pieces      crc(a b) = crc(a) * x^(8 |b|)  +  crc(b)
//   a change        crc(m')  = crc(m)  +  r(d) * x^(8 n)      d: what XOR makes of the bytes that differ; n bytes follow them
//
// A product with a power of x takes about 10 ns, wherever the bytes are: the exponent is cut into digits of 10 bits, and
// tables have the powers.
//
// Source: the identity that zlib's crc32_combine() uses. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

// Returns the CRC of two pieces, one behind the other, by the CRC of each. Precondition: second_bytes < 2^50.
std::uint32_t crc32c_of_both(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

// Returns the CRC of bytes that are all 0. Precondition: as above.
std::uint32_t crc32c_of_zeros(std::uint64_t bytes);

// Returns what to XOR to the CRC of a message in which bytes change. `difference` is the old bytes XOR the new ones, and
// `bytes_behind` bytes of the message follow them. Precondition: as above.
std::uint32_t crc32c_of_change(std::span<const std::byte> difference, std::uint64_t bytes_behind);

}  // namespace bloomery
