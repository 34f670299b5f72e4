#include "redis_module/chunk_group.h"

#include <algorithm>
#include <memory>
#include <new>

#include "redis_module/chunk_memory.h"

namespace bloomery::redis_module {
namespace {

constexpr std::size_t kLineBytes = 64;

}  // namespace

// A block begins with a cache line, so that a query reads one line of a group.
void ChunkGroup::make_block(const GroupSize& size) {
  static_assert(sizeof(std::byte*) == sizeof(Owners*) && alignof(std::byte*) >= alignof(Head));
  void* const block = ::operator new(block_bytes(size.chunks), std::align_val_t(kLineBytes));
  count_ = static_cast<std::uint8_t>(size.chunks);
  bytes_ = static_cast<std::byte**>(block);
  std::fill_n(bytes_, count_, nullptr);
  std::fill_n(owners(), count_, nullptr);
  new (&head()) Head{.holders = 1, .all_bytes = static_cast<std::uint32_t>(size.bytes), .made_bytes = 0};
}

void ChunkGroup::release() {
  if (head().holders.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  const GroupSize size = {.chunks = count_, .bytes = head().all_bytes};
  for (std::size_t i = 0; i < count_; ++i) {
    if (bytes_[i] != nullptr && owners()[i]->fetch_sub(1, std::memory_order_acq_rel) == 1) {
      give_back_chunk(bytes_[i], size.bytes_of(i));
      delete owners()[i];
    }
  }
  head().~Head();
  ::operator delete(bytes_, std::align_val_t(kLineBytes));
}

void ChunkGroup::make_alone(const GroupSize& size) {
  if (bytes_ == nullptr) {
    make_block(size);
    return;
  }
  if (has_one_holder()) {
    return;
  }
  for (const Owners* const one : std::span(owners(), count_)) {
    __builtin_prefetch(one, 1);
  }
  ChunkGroup fresh;
  fresh.make_block(size);
  std::copy_n(bytes_, count_, fresh.bytes_);
  std::copy_n(owners(), count_, fresh.owners());
  fresh.head().made_bytes = head().made_bytes;
  for (Owners* const one : std::span(owners(), count_)) {
    if (one != nullptr) {
      one->fetch_add(1, std::memory_order_relaxed);
    }
  }
  std::swap(bytes_, fresh.bytes_);
}

std::byte* ChunkGroup::make_own(std::size_t chunk, const GroupSize& size) {
  make_alone(size);
  std::byte*& bytes = bytes_[chunk];
  Owners*& owned_by = owners()[chunk];
  if (bytes == nullptr || owned_by->load(std::memory_order_acquire) != 1) {
    auto owner = std::make_unique<Owners>(1);
    std::byte* const made = take_chunk(size.bytes_of(chunk), bytes);
    if (made == nullptr) {
      return nullptr;
    }
    if (bytes == nullptr) {
      head().made_bytes += static_cast<std::uint32_t>(size.bytes_of(chunk) + sizeof(Owners));
    } else if (owned_by->fetch_sub(1, std::memory_order_acq_rel) ==
               1) {  // the last other owner has gone meanwhile
      give_back_chunk(bytes, size.bytes_of(chunk));
      delete owned_by;
    }
    bytes = made;
    owned_by = owner.release();
  }
  alone_ = static_cast<std::uint8_t>(alone_ | 1U << chunk);
  for (const std::uint16_t position : pending_.of(chunk)) {
    bytes[position / 8] |= static_cast<std::byte>(1U << (position % 8));
  }
  return pending_.clear(chunk) ? bytes : nullptr;
}

}  // namespace bloomery::redis_module
