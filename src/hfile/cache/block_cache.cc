#include "bloomery/hfile/block_cache.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "hfile/cache/cache_parts.h"

namespace bloomery {
namespace hfile {
namespace {

// Returns the size that the cache counts for a block. It includes the header, which precedes the payload of
// an uncompressed block, and the room.
std::uint64_t size_of(const Block& block) {
  return kBlockHeaderBytes + block.payload().size() + block.room_bytes();
}

}  // namespace

CacheParts::CacheParts(std::uint64_t most_bytes, std::uint64_t most_parts) : most_bytes_(most_bytes) {
  const std::uint64_t wanted = std::clamp<std::uint64_t>(most_bytes / kPartBytes, 1, most_parts);
  const std::uint64_t count = std::bit_floor(wanted);
  for (std::uint64_t i = 0; i < count; ++i) {
    parts_.push_back(std::make_unique<Part>(most_bytes / count));
  }
}

BlockPointer CacheParts::find(Groups& file, std::uint64_t offset, BlockKind kind) {
  const std::uint64_t hash = CacheKey{file.data(), offset}.hash();  // all groups of a file have its number
  const std::size_t at = part_of(hash);
  Part& part = *parts_[at];
  const std::lock_guard lock(part.mutex);
  const BlockPointer* const found = part.entries.find({&file[at], offset}, hash);
  CacheCounters::Asked& asked = part.asked[static_cast<std::size_t>(group_of(kind))];
  ++(found != nullptr ? asked.hits : asked.misses);
  if (found == nullptr) {
    return nullptr;
  }
  (*found)->prefetch();
  return *found;
}

void CacheParts::keep(Groups& file, const BlockPointer& block) {
  const std::uint64_t hash = CacheKey{file.data(), block->offset()}.hash();
  const std::size_t at = part_of(hash);
  Part& part = *parts_[at];
  const CacheKey key{&file[at], block->offset()};
  const std::lock_guard lock(part.mutex);
  if (part.entries.find(key, hash) == nullptr) {  // another thread may have added it meanwhile
    part.entries.insert(key, hash, block, size_of(*block));
  }
}

void CacheParts::drop(Groups& file) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::lock_guard lock(parts_[i]->mutex);
    parts_[i]->entries.drop(file[i]);
  }
}

CacheCounters CacheParts::counters() const {
  CacheCounters counters;
  for (const auto& part : parts_) {
    const std::lock_guard lock(part->mutex);
    for (std::size_t i = 0; i < kBlockGroups; ++i) {
      counters.asked[i].hits += part->asked[i].hits;
      counters.asked[i].misses += part->asked[i].misses;
    }
    counters.blocks += part->entries.count();
    counters.bytes += part->entries.bytes();
    counters.dropped_blocks += part->entries.dropped();
  }
  return counters;
}

}  // namespace hfile

const char* block_group_name(BlockGroup group) {
  constexpr std::array<const char*, kBlockGroups> kNames = {"data", "index", "Bloom", "other"};
  return kNames[static_cast<std::size_t>(group)];
}

std::shared_ptr<BlockCache> BlockCache::make(std::uint64_t most_bytes) {
  return std::make_shared<BlockCache>(std::make_unique<hfile::CacheParts>(most_bytes));
}

BlockCache::BlockCache(std::unique_ptr<hfile::CacheParts> parts) : parts_(std::move(parts)) {}
BlockCache::~BlockCache() = default;

std::uint64_t BlockCache::most_bytes() const {
  return parts_->most_bytes();
}

CacheCounters BlockCache::counters() const {
  return parts_->counters();
}

}  // namespace bloomery
