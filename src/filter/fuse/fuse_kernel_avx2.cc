// The fuse kernel for AVX2: the definition, compiled for the processor's multiplication and shifts.
//
// Functions have a target attribute, so that no other code of the build is compiled for a processor on which
// it may not run.
#include "filter/fuse/fuse_kernel.h"

#if defined(__x86_64__)

#define BLOOMERY_FUSE_TARGET __attribute__((target("avx2,bmi,bmi2")))

#include "filter/fuse/fuse_probe.h"

namespace bloomery {

const FuseKernel kAvx2FuseKernel = {
    .name = "avx2",
    .available = [] { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0; },
    .may_contain = fuse_contains,
    .may_contain_batch = fuse_contains_batch};

}  // namespace bloomery

#else

namespace bloomery {

const FuseKernel kAvx2FuseKernel = {
    .name = "avx2", .available = [] { return false; }, .may_contain = nullptr, .may_contain_batch = nullptr};

}  // namespace bloomery

#endif
