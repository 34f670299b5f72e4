#include "hfile/block_cache.h"

#include <utility>

namespace bloomery::hfile {
namespace {

// With the header, which an uncompressed block keeps in front of its payload.
std::uint64_t size_of(const Block& block) {
  return kBlockHeaderBytes + block.payload().size();
}

}  // namespace

BlockPointer BlockCache::find(std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  const auto found = slot_of_.find(offset);
  if (found == slot_of_.end()) {
    return nullptr;
  }
  Slot& slot = ring_[found->second];
  slot.was_asked = true;
  return slot.block;
}

// Goes round until so many bytes fit. Precondition: they can.
void BlockCache::make_room(std::uint64_t bytes) {
  while (bytes_ + bytes > most_bytes_) {
    hand_ = hand_ + 1 < ring_.size() ? hand_ + 1 : 0;
    Slot& slot = ring_[hand_];
    if (slot.block == nullptr || std::exchange(slot.was_asked, false)) {
      continue;
    }
    bytes_ -= size_of(*slot.block);
    slot_of_.erase(slot.block->offset());
    slot.block = nullptr;
    free_slots_.push_back(hand_);
  }
}

void BlockCache::forget() {
  const std::lock_guard lock(mutex_);
  slot_of_.clear();
  ring_.clear();
  free_slots_.clear();
  hand_ = 0;
  bytes_ = 0;
}

void BlockCache::keep(const BlockPointer& block) {
  const std::uint64_t size = size_of(*block);
  const std::lock_guard lock(mutex_);
  if (size > most_bytes_ || slot_of_.contains(block->offset())) {
    return;
  }
  make_room(size);
  if (free_slots_.empty()) {
    free_slots_.push_back(ring_.size());
    ring_.emplace_back();
  }
  const std::size_t at = free_slots_.back();
  free_slots_.pop_back();
  ring_[at] = {block, false};
  slot_of_.emplace(block->offset(), at);
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
