#include "filter/kernel/line_kernel.h"

#include <cstdlib>
#include <string_view>

namespace bloomery {
namespace {

// Fastest first; the definition, which every machine runs, last.
const std::array<LineKernel, 2> kKernels = {kAvx2LineKernel, kScalarLineKernel};

const LineKernel& choose() {
  const char* const forced =
      std::getenv("BLOOMERY_KERNEL");  // NOLINT(concurrency-mt-unsafe): read once, never set by us
  for (const LineKernel& kernel : kKernels) {
    if (forced != nullptr && std::string_view(forced) == kernel.name && kernel.available()) {
      return kernel;
    }
  }
  for (const LineKernel& kernel : kKernels) {
    if (kernel.available()) {
      return kernel;
    }
  }
  return kKernels.back();
}

}  // namespace

std::span<const LineKernel> line_kernels() {
  return kKernels;
}

const LineKernel& chosen_line_kernel() {
  static const LineKernel& kernel = choose();
  return kernel;
}

}  // namespace bloomery
