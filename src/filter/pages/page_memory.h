// The allocator of pages: the C library until use_page_memory() is called. The module for Redis registers its
// server's functions, so that the server's statistics, its limit (maxmemory) and its allocator include the
// memory of filters.
//
// Threads: any; use_page_memory() must be called before the other functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery {

struct PageMemoryCalls {
  void* (*try_zeroed)(std::size_t count, std::size_t bytes);  // null if memory is lacking
  void* (*try_unset)(std::size_t bytes) = nullptr;            // memory of any content; may be a null pointer
  void (*release)(void*);
};

// Precondition: nothing was allocated before.
void use_page_memory(const PageMemoryCalls& calls);

// Returns zeroed memory, or null if it is lacking. Large memory is zeroed by the kernel when it is touched.
[[nodiscard]] void* take_zeroed(std::size_t bytes);
// Returns memory of any content, or null if it is lacking.
[[nodiscard]] void* take_unset(std::size_t bytes);
void give_back(void* memory);

// ---- Memory that all_page_bytes() counts.

// Returns memory of any content, or null if it is lacking.
[[nodiscard]] void* take_counted(std::uint64_t bytes);
// Precondition: `memory` is from take_counted(bytes) or take_page(bytes, ...).
void give_back_counted(void* memory, std::uint64_t bytes);
// Returns a copy of the bytes at `from`, or zeros if that is null; null if memory is lacking. The size is
// rounded up to a multiple of 64 bytes, so that the last words are complete.
[[nodiscard]] std::byte* take_page(std::uint64_t bytes, const std::byte* from);

// Returns the bytes allocated and not released in this process. Memory that copies share counts once.
std::uint64_t all_page_bytes();

}  // namespace bloomery
