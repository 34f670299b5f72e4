#include "codec/guava/mitz64_kernel.h"

#include <array>

#include "base/kernel_choice.h"
#include "codec/probes.h"

namespace bloomery {
namespace {

// The fastest kernel is the first. The definition, which every machine runs, is the last.
const std::array<Mitz64Kernel, 2> kKernels = {kAvx512Mitz64Kernel, kScalarMitz64Kernel};

std::uint64_t insert_batch(WordBits& bits, const Mitz64& scheme, std::span<const std::string_view> keys) {
  return probes::insert_batch(bits, scheme, keys);
}

}  // namespace

constexpr Mitz64Kernel kScalarMitz64Kernel = {.name = "scalar",
                                              .available = [] { return true; },
                                              .may_contain = probes::may_contain<Mitz64>,
                                              .insert = probes::insert<Mitz64>,
                                              .may_contain_batch = probes::may_contain_batch<Mitz64>,
                                              .insert_batch = insert_batch};

std::span<const Mitz64Kernel> mitz64_kernels() {
  return kKernels;
}

const Mitz64Kernel& chosen_mitz64_kernel() {
  static const Mitz64Kernel& kernel = chosen_of(mitz64_kernels());
  return kernel;
}

}  // namespace bloomery
