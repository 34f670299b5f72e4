// The CRC-32C of concatenated or slightly changed bytes, without reading the unchanged ones.
//
// A CRC is linear. Let r(d) be the register that begins with 0 and runs over d, and compute polynomials
// modulo the CRC's:
//
//   concatenation   crc(a b) = crc(a) * x^(8 |b|)  +  crc(b)
//   change          crc(m')  = crc(m)  +  r(d) * x^(8 n)      d: old XOR new bytes; n bytes follow them
//
// A product with a power of x costs about 10 ns, wherever the bytes are: the exponent is cut into digits of
// 10 bits, and tables have the powers.
//
// Source: the identity that zlib's crc32_combine() uses. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

// Returns the CRC of two consecutive ranges from their CRCs. Precondition: second_bytes < 2^50.
std::uint32_t crc32c_of_both(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

// Returns the CRC of bytes that are all 0. Precondition: bytes < 2^50.
std::uint32_t crc32c_of_zeros(std::uint64_t bytes);

// Returns the value to XOR to the CRC of a message in which bytes change. `difference` is the old bytes XOR
// the new ones; `bytes_behind` bytes of the message follow them. Precondition: bytes_behind < 2^50.
std::uint32_t crc32c_of_change(std::span<const std::byte> difference, std::uint64_t bytes_behind);

}  // namespace bloomery
