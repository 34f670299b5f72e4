#include "filter/fuse/fuse_kernel.h"

#include <algorithm>

#include "base/kernel_choice.h"

namespace bloomery {
namespace {

// The fastest kernel comes first. The definition, which runs on every machine, comes last.
const std::array<FuseKernel, 3> kFuseKernels = {kAvx512FuseKernel, kAvx2FuseKernel, kScalarFuseKernel};

}  // namespace

std::span<const FuseKernel> fuse_kernels() {
  return kFuseKernels;
}

const FuseKernel& chosen_fuse_kernel() {
  static const FuseKernel& kernel = chosen_of(fuse_kernels());
  return kernel;
}

std::span<const std::uint64_t> words_of_shard(const FuseTable& table, std::uint64_t held_index) {
  const FuseShard& shard = table.shards[held_index];
  return {table.words + shard.front, shard.aside - shard.front + shard.set_aside};
}

bool is_set_aside(const FuseTable& table, const FuseShard& shard, std::uint64_t hash) {
  const std::uint64_t* const first = table.words + shard.aside;
  return std::binary_search(first, first + shard.set_aside, hash);
}

}  // namespace bloomery
