// The blocked kernel for AVX-512: blocked_batches.h over a window of AVX-512 vectors
// (blocked_window_avx512.h).
#include "filter/blocked/blocked_kernel.h"

#if defined(__x86_64__)

#include "bloomery/filter/blocked_window_avx512.h"

#define BLOOMERY_TARGET __attribute__((target("avx512f,avx512dq,bmi2"), no_sanitize("thread")))
#include "filter/blocked/blocked_batches.h"

namespace bloomery {

constexpr BlockedKernel kAvx512BlockedKernel = Calls<WindowAvx512>::kernel("avx512", [] {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("bmi2") != 0;
});

}  // namespace bloomery

#else

namespace bloomery {

constexpr BlockedKernel kAvx512BlockedKernel = {.name = "avx512",
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
