// Stores keys in order, and reads them back in that order, in bounded memory.
//
//    append -> one block of about 8 MiB in memory; a full block is written to a file before more is appended
//              key: its length in 8 bytes, its bytes
//    next   <- block after block; a block of the file is checked against its CRC-32C, which stays in memory
//
// The file is made on first use and is unnamed (nameless_file.h). It disappears with its process, so its
// layout is not a stable format.
//
// Memory: two blocks and the longest batch, and 16 bytes for each block in the file. Not thread-safe.
// Hashes need less memory in filter/spool/hash_log.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

// Order of calls: append* next*
class KeyLog {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{8} << 20;

  // `files` must outlive the log. Touches no file.
  KeyLog(FileSystem& files, std::string directory) : files_(&files), directory_(std::move(directory)) {}

  // Errors: kIo, kNotFound, naming the file.
  Status append(std::span<const std::string_view> keys);

  std::uint64_t size() const { return size_; }
  std::uint64_t disk_bytes() const { return disk_bytes_; }

  // Sets `keys` to the next keys, valid until the next call. Returns false if there are none. Errors:
  // kCorruption, kIo, naming the file.
  Result<bool> next(std::vector<std::string_view>& keys);

 private:
  struct Block {
    std::uint64_t bytes;
    std::uint32_t checksum;
  };

  Status write_block();
  Status read_block(const Block& block);

  FileSystem* files_;
  std::string directory_;
  std::uint64_t size_ = 0;
  std::string last_;  // the block in memory
  File file_;         // the blocks before it
  std::vector<Block> blocks_;
  std::uint64_t disk_bytes_ = 0;

  std::size_t next_block_ = 0;
  std::uint64_t next_offset_ = 0;
  std::string read_;  // the block of the file that was last read
};

}  // namespace bloomery::cli
