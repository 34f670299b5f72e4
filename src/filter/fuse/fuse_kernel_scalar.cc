// The definition of the fuse kernel.
#define BLOOMERY_FUSE_TARGET
#include "filter/fuse/fuse_probe.h"

namespace bloomery {

bool fuse_may_contain(const FuseTable& table, std::uint64_t hash) {
  return fuse_contains(table, hash);
}

const FuseKernel kScalarFuseKernel = {.name = "scalar",
                                      .available = [] { return true; },
                                      .may_contain = fuse_contains,
                                      .may_contain_batch = fuse_contains_batch<Hash128>,
                                      .may_contain_low = fuse_contains_batch<Hash64>};

}  // namespace bloomery
