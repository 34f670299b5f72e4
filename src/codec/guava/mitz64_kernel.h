// The kernels of Guava's strategy 1 (guava_probes.h): the scalar definition and AVX-512.
//
// Each is a row of the table in mitz64_kernel.cc. Source of the positions: docs/formats/guava.md.
#pragma once

#include <span>

#include "codec/guava/guava_probes.h"
#include "codec/probe_kernel.h"

namespace bloomery {

using Mitz64Kernel = ProbeKernel<Mitz64>;

// Returns all kernels of this build. The definition is the last.
std::span<const Mitz64Kernel> mitz64_kernels();

// Returns the first kernel that this machine can run, or the kernel that the environment variable
// BLOOMERY_KERNEL names, if the machine can run that one.
const Mitz64Kernel& chosen_mitz64_kernel();

extern const Mitz64Kernel kAvx512Mitz64Kernel;

}  // namespace bloomery
