#include "filter/blocked/blocked_kernel.h"

#include <array>

#include "base/kernel_choice.h"

namespace bloomery {
namespace {

// The fastest kernel comes first. The definition, which runs on every machine, comes last.
const std::array<BlockedKernel, 3> kBlockedKernels = {kAvx512BlockedKernel, kAvx2BlockedKernel,
                                                      kScalarBlockedKernel};

}  // namespace

std::span<const BlockedKernel> blocked_kernels() {
  return kBlockedKernels;
}

const BlockedKernel& chosen_blocked_kernel() {
  static const BlockedKernel& kernel = chosen_of(blocked_kernels());
  return kernel;
}

}  // namespace bloomery
