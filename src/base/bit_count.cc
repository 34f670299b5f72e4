#include "base/bit_count.h"

#include <array>
#include <bit>

#include "base/atomic_word.h"
#include "base/kernel_choice.h"

namespace bloomery {
namespace {

std::uint64_t count_portably(std::span<const std::uint64_t> words) {
  std::uint64_t count = 0;
  for (const std::uint64_t& word : words) {  // a reference: a copy would be a plain read
    count += static_cast<std::uint64_t>(std::popcount(relaxed_load(word)));
  }
  return count;
}

}  // namespace

constexpr BitCountKernel kScalarBitCountKernel = {
    .name = "scalar", .available = [] { return true; }, .count = count_portably};

std::span<const BitCountKernel> bit_count_kernels() {
  // The fastest is first. The definition, which every machine can run, is last.
  static const std::array<BitCountKernel, 2> kernels = {kPopcntBitCountKernel, kScalarBitCountKernel};
  return kernels;
}

std::uint64_t count_set_bits(std::span<const std::uint64_t> words) {
  static const BitCountKernel& kernel = chosen_of(bit_count_kernels());
  return kernel.count(words);
}

}  // namespace bloomery
