// Handles of one type: memory that outlives its value, so that the use of a closed handle is detected.
//
//   | tag: open or closed | value, if open | next closed slot |
//
// Closed slots wait in a queue and are reused when the queue has more than kWaiting. Slots are never freed,
// so a stale pointer always finds a tag. A pointer that no pool ever made is not detected, and may crash.
//
// Threads: open() and close() lock a mutex, and find() locks nothing. The caller must not close a handle
// while another thread uses it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace bloomery::c_api {

// Tag is a different number for each type of handle.
template <typename Value, std::uint64_t kTag>
class HandlePool {
 public:
  static constexpr std::size_t kWaiting = 1024;

  // Returns null if memory is lacking.
  static void* open(Value value) {
    HandlePool& pool = instance();
    const std::lock_guard lock(pool.mutex_);
    Slot* slot = pool.take();
    if (slot == nullptr) {
      return nullptr;
    }
    slot->value.emplace(std::move(value));
    slot->tag.store(kTag, std::memory_order_release);
    return slot;
  }

  // Returns null for a null, closed or foreign handle.
  static Value* find(void* handle) {
    auto* slot = static_cast<Slot*>(handle);
    return slot != nullptr && slot->tag.load(std::memory_order_relaxed) == kTag ? &*slot->value : nullptr;
  }
  static const Value* find(const void* handle) {
    const auto* slot = static_cast<const Slot*>(handle);
    return slot != nullptr && slot->tag.load(std::memory_order_relaxed) == kTag ? &*slot->value : nullptr;
  }

  // Returns true if the handle was open.
  static bool close(void* handle) {
    auto* slot = static_cast<Slot*>(handle);
    std::uint64_t tag = kTag;
    if (!slot->tag.compare_exchange_strong(tag, kClosed)) {
      return false;
    }
    slot->value.reset();
    HandlePool& pool = instance();
    const std::lock_guard lock(pool.mutex_);
    (pool.last_ == nullptr ? pool.first_ : pool.last_->next) = slot;
    pool.last_ = slot;
    ++pool.waiting_;
    return true;
  }

 private:
  static constexpr std::uint64_t kClosed = 0xc105ed;

  struct Slot {
    std::atomic<std::uint64_t> tag = kClosed;
    std::optional<Value> value;
    Slot* next = nullptr;
  };

  // Never destroyed: destructors at the end of the process may close handles.
  static HandlePool& instance() {
    alignas(HandlePool) static std::byte room[sizeof(HandlePool)];
    static auto* pool = new (room) HandlePool;
    return *pool;
  }

  Slot* take() {
    if (waiting_ > kWaiting) {
      Slot* slot = first_;
      first_ = std::exchange(slot->next, nullptr);
      --waiting_;
      return slot;
    }
    return new (std::nothrow) Slot;
  }

  std::mutex mutex_;
  Slot* first_ = nullptr;
  Slot* last_ = nullptr;
  std::size_t waiting_ = 0;
};

}  // namespace bloomery::c_api
