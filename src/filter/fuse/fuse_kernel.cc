#include "filter/fuse/fuse_kernel.h"

#include <algorithm>

#include "base/crc32c.h"
#include "base/endian.h"
#include "base/kernel_choice.h"

namespace bloomery {
namespace {

// The fastest kernel comes first. The definition, which runs on every machine, comes last.
const std::array<FuseKernel, 3> kFuseKernels = {kAvx512FuseKernel, kAvx2FuseKernel, kScalarFuseKernel};

bool has_its_checksum(const FuseTable& table, std::uint64_t held_index) {
  const FuseShard& shard = table.shards[held_index];
  const auto words = std::span(table.words + shard.front, shard.aside - shard.front + shard.set_aside);
  return crc32c(std::as_bytes(words)) == load_little32(table.directory + held_index * kFuseEntryBytes);
}

}  // namespace

std::span<const FuseKernel> fuse_kernels() {
  return kFuseKernels;
}

const FuseKernel& chosen_fuse_kernel() {
  static const FuseKernel& kernel = chosen_of(fuse_kernels());
  return kernel;
}

bool is_sound(const FuseTable& table, std::uint64_t held_index) {
  std::atomic_ref<std::uint8_t> state(table.shards[held_index].state);
  if (state.load(std::memory_order_acquire) == static_cast<std::uint8_t>(FuseShardState::kUnverified)) {
    verify_shard(table, held_index);
  }
  return state.load(std::memory_order_acquire) == static_cast<std::uint8_t>(FuseShardState::kSound);
}

void verify_shard(const FuseTable& table, std::uint64_t held_index) {
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
      .store(static_cast<std::uint8_t>(sound ? FuseShardState::kSound : FuseShardState::kDamaged),
             std::memory_order_release);
}

bool is_set_aside(const FuseTable& table, const FuseShard& shard, std::uint64_t hash) {
  const std::uint64_t* const first = table.words + shard.aside;
  return std::binary_search(first, first + shard.set_aside, hash);
}

}  // namespace bloomery
