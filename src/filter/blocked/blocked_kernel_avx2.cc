// The blocked kernel for AVX2: blocked_batches.h over a window of AVX2 vectors (blocked_window_avx2.h).
#include "filter/blocked/blocked_kernel.h"

#if defined(__x86_64__)

#include "bloomery/filter/blocked_window_avx2.h"

#define BLOOMERY_TARGET __attribute__((target("avx2,bmi2"), no_sanitize("thread")))
#include "filter/blocked/blocked_batches.h"

namespace bloomery {

constexpr BlockedKernel kAvx2BlockedKernel = Calls<WindowAvx2>::kernel(
    "avx2", [] { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0; });

}  // namespace bloomery

#else

namespace bloomery {

constexpr BlockedKernel kAvx2BlockedKernel = {.name = "avx2",
                                              .available = [] { return false; },
                                              .one = {},
                                              .may_contain_batch = nullptr,
                                              .insert_batch = nullptr,
                                              .test_and_insert_batch = nullptr,
                                              .may_contain_low = nullptr,
                                              .insert_low = nullptr,
                                              .test_and_insert_low = nullptr};

}  // namespace bloomery

#endif
