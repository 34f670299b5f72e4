// A buffer that grows without being copied. It is a mapping of its own, which the operating system moves by
// changing its page table.
//
// Bytes that were never written cost no memory. So growth by half costs the used bytes, not the reserved
// ones.
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

  // Changes the size to `size` bytes. Old bytes are unchanged, and new ones are zero; a smaller size frees
  // memory. Returns false, without any change, if memory is lacking.
  [[nodiscard]] bool resize(std::size_t size);

 private:
  void release();
  void* grown_onto_huge_pages(std::size_t size);

  Pages pages_;
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace bloomery
