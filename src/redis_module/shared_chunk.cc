#include "redis_module/shared_chunk.h"

#include <cstring>
#include <memory>

#include "redis_module/server_memory.h"

namespace bloomery::redis_module {
namespace {

std::atomic<std::uint64_t> chunk_bytes_total{0};

}  // namespace

std::uint64_t all_chunk_bytes() {
  return chunk_bytes_total.load(std::memory_order_relaxed);
}

std::byte* SharedChunk::write_own(std::uint64_t size) {
  auto fresh = std::make_unique<Owned>();
  fresh->bytes = static_cast<std::byte*>(take_zeroed((size + 63) / 64 * 64));
  if (fresh->bytes == nullptr) {
    return nullptr;
  }
  fresh->size = size;
  chunk_bytes_total.fetch_add(size, std::memory_order_relaxed);
  if (owned_ != nullptr) {
    std::memcpy(fresh->bytes, owned_->bytes, size);
    release();
  }
  owned_ = fresh.release();
  return owned_->bytes;
}

void SharedChunk::release() {
  if (owned_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    chunk_bytes_total.fetch_sub(owned_->size, std::memory_order_relaxed);
    give_back(owned_->bytes);
    delete owned_;
  }
}

}  // namespace bloomery::redis_module
