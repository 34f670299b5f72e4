#include "filter/quotient/quotient_kernel.h"

#include <array>

#include "base/kernel_choice.h"

namespace bloomery {
namespace {

// The fastest kernel comes first. The definition, which runs on every machine, comes last.
const std::array<QuotientKernel, 2> kQuotientKernels = {kAvx2QuotientKernel, kScalarQuotientKernel};

}  // namespace

std::span<const QuotientKernel> quotient_kernels() {
  return kQuotientKernels;
}

const QuotientKernel& chosen_quotient_kernel() {
  static const QuotientKernel& kernel = chosen_of(quotient_kernels());
  return kernel;
}

}  // namespace bloomery
