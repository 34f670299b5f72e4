// CRC-32C (Castagnoli), the checksum of every file this project writes.
//
// Polynomial 0x1EDC6F41, reflected, register and result inverted: crc32c("123456789") = 0xE3069283.
// The table version is the definition; processors with the SSE 4.2 crc32 instruction, and the carry-less
// product that comes with it, take three interleaved streams (one instruction has a latency of three cycles,
// so one stream leaves two thirds of the unit idle); those with carry-less products of 512 bits fold four
// registers at a time. Source: RFC 3720, appendix B.4 (vectors).   Not here:
// the masked form of LevelDB (codec/sstable).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

// Returns the CRC of `bytes`, or, given the CRC of what came before, of both together. Thread-safe.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous = 0);

struct Crc32cKernel {
  const char* name;
  bool (*available)();
  // Maps a raw (uninverted) register over `bytes`.
  std::uint32_t (*extend)(std::uint32_t state, std::span<const std::byte> bytes);
};

// All kernels of this build, the definition last. They give the same value for every input.
std::span<const Crc32cKernel> crc32c_kernels();

extern const Crc32cKernel kScalarCrc32cKernel;
extern const Crc32cKernel kSse42Crc32cKernel;
extern const Crc32cKernel kAvx512Crc32cKernel;

}  // namespace bloomery
