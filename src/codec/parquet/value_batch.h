// Collects the values of a column chunk, and passes them on in batches.
//
// A value is a view of a page, or of a copy that the batch makes. Both are valid until the batch is passed
// on, so flush() must be called before a page is freed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"

namespace bloomery::parquet {

// Uses the bytes of some values. The views are valid during the call.
using UseValues = std::function<Status(std::span<const std::string_view>)>;

class ValueBatch {
 public:
  static constexpr std::size_t kValues = 1024;  // in a batch

  ValueBatch(const UseValues& use, std::shared_ptr<MemoryBudget> memory)
      : use_(use), memory_(std::move(memory)) {}

  const std::shared_ptr<MemoryBudget>& budget() const { return memory_.budget(); }

  Status add(std::span<const std::byte> value) {
    if (count_ == kValues) {
      BLOOMERY_RETURN_IF_ERROR(flush());
    }
    values_[count_++] = {reinterpret_cast<const char*>(value.data()), value.size()};
    return {};
  }
  // Returns room for the bytes of a value, which the caller writes and then adds.
  Result<std::span<std::byte>> room(std::size_t size) {
    if (count_ == kValues || copies_.size() - used_ < size) {
      BLOOMERY_RETURN_IF_ERROR(flush());
      BLOOMERY_RETURN_IF_ERROR(reserve(size));
    }
    const auto room = std::span(copies_).subspan(used_, size);
    used_ += size;
    return room;
  }
  Status flush() {
    const std::size_t count = std::exchange(count_, 0);
    used_ = 0;
    return count > 0 ? use_(std::span(values_).first(count)) : Status();
  }

 private:
  static constexpr std::size_t kCopiedBytes = std::size_t{1} << 16;

  Status reserve(std::size_t size) {
    const std::size_t bytes = std::max(size, kCopiedBytes);
    if (bytes > copies_.size()) {
      BLOOMERY_RETURN_IF_ERROR(memory_.add("values of a parquet page", bytes - copies_.size()));
      copies_ = {};
      copies_.resize(bytes);
    }
    return {};
  }

  const UseValues& use_;
  MemoryShare memory_;
  std::array<std::string_view, kValues> values_;
  std::size_t count_ = 0;
  std::vector<std::byte> copies_;
  std::size_t used_ = 0;
};

}  // namespace bloomery::parquet
