// Ascending hashes in a file that outlives its process: blocks of at most 65,536, each delta-coded.
//
//    offset   size   field
//         0      4   hashes, 1 to 65,536; all blocks but the last have 65,536
//         4      4   bytes of the codes
//         8      8   first hash
//        16      8   last hash
//        24      4   k of the Rice code, 0 to 56
//        28      4   CRC-32C of the codes
//        32      4   CRC-32C of bytes 0..31
//        36          codes (run_coding.h, with all 64 bits of a hash)
//
// Integers are little-endian. The first hash of a block is above the last one of the previous block.
//
// Invariants:
//
//   - The bytes depend only on the hashes, not on their division into calls.
//   - A reader returns ascending hashes in its range. It reports the end only if all blocks, their checksums
//     and the number of hashes are intact.
//
// Damage in a block may be detected only at its end. The hashes read from it before are then invalid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/spool/run_coding.h"
#include "filter/spool/spread_envelope.h"

namespace bloomery {

inline constexpr std::uint32_t kBlockHashes = 65536;
inline constexpr std::size_t kHashBlockHeaderBytes = 36;

// Calls: add* finish
class HashBlockWriter {
 public:
  using Append = std::function<Status(std::span<const std::byte>)>;

  explicit HashBlockWriter(Append append) : append_(std::move(append)) {}

  // Precondition: the hashes ascend, and are above all earlier ones.
  Status add(std::span<const std::uint64_t> hashes);
  Status finish();

  std::uint64_t hashes() const { return hashes_; }
  std::uint64_t bytes() const { return bytes_; }
  // Returns a hash of all blocks, or zero if there are none. Precondition: finish() was called.
  const Hash128& digest() const { return digest_; }

 private:
  Status write_block(std::span<const std::uint64_t> hashes);

  Append append_;
  std::vector<std::uint64_t> waiting_;  // less than a block
  std::vector<std::byte> block_;
  std::uint64_t hashes_ = 0;
  std::uint64_t bytes_ = 0;
  Hash128 digest_ = {};
};

class HashBlockReader {
 public:
  // The extent of the blocks, from the front of the file.
  struct Extent {
    std::uint64_t offset;
    std::uint64_t bytes;
    std::uint64_t hashes;
    HashRange range;  // all hashes must be in it
  };

  // `file` must outlive the reader and must not move. Reads nothing yet.
  HashBlockReader(File& file, const Extent& extent);

  // Appends to `out` the hashes <= `last` that were not returned yet. `last` must not be less than in the
  // previous call. Errors: kCorruption naming the file; kIo.
  Status read_through(std::uint64_t last, std::vector<std::uint64_t>& out);

  // Returns Ok if all hashes were returned and the blocks were intact.
  Status check_end() const;

 private:
  Status open_block();
  Status check_block(const Run& run) const;
  Error damage(const std::string& detail) const;

  File* file_;
  Extent extent_;
  std::uint64_t next_;                 // the offset of the next block
  std::uint64_t left_;                 // hashes that were not opened yet
  std::optional<std::uint64_t> last_;  // the last hash of the block that was opened last
  std::uint64_t first_ = 0;            // the first hash of that block
  std::optional<RunDecoder> block_;
};

}  // namespace bloomery
