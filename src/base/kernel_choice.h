// Which of several kernels runs: the fastest that the machine has, or the one that is asked for.
#pragma once

#include <cstdlib>
#include <span>
#include <string_view>

namespace bloomery {

// Returns the kernel that the environment variable BLOOMERY_KERNEL names (scalar, avx2, avx512), if this
// machine can run it, otherwise the first that it can. The last one is the definition, which every machine
// runs.
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
