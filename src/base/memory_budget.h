// What is kept in memory of one opened file, counted, and refused above a limit.
//
// One MemoryBudget belongs to one opened file. Whoever keeps something of the file, or decompresses a part
// of it, takes a MemoryShare of it before the memory is allocated, and holds the share as long as the memory:
//
//   MemoryShare share(budget);   share.add("root index", bytes)  ->  error that names part and limit, or counted
//                                ~MemoryShare                    ->  given back
//
// Invariants: the shares add up to used(), which is never above limit(). A share may outlive whoever took it,
// not the budget, which it holds. Sizes are those of what is kept, with what containers add, estimated from
// above. Thread-safe; one share is for one thread. src/base/README.md lists all that is charged.
// Not here: what is allocated and freed within one call and is not larger than the bytes on disk.
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

  // The limit that FileMemory documents; one that is given is taken as it is.
  static std::shared_ptr<MemoryBudget> of_file(const FileMemory& memory, std::uint64_t file_bytes);

  std::uint64_t limit() const { return limit_; }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t most_used() const { return most_used_.load(std::memory_order_relaxed); }

  // Counts the bytes; false, and nothing is counted, where they are above the limit.
  bool charge(std::uint64_t bytes);
  // Precondition: so many were charged.
  void release(std::uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  // Of a part that `bytes` more do not fit for.
  Error exceeded(const char* part, std::uint64_t bytes) const;

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> most_used_{0};
};

class MemoryShare {
 public:
  // Of no budget: nothing is counted or refused, as for bytes that are the caller's own.
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

  // Takes so much more. Errors: kCapacity, with `part` as its subject; nothing is taken then.
  Status add(const char* part, std::uint64_t bytes) {
    return try_add(bytes) ? Status() : Status(budget_->exceeded(part, bytes));
  }
  // The same, for what can be left out.
  bool try_add(std::uint64_t bytes) {
    if (budget_ != nullptr) {
      if (!budget_->charge(bytes)) {
        return false;
      }
      bytes_ += bytes;
    }
    return true;
  }
  // Gives all back.
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

// Runs `work`, a callable that returns a Result. Where the machine has no more memory, returns an error that
// names the file instead: std::bad_alloc does not say whose it is.
template <typename Work>
auto within_memory(const std::string& file, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error::capacity(file, "the machine, or the limit of this process, has no more memory for it");
  }
}

}  // namespace bloomery
