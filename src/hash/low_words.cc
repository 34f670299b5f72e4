#include "bloomery/hash/low_words.h"

#include <array>

#include "base/kernel_choice.h"
#include "bloomery/hash/short_key_mix.h"
#include "hash/low_words_kernel.h"

namespace bloomery::short_key_mix {
namespace {

// The definition, which runs on every machine, comes last.
const std::array<LowWordsKernel, 2> kLowWordsKernels = {
    kAvx2LowWordsKernel,
    LowWordsKernel{.name = "scalar", .available = [] { return true; }, .run = low_words_one_by_one}};

}  // namespace

void low_words_one_by_one(std::span<const std::uint64_t> values, std::uint64_t base,
                          std::span<Hash64> hashes) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 4
#endif
  for (std::size_t i = 0; i < values.size(); ++i) {
    hashes[i].low = low_word(values[i], kMaxBytes, base);
  }
}

std::span<const LowWordsKernel> low_words_kernels() {
  return kLowWordsKernels;
}

void low_words(std::span<const std::uint64_t> values, std::uint64_t base, std::span<Hash64> hashes) {
  static const LowWordsKernel& kernel = chosen_of(low_words_kernels());
  kernel.run(values, base, hashes);
}

}  // namespace bloomery::short_key_mix
