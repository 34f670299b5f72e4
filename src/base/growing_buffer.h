// Bytes that grow without being copied. The buffer is a mapping of its own, which the operating system moves
// by changing its page table.
//
// Bytes that were never written take no memory. So growing by half costs what is used, not what is reserved.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace bloomery {

enum class Pages {
  kSmall,
  kHuge,  // requested above kHugePageThreshold (memory.h); the buffer then begins at a huge page
};

class GrowingBuffer {
 public:
  explicit GrowingBuffer(Pages pages = Pages::kSmall) : pages_(pages) {}
  GrowingBuffer(GrowingBuffer&& other) noexcept : pages_(other.pages_) { *this = std::move(other); }
  GrowingBuffer& operator=(GrowingBuffer&& other) noexcept;
  ~GrowingBuffer();

  char* data() { return data_; }
  const char* data() const { return data_; }
  std::size_t size() const { return size_; }

  // Changes the size to `size` bytes. Old bytes stay as they are, and new ones are zero; a smaller size gives
  // memory back. Returns false if there is no memory; nothing has changed then.
  [[nodiscard]] bool resize(std::size_t size);

 private:
  void release();
  void* grown_onto_huge_pages(std::size_t size);

  Pages pages_;
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace bloomery
