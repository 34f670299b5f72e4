// The kernels of Spark's two versions (spark_probes.h): the scalar definitions and AVX-512.
#pragma once

#include <span>

#include "codec/probe_kernel.h"
#include "codec/spark/spark_probes.h"

namespace bloomery {

using SparkV1Kernel = ProbeKernel<SparkV1>;
using SparkV2Kernel = ProbeKernel<SparkV2>;

// Return all kernels of this build. The definition is the last.
std::span<const SparkV1Kernel> spark_v1_kernels();
std::span<const SparkV2Kernel> spark_v2_kernels();

// Return the first kernel that this machine can run, or the kernel that the environment variable
// BLOOMERY_KERNEL names.
const SparkV1Kernel& chosen_spark_kernel(const SparkV1&);
const SparkV2Kernel& chosen_spark_kernel(const SparkV2&);

extern const SparkV1Kernel kAvx512SparkV1Kernel;
extern const SparkV2Kernel kAvx512SparkV2Kernel;

}  // namespace bloomery
