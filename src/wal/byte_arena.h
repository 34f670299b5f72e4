// Memory for the decoded values and tags of one entry, freed at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"

namespace bloomery::wal {

class ByteArena {
 public:
  explicit ByteArena(std::shared_ptr<MemoryBudget> budget) : memory_(std::move(budget)) {}

  // Errors: kCapacity.
  Result<std::span<std::byte>> allocate(std::size_t size) {
    if (size > left_.size()) {
      const std::size_t block = std::max(size, kBlockBytes);
      BLOOMERY_RETURN_IF_ERROR(memory_.add("values of an entry", block));
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
      left_ = {blocks_.back().get(), block};
      if (blocks_.size() == 1) {
        first_ = left_;
      }
    }
    const auto bytes = left_.first(size);
    left_ = left_.subspan(size);
    return bytes;
  }

  // Frees everything but the first block.
  void clear() {
    if (blocks_.size() > 1) {
      blocks_.resize(1);
      memory_.clear();
      (void)memory_.try_add(first_.size());
    }
    left_ = first_;
  }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::span<std::byte> first_;
  std::span<std::byte> left_;
  MemoryShare memory_;
};

}  // namespace bloomery::wal
