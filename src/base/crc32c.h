// CRC-32C (Castagnoli), the checksum of every file that this project writes.
//
// The polynomial is 0x1EDC6F41, reflected; the register is inverted before and after. crc32c("123456789") =
// 0xE3069283.
//
//   kernel    how it works
//   scalar    by a table; this is the definition
//   sse42     by the crc32 instruction of SSE 4.2, over three interleaved streams. The instruction has a
//             latency of three cycles, so one stream would leave two thirds of the unit idle. A carry-less
//             product joins the streams.
//   avx512    folds four registers at a time, by carry-less products of 512 bits
//
// Source: RFC 3720, appendix B.4 (vectors). LevelDB's masked form is in codec/sstable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

// Returns the CRC of `bytes`. Given the CRC of the bytes before them, returns the CRC of both together.
// Thread-safe.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous = 0);

struct Crc32cKernel {
  const char* name;
  bool (*available)();
  // Continues a raw (not inverted) register over `bytes`.
  std::uint32_t (*extend)(std::uint32_t state, std::span<const std::byte> bytes);
  // Returns a * b * x^33 modulo the polynomial, for reflected registers: the result of one carry-less
  // product.
  std::uint32_t (*multiply)(std::uint32_t a, std::uint32_t b);
};

// Returns the kernel that crc32c() uses.
const Crc32cKernel& chosen_crc32c_kernel();

// Returns all kernels of this build, the definition last. They return the same value for every input.
std::span<const Crc32cKernel> crc32c_kernels();

extern const Crc32cKernel kScalarCrc32cKernel;
extern const Crc32cKernel kSse42Crc32cKernel;
extern const Crc32cKernel kAvx512Crc32cKernel;

}  // namespace bloomery
