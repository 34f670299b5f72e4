#include "hfile/block_cache.h"

#include <utility>

namespace bloomery::hfile {
namespace {

// The bytes that the cache counts for a block. They include the header, which an uncompressed block keeps in
// front of its payload.
std::uint64_t size_of(const Block& block) {
  return kBlockHeaderBytes + block.payload().size();
}

}  // namespace

BlockPointer BlockCache::find(std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  BlockTable::Entry* const found = blocks_.find(offset);
  if (found == nullptr) {
    return nullptr;
  }
  found->was_asked = true;
  found->block->prefetch();
  return found->block;
}

// Moves the hand round the ring until `bytes` more bytes fit. Precondition: bytes <= most_bytes_.
void BlockCache::make_room(std::uint64_t bytes) {
  while (bytes_ + bytes > most_bytes_) {
    hand_ = hand_ + 1 < ring_.size() ? hand_ + 1 : 0;
    const std::uint64_t offset = ring_[hand_];
    if (offset == kNone) {
      continue;
    }
    BlockTable::Entry& entry = *blocks_.find(offset);
    if (std::exchange(entry.was_asked, false)) {
      continue;
    }
    bytes_ -= size_of(*entry.block);
    blocks_.erase(offset);
    ring_[hand_] = kNone;
    free_places_.push_back(hand_);
  }
}

void BlockCache::forget() {
  const std::lock_guard lock(mutex_);
  blocks_.clear();
  ring_.clear();
  free_places_.clear();
  hand_ = 0;
  bytes_ = 0;
}

void BlockCache::keep(const BlockPointer& block) {
  const std::uint64_t size = size_of(*block);
  const std::lock_guard lock(mutex_);
  if (size > most_bytes_ || blocks_.find(block->offset()) != nullptr) {
    return;
  }
  make_room(size);
  if (free_places_.empty()) {
    free_places_.push_back(ring_.size());
    ring_.push_back(kNone);
  }
  ring_[free_places_.back()] = block->offset();
  free_places_.pop_back();
  blocks_.insert(block);
  bytes_ += size;
}

Result<BlockPointer> BlockCache::fetch(const BlockAddress& address) {
  if (BlockPointer kept = find(address.offset)) {
    return kept;
  }
  Result<BlockPointer> block = disk_.read(address);
  if (!block && block.error().code() == ErrorCode::kCapacity) {
    forget();
    block = disk_.read(address);
  }
  if (block) {
    keep(*block);
  }
  return block;
}

}  // namespace bloomery::hfile
