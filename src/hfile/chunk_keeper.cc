#include "hfile/chunk_keeper.h"

#include <memory>
#include <utility>

namespace bloomery::hfile {
namespace {

constexpr std::uint64_t kKeptBytes = std::uint64_t{512} << 20;
constexpr std::uint64_t kKeptEntryBytes = 512;  // bound for an entry of the map and an error's text

}  // namespace

Surroundings ChunkKeeper::surroundings() {
  return {.between = [](BlockSource& disk) { return std::make_unique<ChunkKeeper>(disk); }};
}

void ChunkKeeper::forget() {
  const std::scoped_lock lock(mutex_);
  forget_all();
}

// Precondition: mutex_ is held.
void ChunkKeeper::forget_all() {
  kept_.clear();
  kept_bytes_ = 0;
}

// Reads a block. If the file's memory has no room for it, drops everything that is kept and tries again.
Result<BlockPointer> ChunkKeeper::read_with_room(const BlockAddress& address) {
  Result<BlockPointer> block = disk_.read(address);
  if (!block && block.error().code() == ErrorCode::kCapacity && !kept_.empty()) {
    forget_all();
    block = disk_.read(address);
  }
  if (block) {
    budget_ = (*block)->memory();
  }
  return block;
}

// Keeps a chunk, or the error of a damaged one. Other errors, such as exhausted memory, may be transient and
// are not kept. If there is no room for the entry, even after everything was dropped, the chunk is returned
// and not kept.
Result<BlockPointer> ChunkKeeper::fetch(const BlockAddress& address, ReadAhead* /*ahead*/) {
  const std::scoped_lock lock(mutex_);
  if (address.kind != BlockKind::kBloomChunk) {
    return read_with_room(address);
  }
  if (const auto kept = kept_.find(address.offset); kept != kept_.end()) {
    return kept->second.chunk;
  }
  Result<BlockPointer> chunk = read_with_room(address);
  MemoryShare memory(budget_);
  const std::uint64_t bytes = kKeptEntryBytes + (chunk ? (*chunk)->payload().size() : 0);
  if (kept_bytes_ + bytes > kKeptBytes || !memory.try_add(kKeptEntryBytes)) {
    forget_all();
  }
  const bool is_of_the_file = chunk || chunk.error().code() == ErrorCode::kCorruption;
  if (is_of_the_file && (memory.bytes() != 0 || memory.try_add(kKeptEntryBytes))) {
    kept_bytes_ += bytes;
    kept_.emplace(address.offset, Kept{chunk, std::move(memory)});
  }
  return chunk;
}

}  // namespace bloomery::hfile
