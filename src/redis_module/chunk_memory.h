// The memory of chunks and of lists of pending bits, taken from the server and counted for INFO.
//
// Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery::redis_module {

// Returns memory of any content, or null if it is lacking.
[[nodiscard]] void* take_counted(std::uint64_t size);
// Precondition: `memory` is from take_counted(size).
void give_back_counted(void* memory, std::uint64_t size);

// Returns memory for `size` bytes, or null if it is lacking. They are a copy of those at `from`; zeros if that is null.
[[nodiscard]] std::byte* take_chunk(std::uint64_t size, const std::byte* from);
// Precondition: `bytes` are from take_chunk(size), or null.
void give_back_chunk(std::byte* bytes, std::uint64_t size);

// The memory of all chunks and lists of the process, each counted once.
std::uint64_t all_chunk_bytes();

}  // namespace bloomery::redis_module
