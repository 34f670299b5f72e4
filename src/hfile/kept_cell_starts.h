// The offsets of a block's cells, built when the block is sought in for the second time. In a cache that is
// too small, most blocks are evicted before that. Thread-safe (kept_once.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "base/memory_budget.h"
#include "hfile/cell_starts.h"
#include "hfile/kept_once.h"

namespace bloomery::hfile {

class KeptCellStarts {
 public:
  // Counts a seek in the block, and returns its offsets, or null if there are none. They are built in the
  // room if they fit. The arguments are those of CellStarts::of(), and must not change between calls.
  const CellStarts* at_seek(std::span<const std::byte> payload, const CellLayout& layout,
                            std::span<std::uint32_t> room, const std::shared_ptr<MemoryBudget>& budget) {
    if (!was_sought_.load(std::memory_order_relaxed)) {
      was_sought_.store(true, std::memory_order_relaxed);
      return nullptr;
    }
    return starts_.get_or([&] { return CellStarts::of(payload, layout, room, MemoryShare(budget)); });
  }

 private:
  KeptOnce<CellStarts> starts_;
  std::atomic<bool> was_sought_ = false;
};

}  // namespace bloomery::hfile
