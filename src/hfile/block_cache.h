// A cache of a file's blocks, verified and decompressed, up to a number of bytes.
//
// Replacement is CLOCK: the blocks stand in a ring, and a hand goes round when room is needed. The hand drops
// a block that nobody asked for since its last visit, and clears the mark of the others. A block larger than
// the whole cache is returned and not kept. Errors are not kept.
//
// The bound counts payloads as they are in memory. Beside them the cache needs:
//
//   - about 100 bytes a block, in the table and the ring;
//   - about 8 bytes a cell, in a block of plain cells that was sought in (cell_starts.h);
//   - about 9 bytes an entry, in an index block that was sought in (row_heads.h).
//
// All of it is charged to the file's memory. If a block cannot be read because that memory is used up, the
// cache forgets everything and the block is read again.
//
// Thread-safe; two threads that miss the same block may both read it. Not here: a cache that several files
// share.
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
  // `disk` must outlive the cache.
  BlockCache(BlockSource& disk, std::uint64_t most_bytes) : disk_(disk), most_bytes_(most_bytes) {}

  void forget() override;

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};  // marks a free place; no block has this offset

  Result<BlockPointer> fetch(const BlockAddress& address) override;
  BlockPointer find(std::uint64_t offset);
  void keep(const BlockPointer& block);
  void make_room(std::uint64_t bytes);

  BlockSource& disk_;
  const std::uint64_t most_bytes_;
  std::mutex mutex_;  // guards all members below
  BlockTable blocks_;
  std::vector<std::uint64_t> ring_;       // offsets of the blocks, or kNone
  std::vector<std::size_t> free_places_;  // of the ring
  std::size_t hand_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace bloomery::hfile
