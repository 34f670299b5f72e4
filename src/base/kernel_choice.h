// Chooses the kernel that runs: the fastest one that the machine can run, or the one that the user names.
//
// A kernel is a row of a table: its name, whether this machine can run it, and its functions. The fastest row
// is the first of the table and the definition, `scalar`, is the last. All rows produce the same bytes and
// answers. A row for one processor has a file of its own; compiled for another processor, that file leaves
// the row's functions null.
//
//   table                  rows                      folder
//   crc32c_kernels         avx512, sse42, scalar     base
//   bit_count_kernels      popcnt, scalar            base
//   low_words_kernels      avx2, scalar              hash
//   blocked_kernels        avx512, avx2, scalar      filter/blocked
//   fuse_kernels           avx512, avx2, scalar      filter/fuse
//   ribbon_kernels         avx512, avx2, scalar      filter/ribbon
//   band_solver_kernels    avx512, bmi2, scalar      filter/ribbon
//   quotient_kernels       avx2, scalar              filter/quotient
//   mitz64_kernels         avx512, scalar            codec/guava
//   spark_v1_kernels       avx512, scalar            codec/spark
//   spark_v2_kernels       avx512, scalar            codec/spark
//   cassandra_kernels      avx512, scalar            codec/cassandra
//
// Only this file reads BLOOMERY_KERNEL.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string_view>

namespace bloomery {

// Returns the kernel that the environment variable BLOOMERY_KERNEL names, if the table has it and this
// machine can run it. Otherwise returns the first kernel that this machine can run. So `scalar` reaches every
// table.
template <typename Kernel>
const Kernel& chosen_of(std::span<const Kernel> kernels) {
  const char* const forced =
      std::getenv("BLOOMERY_KERNEL");  // NOLINT(concurrency-mt-unsafe): read once, never set by us
  const Kernel* chosen = &kernels.back();
  for (std::size_t i = kernels.size(); i-- > 0;) {
    if (!kernels[i].available()) {
      continue;
    }
    if (forced != nullptr && std::string_view(forced) == kernels[i].name) {
      return kernels[i];
    }
    chosen = &kernels[i];
  }
  return *chosen;
}

}  // namespace bloomery
