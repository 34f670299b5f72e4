// Reads one block of a table in three steps: checks that it is in the file, verifies its checksum,
// decompresses it.
//
//   contents | u8 compression | u32 checksum       the handle has the size of the contents as stored
//
//   compression   LevelDB: 0 none, 1 snappy, 2 zstd
//                 RocksDB: 0 none, 1 snappy, 2 deflate, 4 and 5 lz4, 7 zstd; except for snappy, a varint
//                          with the decompressed size precedes the compressed bytes
//
// Not supported: RocksDB's deflate and lz4 in format versions below 2, which lack the
// size; dictionaries; bzip2.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "codec/sstable/block_handle.h"
#include "codec/sstable/footer.h"

namespace bloomery::sstable {

// A block's contents: a view into the file, or decompressed bytes, which are charged to a memory budget.
class Block {
 public:
  explicit Block(std::span<const std::byte> view) : view_(view) {}
  Block(std::vector<std::byte> owned, MemoryShare memory)
      : owned_(std::move(owned)), view_(owned_), memory_(std::move(memory)) {}
  Block(Block&&) = default;  // a moved vector keeps the address of its bytes
  Block& operator=(Block&&) = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() = default;

  std::span<const std::byte> contents() const { return view_; }

 private:
  std::vector<std::byte> owned_;
  std::span<const std::byte> view_;
  MemoryShare memory_;
};

// `name` is the name of the block in errors. Errors: kCorruption, kUnsupported; kCapacity if the block claims
// more than 256 MiB when decompressed, or `memory` has no room for it.
Result<Block> read_block(std::span<const std::byte> file, const Footer& footer, const BlockHandle& handle,
                         const char* name, MemoryShare memory = {});

}  // namespace bloomery::sstable
