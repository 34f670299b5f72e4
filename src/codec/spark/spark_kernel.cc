#include "codec/spark/spark_kernel.h"

#include <array>

#include "base/kernel_choice.h"

namespace bloomery {
namespace {

// The fastest kernel is the first. The scalar definition, which every machine runs, is the last.
const std::array kV1Kernels = {kAvx512SparkV1Kernel, kScalarKernel<SparkV1>};
const std::array kV2Kernels = {kAvx512SparkV2Kernel, kScalarKernel<SparkV2>};

}  // namespace

std::span<const ProbeKernel<SparkV1>> spark_v1_kernels() {
  return kV1Kernels;
}

std::span<const ProbeKernel<SparkV2>> spark_v2_kernels() {
  return kV2Kernels;
}

const ProbeKernel<SparkV1>& chosen_spark_kernel(const SparkV1&) {
  static const ProbeKernel<SparkV1>& kernel = chosen_of(spark_v1_kernels());
  return kernel;
}

const ProbeKernel<SparkV2>& chosen_spark_kernel(const SparkV2&) {
  static const ProbeKernel<SparkV2>& kernel = chosen_of(spark_v2_kernels());
  return kernel;
}

}  // namespace bloomery
