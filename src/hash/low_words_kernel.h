// The kernels of low_words(), in the table of base/kernel_choice.h.
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/hash/hash128.h"

namespace bloomery::short_key_mix {

struct LowWordsKernel {
  const char* name;
  bool (*available)();
  void (*run)(std::span<const std::uint64_t> values, std::uint64_t base, std::span<Hash64> hashes);
};

extern const LowWordsKernel kAvx2LowWordsKernel;
// The definition.
void low_words_one_by_one(std::span<const std::uint64_t> values, std::uint64_t base,
                          std::span<Hash64> hashes);

// Returns all kernels of this build. The scalar definition is the last.
std::span<const LowWordsKernel> low_words_kernels();

}  // namespace bloomery::short_key_mix
