#include "filter/pages/page_memory.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace bloomery {
namespace {

std::atomic<std::uint64_t> counted_bytes{0};

PageMemoryCalls& calls() {
  static PageMemoryCalls chosen = {.try_zeroed = std::calloc, .try_unset = std::malloc, .release = std::free};
  return chosen;
}

}  // namespace

void use_page_memory(const PageMemoryCalls& given) {
  calls() = given;
}

void* take_zeroed(std::size_t bytes) {
  return calls().try_zeroed(1, bytes);
}

void* take_unset(std::size_t bytes) {
  return calls().try_unset != nullptr ? calls().try_unset(bytes) : take_zeroed(bytes);
}

void give_back(void* memory) {
  calls().release(memory);
}

void* take_counted(std::uint64_t bytes) {
  void* const memory = take_unset(bytes);
  counted_bytes.fetch_add(memory == nullptr ? 0 : bytes, std::memory_order_relaxed);
  return memory;
}

void give_back_counted(void* memory, std::uint64_t bytes) {
  counted_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  give_back(memory);
}

std::byte* take_page(std::uint64_t bytes, const std::byte* from) {
  constexpr std::uint64_t kLine = 64;  // allocators align multiples of it to cache lines
  const std::uint64_t rounded = (bytes + kLine - 1) / kLine * kLine;
  auto* const page = static_cast<std::byte*>(from == nullptr ? take_zeroed(rounded) : take_unset(rounded));
  if (page == nullptr) {
    return nullptr;
  }
  if (from != nullptr) {
    std::memcpy(page, from, bytes);
    std::memset(page + bytes, 0, rounded - bytes);
  }
  counted_bytes.fetch_add(bytes, std::memory_order_relaxed);
  return page;
}

std::uint64_t all_page_bytes() {
  return counted_bytes.load(std::memory_order_relaxed);
}

}  // namespace bloomery
