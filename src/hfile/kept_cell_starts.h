// The offsets of a block's cells, built when the block is sought in for the second time. Most blocks of a cache that is
// too small are gone before.
//
// Thread-safe: one thread builds them; others find none meanwhile, and walk the block. They never change then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/memory.h"
#include "base/memory_budget.h"
#include "hfile/cell_starts.h"

namespace bloomery::hfile {

class KeptCellStarts {
 public:
  // The offsets are built in the room if they fit.
  explicit KeptCellStarts(std::span<std::uint32_t> room) : room_(room) {}
  KeptCellStarts(const KeptCellStarts&) = delete;
  KeptCellStarts& operator=(const KeptCellStarts&) = delete;

  // Counts a seek in the block, and returns its offsets, or null if there are none. The arguments are those of
  // CellStarts::of(), and the same at every call.
  const CellStarts* at_seek(std::span<const std::byte> payload, const CellLayout& layout,
                            const std::shared_ptr<MemoryBudget>& budget) {
    State state = state_.load(std::memory_order_acquire);
    if (state == State::kBuilt) {
      return &starts_;
    }
    if (state == State::kNew) {
      state_.compare_exchange_strong(state, State::kSought, std::memory_order_relaxed);
      return nullptr;
    }
    if (state != State::kSought ||
        !state_.compare_exchange_strong(state, State::kBeingBuilt, std::memory_order_relaxed)) {
      return nullptr;
    }
    auto built = CellStarts::of(payload, layout, room_, MemoryShare(budget));
    if (!built) {
      state_.store(State::kCannotBe, std::memory_order_relaxed);
      return nullptr;
    }
    starts_ = std::move(*built);
    state_.store(State::kBuilt, std::memory_order_release);
    return &starts_;
  }

  std::size_t room_bytes() const { return room_.size_bytes(); }

  // Prefetches what a seek reads first.
  void prefetch() const {
    __builtin_prefetch(this);
    const auto* const room = reinterpret_cast<const std::byte*>(room_.data());
    for (std::size_t at = 0; at < room_.size_bytes() && at < kPrefetchedBytes; at += kCacheLineBytes) {
      __builtin_prefetch(room + at);
    }
  }

 private:
  static constexpr std::size_t kPrefetchedBytes = 384;

  enum class State : std::uint8_t { kNew, kSought, kBeingBuilt, kBuilt, kCannotBe };

  CellStarts starts_;
  std::span<std::uint32_t> room_;
  std::atomic<State> state_ = State::kNew;
};

}  // namespace bloomery::hfile
