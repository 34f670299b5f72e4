// Relaxed atomic access to 64-bit words in memory that does not consist of std::atomic: mappings, views,
// aligned buffers.
//
// Every bit and every counter of a key is valid by itself. So readers and writers need atomic words, but no
// order among words. std::atomic_ref would express the same, but accepts no const memory before C++26.
//
// The words are in machine order. Filters on disk are little-endian, and so are the machines that map them.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace bloomery {

static_assert(std::endian::native == std::endian::little,
              "filters are mapped, not converted: a big-endian port must convert");

inline std::uint64_t relaxed_load(const std::uint64_t& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

inline void relaxed_store(std::uint64_t& word, std::uint64_t value) {
  __atomic_store_n(&word, value, __ATOMIC_RELAXED);
}

// Returns the word before the addition.
inline std::uint64_t relaxed_add(std::uint64_t& word, std::uint64_t value) {
  return __atomic_fetch_add(&word, value, __ATOMIC_RELAXED);
}

// A fence among relaxed words. The thread sanitizer does not know fences and needs none: it runs atomic calls
// in their order.
inline void fence([[maybe_unused]] std::memory_order order) {
#if !defined(__SANITIZE_THREAD__)
  std::atomic_thread_fence(order);
#endif
}

// Sets `bits` in `word` and returns true if one of them was clear. It reads first, so a word that has all the
// bits stays in the shared state of every core's cache.
inline bool relaxed_set_bits(std::uint64_t& word, std::uint64_t bits) {
  if ((relaxed_load(word) & bits) == bits) {
    return false;
  }
  return (__atomic_fetch_or(&word, bits, __ATOMIC_RELAXED) & bits) != bits;
}

// Writes `wanted` to `word` if `word` is equal to `found`. Otherwise, and sometimes spuriously, it copies
// `word` to `found` and returns false.
inline bool relaxed_replace(std::uint64_t& word, std::uint64_t& found, std::uint64_t wanted) {
  return __atomic_compare_exchange_n(&word, &found, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

}  // namespace bloomery
