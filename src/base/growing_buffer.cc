#include "base/growing_buffer.h"

#include <cstdint>

#include <sys/mman.h>

#include "base/memory.h"
#include "base/pages.h"

namespace bloomery {
namespace {

void* map_new(std::size_t size, int protection) {
  return ::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

}  // namespace

GrowingBuffer& GrowingBuffer::operator=(GrowingBuffer&& other) noexcept {
  if (this != &other) {
    release();
    pages_ = other.pages_;
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

GrowingBuffer::~GrowingBuffer() {
  release();
}

void GrowingBuffer::release() {
  if (data_ != nullptr) {
    ::munmap(data_, size_);
    data_ = nullptr;
    size_ = 0;
  }
}

// Reserves address space for the size and one more huge page, and moves the old pages to the first huge page
// boundary in it. Then unmaps the surplus at both ends. From then on the pages can be moved as huge ones.
void* GrowingBuffer::grown_onto_huge_pages(std::size_t size) {
  const std::size_t asked = rounded_up(size, kHugePageBytes) + kHugePageBytes;
  void* const room = map_new(asked, PROT_NONE);
  if (room == MAP_FAILED) {
    return room;
  }
  const std::size_t head = rounded_up(reinterpret_cast<std::uintptr_t>(room), kHugePageBytes) -
                           reinterpret_cast<std::uintptr_t>(room);
  char* const start = static_cast<char*>(room) + head;
  void* const moved = ::mremap(data_, size_, size, MREMAP_MAYMOVE | MREMAP_FIXED, start);
  if (moved == MAP_FAILED) {
    ::munmap(room, asked);
    return moved;
  }
  const std::size_t used = rounded_up(size, kSmallPageBytes);
  if (head > 0) {
    ::munmap(room, head);
  }
  ::munmap(start + used, asked - head - used);
  ::madvise(start, size, MADV_HUGEPAGE);  // a hint: without it the bytes are the same, but slower
  return moved;
}

bool GrowingBuffer::resize(std::size_t size) {
  if (size == 0) {
    release();
    return true;
  }
  if (size == size_) {
    return true;
  }
  void* moved = nullptr;
  if (data_ == nullptr) {
    moved = map_new(size, PROT_READ | PROT_WRITE);
  } else if (pages_ == Pages::kHuge && size >= kHugePageThreshold && size > size_) {
    moved = grown_onto_huge_pages(size);
  } else {
    moved = ::mremap(data_, size_, size, MREMAP_MAYMOVE);
  }
  if (moved == MAP_FAILED) {
    return false;
  }
  data_ = static_cast<char*>(moved);
  size_ = size;
  return true;
}

}  // namespace bloomery
