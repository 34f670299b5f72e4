// Memory of the server, so that its counts, its limit (maxmemory) and its allocator know what filters take.
//
// Until use_server_memory() was called the C library gives the memory. Tests and fuzzers work that way.
#pragma once

#include <cstddef>

namespace bloomery::redis_module {

struct MemoryCalls {
  void* (*try_zeroed)(std::size_t count, std::size_t bytes);  // null if memory is lacking
  void* (*try_unset)(std::size_t bytes) = nullptr;            // the same; null if the server has no such call
  void (*release)(void*);
};

// Precondition: nothing was taken before.
void use_server_memory(const MemoryCalls& calls);

// Returns zeroed memory, or null if it is lacking. Large memory is zeroed by the kernel when it is touched.
[[nodiscard]] void* take_zeroed(std::size_t bytes);
// Returns memory of any content, or null if it is lacking.
[[nodiscard]] void* take_unset(std::size_t bytes);
// Safe from any thread.
void give_back(void* memory);

}  // namespace bloomery::redis_module
