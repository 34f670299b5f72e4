// Reads the encoding DELTA_BINARY_PACKED: a sequence of integers, each stored as its distance from the
// previous one.
//
//   header      varints: block size B, miniblocks per block M, number of values; zigzag first value
//   (block)*    zigzag least delta, M bytes of widths, (miniblock)*
//   miniblock   B / M deltas less the least delta, packed by its width (packed_bits.h)
//
// The last block has no miniblocks past its last value. The widths of these have no meaning. All arithmetic
// is modulo 2^64; the caller truncates values of 32 bits.
//
// A block has at least one byte for every miniblock, and B is at most kMostBlockValues, so the values of a
// page are bounded by its bytes. Source: Apache Parquet format, Encodings.md, "Delta Encoding".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"

namespace bloomery::parquet {

class DeltaNumbers {
 public:
  // Writers have blocks of 128 to 2,048 values. A block of two bytes may have as many.
  static constexpr std::uint64_t kMostBlockValues = 2048;

  // Reads the header. `bytes` begin at `offset` of their page; more may follow the numbers. Errors:
  // kCorruption, also if the number of values is not `count`; kUnsupported.
  static Result<DeltaNumbers> open(std::span<const std::byte> bytes, std::uint64_t offset,
                                   std::uint64_t count);

  // Returns the next number. Precondition: fewer than `count` were read. Errors: kCorruption.
  Result<std::uint64_t> next() {
    if (is_first_) {
      is_first_ = false;
      --left_;
      return value_;
    }
    if (buffered_ == used_) {
      BLOOMERY_RETURN_IF_ERROR(fill());
    }
    --left_;
    value_ += buffer_[used_++];
    return value_;
  }
  // Returns the number of bytes that the numbers occupy. It walks over the headers of all blocks.
  Result<std::uint64_t> size_bytes() const;

 private:
  static constexpr std::size_t kUnpacked = 32;  // a miniblock has a multiple of this

  DeltaNumbers(std::span<const std::byte> bytes, std::uint64_t offset) : bytes_(bytes), offset_(offset) {}

  Status read_header(std::uint64_t count);
  Result<std::uint64_t> varint();
  Status fill();
  Status begin_block();
  Status begin_miniblock();
  Error damaged(const std::string& detail) const {
    return Error::corruption("parquet delta numbers", offset_ + at_, detail);
  }

  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
  std::size_t at_ = 0;
  std::uint64_t miniblocks_ = 0;        // in a block
  std::uint64_t miniblock_values_ = 0;  // in a miniblock
  std::uint64_t left_ = 0;              // numbers that were not read
  std::uint64_t value_ = 0;
  bool is_first_ = true;
  std::uint64_t least_delta_ = 0;
  std::span<const std::byte> widths_;                 // of the miniblocks of this block that were not begun
  std::span<const std::byte> packed_;                 // the miniblock
  unsigned width_ = 0;                                // of its values
  std::uint64_t miniblock_at_ = 0;                    // the values of the miniblock that were unpacked
  std::array<std::uint64_t, kUnpacked> buffer_ = {};  // deltas
  std::size_t buffered_ = 0;
  std::size_t used_ = 0;
};

}  // namespace bloomery::parquet
