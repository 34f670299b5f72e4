#include "hfile/chunk_keeper.h"

#include <memory>

namespace bloomery::hfile {
namespace {

constexpr std::uint64_t kKeptBytes = std::uint64_t{512} << 20;

}  // namespace

Surroundings ChunkKeeper::surroundings() {
  return {.between = [](BlockSource& disk) { return std::make_unique<ChunkKeeper>(disk); }};
}

Result<BlockPointer> ChunkKeeper::fetch(const BlockAddress& address) {
  if (address.kind != BlockKind::kBloomChunk) {
    return disk_.read(address);
  }
  const std::scoped_lock lock(mutex_);
  if (const auto kept = kept_.find(address.offset); kept != kept_.end()) {
    return kept->second;
  }
  if (kept_bytes_ > kKeptBytes) {
    kept_.clear();
    kept_bytes_ = 0;
  }
  kept_bytes_ += address.on_disk_bytes;
  return kept_.emplace(address.offset, disk_.read(address)).first->second;
}

}  // namespace bloomery::hfile
