// Bytes that grow without being copied: a mapping of its own, which the operating system moves by its page
// table.
//
// What was never written takes no memory, so growing by half costs what is used and not what is reserved.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace bloomery {

enum class Pages {
  kSmall,
  kHuge,  // asked for above kHugePageThreshold (memory.h), where the buffer then begins at a huge page
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

  // Makes it `size` bytes, the first of which stay what they were, and new ones are zero; a smaller size
  // gives memory back. False when there is no memory: nothing has changed then.
  [[nodiscard]] bool resize(std::size_t size);

 private:
  void release();
  void* grown_onto_huge_pages(std::size_t size);

  Pages pages_;
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace bloomery
