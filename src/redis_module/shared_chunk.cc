#include "redis_module/shared_chunk.h"

#include <memory>

namespace bloomery::redis_module {

std::byte* SharedChunk::write_own(std::uint64_t size) {
  auto fresh = std::make_unique<Owned>();
  fresh->bytes = take_chunk(size, read());
  if (fresh->bytes == nullptr) {
    return nullptr;
  }
  fresh->size = size;
  if (owned_ != nullptr) {
    release();
  }
  owned_ = fresh.release();
  return owned_->bytes;
}

void SharedChunk::release() {
  if (owned_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    give_back_chunk(owned_->bytes, owned_->size);
    delete owned_;
  }
}

}  // namespace bloomery::redis_module
