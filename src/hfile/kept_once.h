// A slot for something that a reader finds out about a shared value and keeps with the value.
//
// Invariant: once set, it never changes, and it lives as long as its holder. Thread-safe: if several threads
// find it out at once, the first to come is kept, and all get that one.
#pragma once

#include <atomic>
#include <memory>

namespace bloomery::hfile {

template <typename T>
class KeptOnce {
 public:
  KeptOnce() = default;
  KeptOnce(const KeptOnce&) = delete;
  KeptOnce& operator=(const KeptOnce&) = delete;
  ~KeptOnce() { delete kept_.load(std::memory_order_relaxed); }

  // Returns null until somebody has found it out.
  const T* get() const { return kept_.load(std::memory_order_acquire); }
  const T& keep(std::unique_ptr<const T> found) {
    const T* first = nullptr;
    const bool is_first = kept_.compare_exchange_strong(first, found.get(), std::memory_order_acq_rel,
                                                        std::memory_order_acquire);
    return is_first ? *found.release() : *first;
  }

 private:
  std::atomic<const T*> kept_{nullptr};  // owned
};

}  // namespace bloomery::hfile
