// Brings a line of memory into the cache before it is read or written.
//
// GCC 12 treats a function that only prefetches as one without effect, and drops the calls. The empty
// assembly statement is an effect.
#pragma once

namespace bloomery {

inline void prefetch_to_read(const void* address) {
  __builtin_prefetch(address);
  __asm__ volatile("");
}

inline void prefetch_to_write(const void* address) {
  __builtin_prefetch(address, 1);
  __asm__ volatile("");
}

}  // namespace bloomery
