// A layer between a reader and its file that caches Bloom chunks, so that each is read once. It also caches
// the error of a damaged chunk. It serves callers that query all chunks, or query for every cell of a file.
//
// It keeps up to 512 MiB of chunks, at their size in memory, and never more than the file's memory allows. If
// there is no room, it drops everything and begins again. Thread-safe.
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
  // Returns the option that makes OpenFile::open() read a file through a ChunkKeeper.
  static Surroundings surroundings();
  void forget() override;

 private:
  struct Kept {
    Result<BlockPointer> chunk;
    MemoryShare memory;  // charge for the entry and its error; a block has its own
  };

  Result<BlockPointer> fetch(const BlockAddress& address, ReadAhead* ahead) override;
  Result<BlockPointer> read_with_room(const BlockAddress& address);
  void forget_all();

  BlockSource& disk_;
  std::mutex mutex_;  // guards all members below
  std::map<std::uint64_t, Kept> kept_;
  std::uint64_t kept_bytes_ = 0;
  std::shared_ptr<MemoryBudget> budget_;  // the budget of the blocks that were read
};

}  // namespace bloomery::hfile
