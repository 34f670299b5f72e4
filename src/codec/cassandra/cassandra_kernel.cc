#include "codec/cassandra/cassandra_kernel.h"

#include <array>

#include "base/kernel_choice.h"

namespace bloomery {
namespace {

// The fastest kernel is the first. The scalar definition, which every machine runs, is the last.
const std::array<CassandraKernel, 2> kKernels = {kAvx512CassandraKernel, kScalarKernel<CassandraProbes>};

}  // namespace

std::span<const CassandraKernel> cassandra_kernels() {
  return kKernels;
}

const CassandraKernel& chosen_cassandra_kernel() {
  static const CassandraKernel& kernel = chosen_of(cassandra_kernels());
  return kernel;
}

}  // namespace bloomery
