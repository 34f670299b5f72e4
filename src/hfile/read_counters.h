// Counts the blocks of one open file that were read, from disk and from a cache, and the bytes.
//
// Threads that read the same file are spread over four cache lines, so that they contend less. Increments are
// not ordered among each other.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "hfile/block_header.h"

namespace bloomery::hfile {

// The source of a block that was read.
enum class ReadFrom : std::uint8_t { kDisk, kCache };
inline constexpr std::size_t kReadPlaces = 2;

class ReadCounters {
 public:
  void add(BlockKind kind, ReadFrom from) { add_to(mine().blocks[place(from)][place(kind)], 1); }
  void add_bytes(std::uint64_t bytes) { add_to(mine().bytes, bytes); }

  std::uint64_t blocks(BlockKind kind, ReadFrom from) const {
    std::uint64_t sum = 0;
    for (const Stripe& stripe : stripes_) {
      sum += stripe.blocks[place(from)][place(kind)].load(std::memory_order_relaxed);
    }
    return sum;
  }
  std::uint64_t bytes() const {  // from disk
    std::uint64_t sum = 0;
    for (const Stripe& stripe : stripes_) {
      sum += stripe.bytes.load(std::memory_order_relaxed);
    }
    return sum;
  }

 private:
  static constexpr std::size_t kStripes = 4;

  struct alignas(64) Stripe {
    std::array<std::array<std::atomic<std::uint64_t>, kBlockKinds>, kReadPlaces> blocks{};
    std::atomic<std::uint64_t> bytes{0};
  };

  template <typename Number>
  static constexpr std::size_t place(Number number) {
    return static_cast<std::size_t>(number);
  }
  static void add_to(std::atomic<std::uint64_t>& counter, std::uint64_t count) {
    counter.fetch_add(count, std::memory_order_relaxed);
  }
  Stripe& mine() {
    static std::atomic<std::size_t> next{0};
    static thread_local const std::size_t stripe = next.fetch_add(1, std::memory_order_relaxed) % kStripes;
    return stripes_[stripe];
  }

  std::array<Stripe, kStripes> stripes_{};
};

}  // namespace bloomery::hfile
