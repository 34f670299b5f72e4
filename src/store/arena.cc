#include "store/arena.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/memory.h"
#include "base/pages.h"

namespace bloomery::store {
namespace {

constexpr std::size_t kMostBlockBytes = kHugePageBytes;
constexpr std::size_t kOwnBlockBytes = kMostBlockBytes / 8;

}  // namespace

// The header of a block is in the memory that it owns.
struct alignas(kCacheLineBytes) Arena::Block {
  AlignedBuffer memory;
  Block* previous = nullptr;
};

Arena::~Arena() {
  while (last_ != nullptr) {
    const AlignedBuffer memory = std::move(last_->memory);
    last_ = last_->previous;
  }
}

Result<Arena::Block*> Arena::new_block(std::size_t bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer memory, AlignedBuffer::zeroed_on_huge_pages(bytes));
  std::byte* const start = memory.bytes().data();
  last_ = new (start) Block{.memory = std::move(memory), .previous = last_};
  bytes_.store(bytes_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  return last_;
}

Status Arena::begin_block(std::size_t bytes) {
  const std::size_t wanted = std::max(next_block_bytes_, sizeof(Block) + bytes);
  BLOOMERY_ASSIGN_OR_RETURN(Block* const block, new_block(wanted));
  next_ = reinterpret_cast<std::byte*>(block) + sizeof(Block);
  end_ = reinterpret_cast<std::byte*>(block) + wanted;
  next_block_bytes_ = std::min(2 * next_block_bytes_, kMostBlockBytes);
  return {};
}

Result<std::byte*> Arena::allocate(std::size_t bytes) {
  const std::size_t rounded = rounded_up(bytes, alignof(std::uint64_t));
  if (rounded > kOwnBlockBytes) {
    BLOOMERY_ASSIGN_OR_RETURN(Block* const block, new_block(sizeof(Block) + rounded));
    return reinterpret_cast<std::byte*>(block) + sizeof(Block);
  }
  BLOOMERY_RETURN_IF_ERROR(reserve(rounded));
  return take(rounded);
}

}  // namespace bloomery::store
