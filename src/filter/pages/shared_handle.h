// A handle of a reference-counted block: each handle is an owner, and the last one releases the block.
//
// A block has `std::atomic<std::uint32_t> owners{1}`, and a function give_back(), which releases it. A null
// handle has no block.
//
// Threads: one thread changes a handle. Other threads may have handles of the same block, and release them.
// So is_ours() stays true until this thread copies the handle.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace bloomery {

template <typename Block>
class SharedHandle {
 public:
  SharedHandle() = default;
  // Takes over a block that has one owner, or null.
  explicit SharedHandle(Block* block) : block_(block) {}
  SharedHandle(const SharedHandle& other) : block_(other.block_) {
    if (block_ != nullptr) {
      block_->owners.fetch_add(1, std::memory_order_relaxed);
    }
  }
  SharedHandle(SharedHandle&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedHandle& operator=(SharedHandle other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedHandle() {
    if (block_ != nullptr && block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      block_->give_back();
    }
  }

  explicit operator bool() const { return block_ != nullptr; }
  Block* get() const { return block_; }
  Block* operator->() const { return block_; }
  // Returns true if there is a block without another owner.
  bool is_ours() const { return block_ != nullptr && block_->owners.load(std::memory_order_acquire) == 1; }

 private:
  Block* block_ = nullptr;
};

}  // namespace bloomery
