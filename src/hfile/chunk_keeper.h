// Stands between a reader and its file, and keeps the Bloom chunks it has read, and what was wrong with them,
// so that each is read once: for who asks all of them, or all cells of a file. Up to 512 MiB.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "bloomery/base/result.h"
#include "hfile/block_source.h"
#include "hfile/open_file.h"

namespace bloomery::hfile {

class ChunkKeeper final : public BlockSource {
 public:
  explicit ChunkKeeper(BlockSource& disk) : disk_(disk) {}
  // Makes a file be read through one.
  static Surroundings surroundings();

 private:
  Result<BlockPointer> fetch(const BlockAddress& address) override;

  BlockSource& disk_;
  std::mutex mutex_;  // of what is kept
  std::map<std::uint64_t, Result<BlockPointer>> kept_;
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace bloomery::hfile
