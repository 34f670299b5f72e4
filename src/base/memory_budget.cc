#include "base/memory_budget.h"

#include <algorithm>
#include <limits>

namespace bloomery {

std::shared_ptr<MemoryBudget> MemoryBudget::of_file(const FileMemory& memory, std::uint64_t file_bytes) {
  if (memory.limit_bytes != 0) {
    return std::make_shared<MemoryBudget>(memory.limit_bytes);
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t by_file =
      file_bytes > kMost / kDefaultTimesFile ? kMost : file_bytes * kDefaultTimesFile;
  return std::make_shared<MemoryBudget>(std::max(by_file, kLeastDefault));
}

bool MemoryBudget::charge(std::uint64_t bytes) {
  std::uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_ - used) {
      return false;
    }
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  std::uint64_t most = most_used_.load(std::memory_order_relaxed);
  while (most < used + bytes &&
         !most_used_.compare_exchange_weak(most, used + bytes, std::memory_order_relaxed)) {
  }
  return true;
}

Error MemoryBudget::exceeded(const char* part, std::uint64_t bytes) const {
  return Error::capacity(part, "needs " + std::to_string(bytes) + " bytes of memory beside the " +
                                   std::to_string(used()) + " that are kept of the file, whose limit is " +
                                   std::to_string(limit_) +
                                   "; if the file is to be trusted, --file-memory (FileMemory) raises it");
}

}  // namespace bloomery
