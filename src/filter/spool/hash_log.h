// Appends hashes in order, and reads them back in that order any number of times, in bounded memory.
//
//    append -> blocks of block_hashes hashes
//              +----------------------+-----------------------------+------------------+
//              | in memory: as many   | in the file: a full last    | the last block,  |
//              | as memory holds      | block goes here when more   | in memory        |
//              |                      | is to come                  |                  |
//              +----------------------+-----------------------------+------------------+
//    next   <- block after block; a block of the file is read into a buffer and checked against its CRC-32C
//
// The k-th appended hash has ordinal k, from 0. Readers receive it, so that they can name a line or a key.
// The file is created when first needed and has no name (nameless_file.h). It is never synced. If all hashes
// fit the memory, no file is created. A block in the file has its hashes in machine order. The file lives no
// longer than its process, so nothing here is a format.
//
// Memory: memory_bytes, but at least two blocks, allocated as needed. In addition, 4 bytes for the CRC of
// each block in the file. The CRC stays in memory, so a misplaced block, or one of an earlier write, is
// detected too.
//
// Invariants: next() returns exactly the appended hashes, or an error. After an error every later call
// returns that error. Not here: a set of hashes (hash_spool.h); more than one thread; more than one reader.
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
  std::string directory = ".";      // folder of the file; "" is "." too
  std::uint64_t memory_bytes = 0;   // for hashes in memory; two blocks if that is more
  std::size_t block_hashes = 8192;  // at least 1
};

struct HashBatch {
  std::uint64_t first = 0;          // the ordinal of hashes[0]
  std::span<const Hash128> hashes;  // none at the end of the log
};

// Order of calls: (append* rewind next*)*
class HashLog {
 public:
  // `files` must outlive the log. Accesses no file.
  static HashLog create(FileSystem& files, const HashLogOptions& options);

  // Errors: kIo, kNotFound, naming the file.
  Status append(std::span<const Hash128> hashes);

  std::uint64_t size() const { return size_; }

  // Restarts reading at the first batch.
  void rewind() { position_ = 0; }

  // Returns the hashes that follow those of the previous call, up to block_hashes of them. They are valid
  // until the next call of append() or next(). Errors: kCorruption, kIo, naming the file.
  Result<HashBatch> next();

  // Rewinds, and calls use(hashes) for each batch, which returns a Status. Errors: kCorruption, kIo, naming
  // the file; also the errors of `use`.
  template <typename Use>
  Status for_each(const Use& use) {
    rewind();
    for (;;) {
      BLOOMERY_ASSIGN_OR_RETURN(const HashBatch batch, next());
      if (batch.hashes.empty()) {
        return {};
      }
      BLOOMERY_RETURN_IF_ERROR(use(batch.hashes));
    }
  }

  // Returns the bytes written to the file so far.
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
  std::uint64_t memory_blocks_max_;  // most blocks in blocks_; the buffer is one more
  Status status_;                    // the error of the first call that failed
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;  // the ordinal of the next hash to return

  std::vector<std::vector<Hash128>> blocks_;  // the blocks in memory, all full but the last
  File file_;                                 // has the blocks between the first ones and the last of blocks_
  std::vector<std::uint32_t> checksums_;      // CRCs of the blocks in the file
  std::vector<Hash128> buffer_;               // the block of the file that was read last
};

}  // namespace bloomery
