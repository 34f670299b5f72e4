// Stands between a reader and its file, and keeps the Bloom chunks it has read, and what was wrong with them,
// so that each is read once: for who asks all of them, or all cells of a file. Up to 512 MiB, in memory and
// not on disk, and no more than the file's memory has room for: it then forgets all, and begins again.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "hfile/block_source.h"
#include "hfile/open_file.h"

namespace bloomery::hfile {

class ChunkKeeper final : public BlockSource {
 public:
  explicit ChunkKeeper(BlockSource& disk) : disk_(disk) {}
  // Makes a file be read through one.
  static Surroundings surroundings();
  void forget() override;

 private:
  struct Kept {
    Result<BlockPointer> chunk;
    MemoryShare memory;  // of what is kept of an error; a block has its own
  };

  Result<BlockPointer> fetch(const BlockAddress& address) override;
  Result<BlockPointer> read_with_room(const BlockAddress& address);
  void forget_all();

  BlockSource& disk_;
  std::mutex mutex_;  // of what is kept
  std::map<std::uint64_t, Kept> kept_;
  std::uint64_t kept_bytes_ = 0;
  std::shared_ptr<MemoryBudget> budget_;  // of the blocks that were read
};

}  // namespace bloomery::hfile
