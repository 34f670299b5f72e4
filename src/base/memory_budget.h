// Counts the memory that is kept for one opened file, and refuses to exceed a limit.
//
// One MemoryBudget belongs to one opened file. Code that keeps data of the file, or decompresses some of it,
// charges a MemoryShare of the budget before it allocates the memory. It holds the share as long as the
// memory:
//
//   MemoryShare share(budget);
//   share.add("root index", bytes)   counts the bytes, or returns an error that names the part and the limit
//   ~MemoryShare                     releases the bytes
//
// Invariants: the shares add up to used(), which is never above limit(). A share may outlive the code that
// charged it, but not the budget, which it keeps alive. Sizes are upper bounds of the data and its
// containers.
//
// Threads: a budget is thread-safe; a share is for one thread. src/base/README.md lists all that is charged.
// Memory that one call allocates and frees is charged only if it is larger than its data on disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"

namespace bloomery {

class MemoryBudget {
 public:
  static constexpr std::uint64_t kLeastDefault = std::uint64_t{256} << 20;
  static constexpr std::uint64_t kDefaultTimesFile = 4;

  explicit MemoryBudget(std::uint64_t limit_bytes) : limit_(limit_bytes) {}

  // Makes a budget with the limit that FileMemory documents. A limit that is set there is used unchanged.
  static std::shared_ptr<MemoryBudget> of_file(const FileMemory& memory, std::uint64_t file_bytes);

  std::uint64_t limit() const { return limit_; }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t most_used() const { return most_used_.load(std::memory_order_relaxed); }

  // Counts the bytes. Returns false, and counts nothing, if they would exceed the limit.
  bool charge(std::uint64_t bytes);
  // Precondition: at least `bytes` are charged.
  void release(std::uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  // Returns the error of a part that needs `bytes` more than are left.
  Error exceeded(const char* part, std::uint64_t bytes) const;

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> most_used_{0};
};

class MemoryShare {
 public:
  // Belongs to no budget: it counts and refuses nothing, for bytes that belong to the caller.
  MemoryShare() = default;
  explicit MemoryShare(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}
  MemoryShare(MemoryShare&& other) noexcept
      : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare&& other) noexcept {
    if (this != &other) {
      clear();
      budget_ = std::move(other.budget_);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  ~MemoryShare() { clear(); }

  // Charges `bytes` more. Errors: kCapacity, with `part` as its subject; nothing is charged then.
  Status add(const char* part, std::uint64_t bytes) {
    return try_add(bytes) ? Status() : Status(budget_->exceeded(part, bytes));
  }
  // Charges data that is optional. Returns false, and charges nothing, if it exceeds the limit.
  bool try_add(std::uint64_t bytes) {
    if (budget_ != nullptr) {
      if (!budget_->charge(bytes)) {
        return false;
      }
      bytes_ += bytes;
    }
    return true;
  }
  // Releases all bytes.
  void clear() {
    if (budget_ != nullptr && bytes_ != 0) {
      budget_->release(std::exchange(bytes_, 0));
    }
  }

  const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::uint64_t bytes_ = 0;
};

// Runs `work`, a callable that returns a Result. If the machine has no more memory, returns an error that
// names the file, which std::bad_alloc cannot do.
template <typename Work>
auto within_memory(const std::string& file, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error::capacity(file, "the machine, or the limit of this process, has no more memory for it");
  }
}

}  // namespace bloomery
