// The delta code of the sorted runs of hashes that hash_spool.h stores on disk.
//
// A hash h whose top kept_bits count is the unit u = h >> (64 - kept_bits). For every unit but the first, the
// encoder writes d = u[i] - u[i-1] - 1, low bits first. Bit b of the run is bit b % 8 of byte b / 8.
//
//    d >> k < 32:   d >> k ones, a zero, the low k bits of d          (Golomb-Rice)
//    otherwise:     32 ones, d in 64 bits                             (so no gap costs more than 96 bits)
//
//    example, k = 3, d = 21 = 2 * 8 + 5:   1 1 0   1 0 1      two ones, a zero, 5 in three bits (low first)
//
// Zeros fill up the last byte. k is fitted to the mean gap of the run. The code needs 0.03 to 0.12 bits a
// hash more than the entropy of uniform hashes. The metadata that a reader needs besides the bytes (Run) stay
// in memory. A run lives no longer than its process, so nothing here is a format.
//
// Invariants:
//
//   - A decoder returns hashes that are strictly ascending and within [first, last], even from corrupt bytes.
//   - It reports the end of a run only if its bytes, their CRC-32C and its last hash are intact.
//
// Damage in a run may be detected only at its end. The hashes read from it before are then invalid.
//
// Sources: S. W. Golomb, "Run-length encodings", 1966; R. F. Rice, JPL 79-22, 1979. Not here: sorting
// (sort_hashes.h), files with many runs (hash_spool.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery {

struct Run {
  std::uint64_t count = 0;  // hashes, at least 1
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  unsigned kept_bits = 64;
  unsigned rice_bits = 0;        // k
  std::uint64_t offset = 0;      // where the run begins in the file
  std::uint64_t size_bytes = 0;  // 0 for a run of one hash
  std::uint32_t crc = 0;         // CRC-32C of the bytes
};

// Order of calls: next_piece+ (until it is empty) run
class RunEncoder {
 public:
  // `hashes` are at least one, strictly ascending, and their low 64 - kept_bits bits are 0. They must outlive
  // the encoder. `offset` is the offset in a file where the caller will write the run. Precondition: 1 <=
  // kept_bits <= 64.
  RunEncoder(std::span<const std::uint64_t> hashes, unsigned kept_bits, std::uint64_t offset);

  // Returns the next bytes of the run, a little over 64 KiB unless they are the last. They are valid until
  // the next call. Returns none after the last.
  std::span<const std::byte> next_piece();

  // Returns the run. It is complete once next_piece() has returned nothing.
  const Run& run() const { return run_; }

 private:
  void put(std::uint64_t value, unsigned bits);
  void put_gap(std::uint64_t gap_less_1);

  std::span<const std::uint64_t> hashes_;
  std::size_t next_ = 1;  // the hash whose gap is written next
  Run run_;
  std::vector<std::byte> piece_;
  std::size_t piece_size_ = 0;
  std::uint64_t pending_ = 0;  // bits that do not fill a byte yet; the others are 0
  unsigned pending_bits_ = 0;
};

// Reads a run through a buffer of `buffer_bytes`, which is its memory. Costs 5 ns a hash, measured with 20
// and with 43 bits a hash on an EPYC with 512 KiB of second-level cache.
class RunDecoder {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{16} << 10;

  // `file` must outlive the decoder and must not move. Reads nothing yet. Precondition: buffer_bytes >= 64.
  RunDecoder(File& file, const Run& run, std::size_t buffer_bytes = kBufferBytes);

  // Appends to `out` the hashes <= `last` that were not returned yet. Errors: kCorruption naming the file;
  // kIo.
  Status decode_through(std::uint64_t last, std::vector<std::uint64_t>& out);

  // Returns true if all hashes were returned and the run was intact.
  bool exhausted() const { return left_ == 0; }

 private:
  std::uint64_t codes_in_buffer() const;
  Status refill();
  Status decode_some(std::uint64_t last_unit, std::vector<std::uint64_t>& out);
  Status check_end() const;
  Error damage(const std::string& detail) const;

  File* file_;
  Run run_;
  std::uint64_t left_;          // hashes not returned yet, unit_ included
  std::uint64_t unit_;          // the next unit to return
  std::uint64_t read_ = 0;      // bytes of the run that were read
  std::uint32_t crc_ = 0;       // CRC of the bytes that were read
  std::size_t capacity_;        // bytes that the buffer holds, without the zeros that follow
  std::size_t filled_ = 0;      // bytes in the buffer
  std::uint64_t position_ = 0;  // bit of the buffer where the next code begins
  std::vector<std::byte> buffer_;
};

}  // namespace bloomery
