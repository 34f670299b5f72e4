#include "filter/ribbon/ribbon_kernel.h"

#include "base/crc32c.h"
#include "base/endian.h"
#include "base/kernel_choice.h"

namespace bloomery {
namespace {

// The fastest kernel comes first. The definition, which runs on every machine, comes last.
const std::array<RibbonKernel, 3> kRibbonKernels = {kAvx512RibbonKernel, kAvx2RibbonKernel,
                                                    kScalarRibbonKernel};

bool has_its_checksum(const RibbonTable& table, std::uint64_t held_index) {
  const RibbonShard& shard = table.shards[held_index];
  const RibbonEntry shape = {.blocks = {shard.blocks0, shard.blocks1},
                             .narrow_blocks = {shard.narrow0, shard.narrow1},
                             .tail_slots = shard.tail_slots,
                             .tail_is_wide = shard.tail_columns - table.columns};
  const auto words = std::span(table.words + shard.front, shard_words(shape, table.columns));
  return crc32c(std::as_bytes(words)) == load_little32(table.directory + held_index * kRibbonEntryBytes);
}

}  // namespace

std::span<const RibbonKernel> ribbon_kernels() {
  return kRibbonKernels;
}

const RibbonKernel& chosen_ribbon_kernel() {
  static const RibbonKernel& kernel = chosen_of(ribbon_kernels());
  return kernel;
}

bool is_sound(const RibbonTable& table, std::uint64_t held_index) {
  std::atomic_ref<std::uint8_t> state(table.shards[held_index].state);
  if (state.load(std::memory_order_acquire) == static_cast<std::uint8_t>(ShardState::kUnverified)) {
    verify_shard(table, held_index);
  }
  return state.load(std::memory_order_acquire) == static_cast<std::uint8_t>(ShardState::kSound);
}

void verify_shard(const RibbonTable& table, std::uint64_t held_index) {
  // Two threads may both compute the checksum; they get the same result.
  const bool sound = has_its_checksum(table, held_index);
  if (!sound) {
    std::uint64_t lowest = table.damaged->load(std::memory_order_relaxed);
    while (held_index < lowest &&
           !table.damaged->compare_exchange_weak(lowest, held_index, std::memory_order_relaxed)) {
    }
  }
  // The state is stored after `damaged`. So a thread that reads the state kDamaged finds the damage reported.
  std::atomic_ref<std::uint8_t>(table.shards[held_index].state)
      .store(static_cast<std::uint8_t>(sound ? ShardState::kSound : ShardState::kDamaged),
             std::memory_order_release);
}

}  // namespace bloomery
