// The kernels of Spark's two versions (spark_probes.h): the scalar definitions and AVX-512.
#pragma once

#include <span>

#include "codec/probe_kernel.h"
#include "codec/spark/spark_probes.h"

namespace bloomery {

// Return all kernels of this build. The definition is the last.
std::span<const ProbeKernel<SparkV1>> spark_v1_kernels();
std::span<const ProbeKernel<SparkV2>> spark_v2_kernels();

// Return the first kernel that this machine can run, or the one that the environment variable BLOOMERY_KERNEL names.
const ProbeKernel<SparkV1>& chosen_spark_kernel(const SparkV1&);
const ProbeKernel<SparkV2>& chosen_spark_kernel(const SparkV2&);

extern const ProbeKernel<SparkV1> kAvx512SparkV1Kernel;
extern const ProbeKernel<SparkV2> kAvx512SparkV2Kernel;

}  // namespace bloomery
