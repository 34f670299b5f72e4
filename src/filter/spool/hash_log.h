// Hashes written down in order and read back in that order, as often as one likes, in bounded memory.
//
//   append -> blocks of block_hashes:   in memory ... | in the file ...          | the last, in memory
//                                       as many as    | a full last block goes   |
//                                       memory holds  | here when more is to come|
//   next   <- block after block; one from the file through a buffer, checked against its CRC-32C
//
// The k-th hash appended has ordinal k, from 0; readers are told it, so that they can name a line or a key.
// The file is made when first needed and has no name (nameless_file.h); it is never synced. If all fits
// memory no file is made. A block in the file is its hashes in machine order: the file lives no longer than
// its process, so nothing here is a format.
//
// Memory: memory_bytes, but at least two blocks, allocated as needed; beside it 4 bytes for each block in the
// file, its CRC, which stays in memory so that a block in the wrong place, or of an earlier write, is found
// as well.
//
// Invariants: what next() gives is what was appended, or it gives an error; after an error every later call
// gives that error.
// Not here: a set of hashes (hash_spool.h); more than one thread; more than one reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

struct HashLogOptions {
  std::string directory = ".";      // where blocks are written when memory is full; "" is "." too
  std::uint64_t memory_bytes = 0;   // of hashes in memory; two blocks if that is more
  std::size_t block_hashes = 8192;  // at least 1
};

struct HashBatch {
  std::uint64_t first = 0;          // the ordinal of hashes[0]
  std::span<const Hash128> hashes;  // none at the end of the log
};

// Calls: (append* rewind next*)*
class HashLog {
 public:
  // `files` must outlive the log. No file is touched.
  static HashLog create(FileSystem& files, const HashLogOptions& options);

  // Errors: kIo, kNotFound, naming the file.
  Status append(std::span<const Hash128> hashes);

  std::uint64_t size() const { return size_; }

  // The next batch is the first one again.
  void rewind() { position_ = 0; }

  // The hashes that follow those of the call before, up to block_hashes of them, valid until the next call
  // of append() or next().   Errors: kCorruption, kIo, naming the file.
  Result<HashBatch> next();

  // Written to the file so far.
  std::uint64_t disk_bytes() const { return block_bytes() * checksums_.size(); }

 private:
  HashLog(FileSystem& files, const HashLogOptions& options);

  std::uint64_t block_bytes() const { return std::uint64_t{options_.block_hashes} * sizeof(Hash128); }
  Status make_room();
  Status write_last_block();
  Result<std::span<const Hash128>> block(std::uint64_t index);
  Status read_block(std::size_t index_in_file);

  FileSystem* files_;
  HashLogOptions options_;
  std::uint64_t memory_blocks_max_;  // of blocks_; the buffer is one more
  Status status_;                    // of the first call that failed
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;  // the ordinal of the next hash to give

  std::vector<std::vector<Hash128>> blocks_;  // those in memory, all full but the last
  File file_;                                 // the blocks before the last of blocks_, once it is made
  std::vector<std::uint32_t> checksums_;      // of the blocks in the file
  std::vector<Hash128> buffer_;               // the block of the file that was read last
};

}  // namespace bloomery
