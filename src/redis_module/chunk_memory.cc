#include "redis_module/chunk_memory.h"

#include <atomic>
#include <cstring>

#include "redis_module/server_memory.h"

namespace bloomery::redis_module {
namespace {

std::atomic<std::uint64_t> total_bytes{0};

}  // namespace

std::uint64_t all_chunk_bytes() {
  return total_bytes.load(std::memory_order_relaxed);
}

void* take_counted(std::uint64_t size) {
  void* const memory = take_unset(size);
  total_bytes.fetch_add(memory == nullptr ? 0 : size, std::memory_order_relaxed);
  return memory;
}

void give_back_counted(void* memory, std::uint64_t size) {
  total_bytes.fetch_sub(size, std::memory_order_relaxed);
  give_back(memory);
}

std::byte* take_chunk(std::uint64_t size, const std::byte* from) {
  const std::uint64_t rounded = (size + 63) / 64 * 64;  // allocators align such sizes to cache lines
  auto* const bytes = static_cast<std::byte*>(from == nullptr ? take_zeroed(rounded) : take_unset(rounded));
  if (bytes == nullptr) {
    return nullptr;
  }
  if (from != nullptr) {
    std::memcpy(bytes, from, size);
  }
  total_bytes.fetch_add(size, std::memory_order_relaxed);
  return bytes;
}

void give_back_chunk(std::byte* bytes, std::uint64_t size) {
  if (bytes != nullptr) {
    give_back_counted(bytes, size);
  }
}

}  // namespace bloomery::redis_module
