// Stores keys in order and reads them back in that order, in bounded memory.
//
//    append -> one block of about 8 MiB in memory; a full block is written to a file before more is appended
//              key: its length in 8 bytes, its bytes
//   next   <- block after block; a block in the file is checked against its CRC-32C, which is kept in memory
//
// The file is created when the first block is written, and has no name (nameless_file.h). It disappears with
// its process, so its layout is not a stable format.
//
// Memory: two blocks, the longest batch, and 16 bytes for each block in the file. Not thread-safe. For
// hashes, filter/spool/hash_log.h needs less memory.
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

  // `files` must outlive the log. The constructor creates no file.
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
  std::string last_;  // the block that is being filled
  File file_;         // contains the earlier blocks
  std::vector<Block> blocks_;
  std::uint64_t disk_bytes_ = 0;

  std::size_t next_block_ = 0;
  std::uint64_t next_offset_ = 0;
  std::string read_;  // the block that was last read from the file
};

}  // namespace bloomery::cli
