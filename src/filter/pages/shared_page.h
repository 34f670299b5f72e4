// A reference-counted, copy-on-write page of memory, which copies of a filter share until one of them writes
// to it.
//
//   handle ──> bytes                      null: zeros, and no memory
//          └─> owners | size | bytes
//
// Invariants: the size of a page never changes. Bytes that have two owners never change.
//
// Threads: one thread changes a filter. Other threads may release filters that share its pages.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "filter/pages/page_memory.h"
#include "filter/pages/shared_handle.h"

namespace bloomery {

class SharedPage {
 public:
  SharedPage() = default;
  // Returns a page over bytes of somebody else, who keeps them as long as any copy of it. A write copies them
  // first.
  static SharedPage lent(const std::byte* bytes) {
    SharedPage page;
    page.bytes_ = const_cast<std::byte*>(bytes);  // never written: the page has no owner
    return page;
  }
  SharedPage(const SharedPage&) = default;  // shares the bytes
  SharedPage(SharedPage&& other) noexcept
      : bytes_(std::exchange(other.bytes_, nullptr)), owned_(std::move(other.owned_)) {}
  SharedPage& operator=(SharedPage other) noexcept {
    bytes_ = other.bytes_;
    owned_ = std::move(other.owned_);
    return *this;
  }
  ~SharedPage() = default;

  // Returns the bytes, or null for zeros.
  const std::byte* read() const { return bytes_; }
  // Returns bytes without another owner, zeros if the page was null, or null if memory is lacking. `size` is
  // the same in every call.
  [[nodiscard]] std::byte* write(std::uint64_t size) { return is_ours() ? bytes_ : write_own(size); }
  // Returns the bytes. Precondition: is_ours().
  std::byte* own() const { return bytes_; }
  // Returns true if write() returns the bytes without a copy.
  bool is_ours() const { return owned_.is_ours(); }

  // Returns the address of the owner count, for prefetching; `otherwise` if there is none.
  const void* owners_or(const void* otherwise) const { return owned_ ? owned_.get() : otherwise; }
  // Returns the bytes of memory; 0 if it is null, or lent.
  std::uint64_t memory_bytes() const { return owned_ ? owned_->size + sizeof(Owned) : 0; }

  // Moves the bytes if nobody shares them: `move` returns the new address, or null to leave them.
  template <typename Move>
  void move_bytes(Move move) {
    if (is_ours()) {
      if (void* const moved = move(bytes_); moved != nullptr) {
        bytes_ = owned_->bytes = static_cast<std::byte*>(moved);
      }
    }
  }

 private:
  struct Owned {
    std::atomic<std::uint32_t> owners{1};
    std::uint64_t size = 0;
    std::byte* bytes = nullptr;

    void give_back();
  };

  std::byte* write_own(std::uint64_t size);

  std::byte* bytes_ = nullptr;  // owned_->bytes, cached: read more often than the count
  SharedHandle<Owned> owned_;
};

}  // namespace bloomery
