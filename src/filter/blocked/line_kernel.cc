#include "filter/blocked/line_kernel.h"

#include "base/kernel_choice.h"

namespace bloomery {
namespace {

// Fastest first; the definition, which every machine runs, last.
const std::array<LineKernel, 2> kKernels = {kAvx2LineKernel, kScalarLineKernel};

}  // namespace

std::span<const LineKernel> line_kernels() {
  return kKernels;
}

const LineKernel& chosen_line_kernel() {
  static const LineKernel& kernel = chosen_of(line_kernels());
  return kernel;
}

}  // namespace bloomery
