// The state of a static filter's shard. The checksum of a shard is computed when a query first uses it.
//
// A `Table` is a static filter in its query form. Its members that are used here:
//
//    shards      each with a `state` and a `front`
//    directory   their entries, each of which begins with the CRC-32C of the shard's words
//    damaged     the lowest damaged shard that was found so far, or kNoDamagedShard
//
// The family defines
//
//    std::span<const std::uint64_t> words_of_shard(const Table& table, std::uint64_t held_index)
//
// A shard whose checksum fails answers maybe to every key. All calls may run concurrently.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bloomery/base/result.h"
#include "filter/native/native_header.h"
#include "filter/shards/shard_directory.h"

namespace bloomery {

enum class ShardState : std::uint8_t { kUnverified, kSound, kDamaged };

inline constexpr std::uint64_t kNoDamagedShard = ~std::uint64_t{0};

// Computes the checksum again, even if the shard's state is known.
template <typename Table>
[[gnu::noinline]] void verify_shard(const Table& table, std::uint64_t held_index) {
  // Two threads may both compute the checksum; they get the same result.
  const bool sound = crc32c(std::as_bytes(words_of_shard(table, held_index))) ==
                     load_little32(table.directory + held_index * kShardEntryBytes);
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

// Returns true if a held shard's words are intact. Computes the checksum once, when the shard is first used.
template <typename Table>
[[gnu::noinline]] bool is_sound(const Table& table, std::uint64_t held_index) {
  std::atomic_ref<std::uint8_t> state(table.shards[held_index].state);
  if (state.load(std::memory_order_acquire) == static_cast<std::uint8_t>(ShardState::kUnverified)) {
    verify_shard(table, held_index);
  }
  return state.load(std::memory_order_acquire) == static_cast<std::uint8_t>(ShardState::kSound);
}

// Returns Ok, or an error of `subject` with the offset in the file if a shard that was used is damaged.
template <typename Table>
Status status_of_shards(const char* subject, const Table& table, const NativeHeader& header) {
  const std::uint64_t damaged = table.damaged->load(std::memory_order_relaxed);
  if (damaged == kNoDamagedShard) {
    return {};
  }
  return Error::corruption(subject, header.payload_offset() + table.shards[damaged].front * 8,
                           "shard " + std::to_string(header.first_shard + damaged) + " of " +
                               std::to_string(header.shards) +
                               ": its checksum does not hold; it answers maybe to every key");
}

}  // namespace bloomery
