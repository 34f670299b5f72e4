#include "filter/ribbon/ribbon_kernel.h"

#include "base/kernel_choice.h"

namespace bloomery {
namespace {

// The fastest kernel comes first. The definition, which runs on every machine, comes last.
const std::array<RibbonKernel, 3> kRibbonKernels = {kAvx512RibbonKernel, kAvx2RibbonKernel,
                                                    kScalarRibbonKernel};

}  // namespace

std::span<const RibbonKernel> ribbon_kernels() {
  return kRibbonKernels;
}

const RibbonKernel& chosen_ribbon_kernel() {
  static const RibbonKernel& kernel = chosen_of(ribbon_kernels());
  return kernel;
}

std::span<const std::uint64_t> words_of_shard(const RibbonTable& table, std::uint64_t held_index) {
  const RibbonShard& shard = table.shards[held_index];
  const RibbonEntry shape = {.blocks = {shard.blocks0, shard.blocks1},
                             .narrow_blocks = {shard.narrow0, shard.narrow1},
                             .tail_slots = shard.tail_slots,
                             .tail_is_wide = shard.tail_columns - table.columns};
  return {table.words + shard.front, shard_words(shape, table.columns)};
}

}  // namespace bloomery
