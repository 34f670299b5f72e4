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
// Integers are little-endian. The first hash of a block is above the last one of the block before.
//
// Invariants:
//
//   - The bytes depend on the hashes alone, not on the calls that gave them.
//   - A reader gives hashes that ascend and lie in its range. It reports the end only if all blocks, their
//     checksums and the number of hashes are as they were written.
//
// A damaged block may be found only at its end. The hashes taken from it before are then worthless.
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

  // Precondition: the hashes ascend, and are above those that were given before.
  Status add(std::span<const std::uint64_t> hashes);
  Status finish();

  std::uint64_t hashes() const { return hashes_; }
  std::uint64_t bytes() const { return bytes_; }
  // Returns a hash of all blocks, to be called after finish(). It is zero without blocks.
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
  // The blocks as the front of the file describes them.
  struct Extent {
    std::uint64_t offset;
    std::uint64_t bytes;
    std::uint64_t hashes;
    HashRange range;  // in which all of them must be
  };

  // `file` must outlive the reader and stay where it is. Reads nothing yet.
  HashBlockReader(File& file, const Extent& extent);

  // Appends to `out` the hashes <= `last` that were not given yet. `last` must not be less than in the call
  // before. Errors: kCorruption naming the file; kIo.
  Status read_through(std::uint64_t last, std::vector<std::uint64_t>& out);

  // Returns Ok if all hashes were given and the blocks were found as they were written.
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
