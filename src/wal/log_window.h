// A window of a log's bytes in memory, which moves forward, and backward only to search.
//
// The bytes from the window's begin on stay where they are until move_to(), while more bytes are read after
// them. So an entry is parsed without knowing its size, and its cells are views. The buffer is reserved for
// the largest entry, but only the bytes that were read cost memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/file.h"
#include "base/growing_buffer.h"
#include "base/memory_budget.h"
#include "bloomery/base/result.h"

namespace bloomery::wal {

// If a window has the bytes that it was extended for.
enum class Extent {
  kHas,
  kCut,       // the log ends before
  kTooLarge,  // the window would be larger than its limit
};

class LogWindow {
 public:
  // Reads the first `size` bytes of the file. The window grows to `most` bytes and a little more.
  LogWindow(File file, std::uint64_t size, std::uint64_t most, std::shared_ptr<MemoryBudget> budget);

  std::uint64_t size() const { return size_; }
  const File& file() const { return file_; }

  // Moves the begin of the window to `offset`, which is at most size(). Views become invalid. Errors: kIo,
  // kCapacity.
  Status move_to(std::uint64_t offset);
  // The bytes of the window that are in memory.
  std::span<const std::byte> bytes() const { return {begin(), end_ - begin_}; }
  // Reads until the window has `wanted` bytes, if the log and the limit allow it. Errors: kIo; kCapacity if
  // memory is lacking.
  Result<Extent> extend(std::size_t wanted);

 private:
  const std::byte* begin() const { return reinterpret_cast<const std::byte*>(buffer_.data()) + begin_; }
  Status read_more(std::size_t end);
  Status reserve();

  File file_;
  std::uint64_t size_;
  std::uint64_t most_;
  GrowingBuffer buffer_;
  std::uint64_t offset_ = 0;  // of the buffer's first byte in the log
  std::size_t begin_ = 0;     // of the window in the buffer
  std::size_t end_ = 0;
  MemoryShare memory_;  // the maximum of end_
};

}  // namespace bloomery::wal
