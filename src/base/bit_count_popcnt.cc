// The number of set bits by the popcnt instruction of x86-64.
#include "base/atomic_word.h"
#include "base/bit_count.h"

#if defined(__x86_64__)

namespace bloomery {
namespace {

__attribute__((target("popcnt"))) std::uint64_t count_by_instruction(std::span<const std::uint64_t> words) {
  std::uint64_t count = 0;
  for (const std::uint64_t& word : words) {  // a reference: a copy would be a plain read
    count += static_cast<std::uint64_t>(__builtin_popcountll(relaxed_load(word)));
  }
  return count;
}

}  // namespace

constexpr BitCountKernel kPopcntBitCountKernel = {
    .name = "popcnt",
    .available = [] { return __builtin_cpu_supports("popcnt") != 0; },
    .count = count_by_instruction};

}  // namespace bloomery

#else

namespace bloomery {

constexpr BitCountKernel kPopcntBitCountKernel = {
    .name = "popcnt", .available = [] { return false; }, .count = nullptr};

}  // namespace bloomery

#endif
