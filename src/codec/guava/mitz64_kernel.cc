#include "codec/guava/mitz64_kernel.h"

#include <array>

#include "base/kernel_choice.h"

namespace bloomery {
namespace {

// The fastest kernel is the first. The scalar definition, which every machine runs, is the last.
const std::array<Mitz64Kernel, 2> kKernels = {kAvx512Mitz64Kernel, kScalarKernel<Mitz64>};

}  // namespace

std::span<const Mitz64Kernel> mitz64_kernels() {
  return kKernels;
}

const Mitz64Kernel& chosen_mitz64_kernel() {
  static const Mitz64Kernel& kernel = chosen_of(mitz64_kernels());
  return kernel;
}

}  // namespace bloomery
