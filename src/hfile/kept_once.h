// A slot for a fact that a reader computes about a shared value and keeps with the value.
//
// Invariant: once set, it never changes, and it lives as long as its owner. Thread-safe: one thread computes
// it. Meanwhile other threads get null and do without it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

namespace bloomery::hfile {

template <typename T>
class KeptOnce {
 public:
  KeptOnce() = default;
  KeptOnce(const KeptOnce&) = delete;
  KeptOnce& operator=(const KeptOnce&) = delete;

  // Returns null until the value has been computed.
  const T* get() const { return state_.load(std::memory_order_acquire) == State::kFound ? &value_ : nullptr; }

  // Calls `find`, which returns an optional T, on the first use. Returns null if `find` failed or is still
  // running.
  template <typename Find>
  const T* get_or(const Find& find) {
    State state = state_.load(std::memory_order_acquire);
    if (state == State::kFound) {
      return &value_;
    }
    if (state != State::kNew ||
        !state_.compare_exchange_strong(state, State::kBeingFound, std::memory_order_relaxed)) {
      return nullptr;
    }
    std::optional<T> found = find();
    if (!found) {
      state_.store(State::kCannotBe, std::memory_order_relaxed);
      return nullptr;
    }
    value_ = std::move(*found);
    state_.store(State::kFound, std::memory_order_release);
    return &value_;
  }

 private:
  enum class State : std::uint8_t { kNew, kBeingFound, kFound, kCannotBe };

  T value_ = {};
  std::atomic<State> state_ = State::kNew;
};

}  // namespace bloomery::hfile
