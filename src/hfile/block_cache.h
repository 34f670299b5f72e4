// Keeps the blocks of a file that were read, checked and decompressed, up to so many bytes.
//
// When there is no room, the blocks that nobody asked for since the hand went over them go, in the order of a
// ring (CLOCK). A block that does not fit at all is handed on. What could not be read is not kept. The bound
// is on payloads as they are in memory; the table adds about 100 bytes for each, a block of plain cells that was
// sought in 8 bytes a cell, and an index block 9 bytes an entry. All of it is charged to the file's memory, and
// given up where a block could not be read beside it. Thread-safe; two threads
// that miss the same block may both read it. Not here: a cache that several files share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "bloomery/base/result.h"
#include "hfile/block.h"
#include "hfile/block_source.h"
#include "hfile/block_table.h"

namespace bloomery::hfile {

class BlockCache final : public BlockSource {
 public:
  // `disk` outlives it.
  BlockCache(BlockSource& disk, std::uint64_t most_bytes) : disk_(disk), most_bytes_(most_bytes) {}

  void forget() override;

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};  // no block begins there

  Result<BlockPointer> fetch(const BlockAddress& address) override;
  BlockPointer find(std::uint64_t offset);
  void keep(const BlockPointer& block);
  void make_room(std::uint64_t bytes);

  BlockSource& disk_;
  const std::uint64_t most_bytes_;
  std::mutex mutex_;  // of all below
  BlockTable blocks_;
  std::vector<std::uint64_t> ring_;       // offsets of the blocks; kNone where a place is free
  std::vector<std::size_t> free_places_;  // of the ring
  std::size_t hand_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace bloomery::hfile
