#include "base/bit_count.h"

#include <bit>

#include "base/atomic_word.h"

namespace bloomery {
namespace {

std::uint64_t count_portably(std::span<const std::uint64_t> words) {
  std::uint64_t count = 0;
  for (const std::uint64_t& word : words) {  // not a copy: that would be read plainly
    count += static_cast<std::uint64_t>(std::popcount(relaxed_load(word)));
  }
  return count;
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) std::uint64_t count_by_instruction(std::span<const std::uint64_t> words) {
  std::uint64_t count = 0;
  for (const std::uint64_t& word : words) {  // not a copy: that would be read plainly
    count += static_cast<std::uint64_t>(__builtin_popcountll(relaxed_load(word)));
  }
  return count;
}
#endif

}  // namespace

std::uint64_t count_set_bits(std::span<const std::uint64_t> words) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("popcnt") != 0) {
    return count_by_instruction(words);
  }
#endif
  return count_portably(words);
}

}  // namespace bloomery
