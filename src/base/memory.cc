#include "base/memory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace bloomery {
namespace {

Error out_of_memory(std::uint64_t size_bytes) {
  return Error::capacity("memory", "needs " + std::to_string(size_bytes) + " bytes, this process can have " +
                                       std::to_string(memory_limit_bytes()));
}

// Maps `size` bytes at a multiple of the huge page. It maps one more page and unmaps the surplus at both
// ends.
std::byte* map_aligned(std::size_t size) {
  const std::size_t asked = size + kHugePageBytes;
  void* mapping =
      ::mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    return nullptr;
  }
  auto* start = static_cast<std::byte*>(mapping);
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t head = rounded_up(address, kHugePageBytes) - address;
  if (head > 0) {
    ::munmap(start, head);
  }
  if (asked > head + size) {
    ::munmap(start + head + size, asked - head - size);
  }
  ::madvise(start + head, size, MADV_HUGEPAGE);  // a hint: without it the bytes are the same, but slower
  return start + head;
}

// Returns true if the machine provides huge pages on request. Without them a mapping costs more than it
// saves.
bool gives_huge_pages() {
  static const bool gives = [] {
    std::ifstream setting("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string words;
    return std::getline(setting, words) && words.find("[never]") == std::string::npos;
  }();
  return gives;
}

// Returns the mapped bytes of a buffer, or 0 if it is ordinary memory.
std::size_t mapping_bytes(std::uint64_t size_bytes, std::uint64_t huge_from) {
  if (size_bytes >= huge_from) {
    // Does not extend to the end of the last huge page: memory that was not requested must not be used.
    return rounded_up(size_bytes, kSmallPageBytes);
  }
  return nearly_fills_huge_pages(size_bytes) && gives_huge_pages() ? rounded_up(size_bytes, kHugePageBytes)
                                                                   : 0;
}

// The limit at the last check, which opens a file. A buffer that is small in comparison fits without another
// check.
std::atomic<std::uint64_t> last_limit = 0;

bool exceeds_the_limit(std::uint64_t size_bytes) {
  constexpr std::uint64_t kSmallShare = 16;
  if (size_bytes <= last_limit.load(std::memory_order_relaxed) / kSmallShare) {
    return false;
  }
  const std::uint64_t limit = memory_limit_bytes();
  last_limit.store(limit, std::memory_order_relaxed);
  return size_bytes > limit;
}

// The source of all further buffers. It is global, because the layers that make buffers do not know the
// program that sets it.
std::atomic<const MemorySource*> current_source = nullptr;

// Returns the size of an allocation for a buffer of `size` bytes: full cache lines, at least one.
std::size_t allocated_bytes(std::size_t size) {
  return rounded_up(std::max<std::size_t>(size, 1), kCacheLineBytes);
}

}  // namespace

void take_memory_from(const MemorySource* source) {
  current_source.store(source, std::memory_order_release);
}
const MemorySource* memory_source() {
  return current_source.load(std::memory_order_acquire);
}

std::uint64_t memory_limit_bytes() {
  const auto pages = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L));
  std::uint64_t limit = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t group_limit = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> group_limit) {  // "max" does not parse: no limit
    limit = std::min(limit, group_limit);
  }
  return limit;
}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    mapped_bytes_ = std::exchange(other.mapped_bytes_, 0);
    source_ = std::exchange(other.source_, nullptr);
  }
  return *this;
}

AlignedBuffer::~AlignedBuffer() {
  release();
}

void AlignedBuffer::release() {
  if (source_ != nullptr) {
    source_->release(data_, allocated_bytes(size_), source_->context);
  } else if (mapped_bytes_ > 0) {
    ::munmap(data_, mapped_bytes_);
  } else {
    std::free(data_);
  }
}

Result<AlignedBuffer> AlignedBuffer::zeroed(std::uint64_t size_bytes) {
  return zeroed(size_bytes, kHugePageThreshold);
}

Result<AlignedBuffer> AlignedBuffer::zeroed(std::uint64_t size_bytes, std::uint64_t huge_from) {
  if (exceeds_the_limit(size_bytes)) {
    return out_of_memory(size_bytes);
  }
  AlignedBuffer buffer;
  buffer.size_ = size_bytes;
  if (const MemorySource* source = memory_source(); source != nullptr) {
    const std::size_t rounded = allocated_bytes(size_bytes);
    buffer.data_ = static_cast<std::byte*>(source->allocate(rounded, kCacheLineBytes, source->context));
    if (buffer.data_ != nullptr) {
      buffer.source_ = source;
      std::memset(buffer.data_, 0, rounded);
    }
  } else if (const std::size_t mapped = mapping_bytes(size_bytes, huge_from); mapped > 0) {
    buffer.data_ = map_aligned(mapped);
    buffer.mapped_bytes_ = buffer.data_ == nullptr ? 0 : mapped;
  } else {
    const std::size_t rounded = allocated_bytes(size_bytes);
    buffer.data_ = static_cast<std::byte*>(std::aligned_alloc(kCacheLineBytes, rounded));
    if (buffer.data_ != nullptr) {
      std::memset(buffer.data_, 0, rounded);
    }
  }
  if (buffer.data_ == nullptr) {
    return out_of_memory(size_bytes);
  }
  return buffer;
}

}  // namespace bloomery
