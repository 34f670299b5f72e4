// Builds the shards of one plan in order, on several threads, from a source of ascending hashes.
//
// While the threads build one group of some shards a thread, the calling thread reads the next group from the
// source:
//
// clang-format off
//    calling thread   read 0 | read 1        | use 0 | read 2        | use 1 | ...
//    threads                 | build group 0 |       | build group 1 |       | ...
// clang-format on
//
// Before each iteration of the loop in run(), `group` has been read and is not yet built. Two groups are in
// memory at most.
//
// Threads: run() starts its own; the caller is one thread. Not here: the sources (hash_spool.h,
// range_files.h), the building of one shard (its family), and the file (sharded_build.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/base/uint128.h"

namespace bloomery {

// The shards of a plan as ranges of hashes. A shard has the hashes from lowest_hash_of() to highest_hash().
// Exactly these fall into it once the bits that do not count are cleared.
//
//    shard * 2^64 + place = (h & mask) * shards
//
// The ranges of neighbouring shards have no gap, and their order is that of the hashes.

// How a plan cuts the hashes.
struct ShardCut {
  std::uint32_t hash_bits = 64;  // the leading bits that count
  std::uint32_t shards = 1;
};

// The shards [first, end).
struct ShardRange {
  std::uint32_t first;
  std::uint32_t end;
};

// Returns the mask of the leading `hash_bits` bits, those of a hash that count.
inline std::uint64_t mask_of(std::uint32_t hash_bits) {
  return ~std::uint64_t{0} << (64 - hash_bits);
}

// Returns the least hash of a shard, which is the least h with h * shards / 2^64 >= shard.
inline std::uint64_t lowest_hash(std::uint32_t shards, std::uint64_t shard) {
  const Uint128 scaled = Uint128{shard} << 64;
  return static_cast<std::uint64_t>((scaled + shards - 1) / shards);
}

// Returns the greatest hash that falls into a shard once it is masked.
inline std::uint64_t highest_hash(const ShardCut& cut, std::uint64_t shard) {
  const std::uint64_t last =
      shard + 1 == cut.shards ? ~std::uint64_t{0} : lowest_hash(cut.shards, shard + 1) - 1;
  return last | ~mask_of(cut.hash_bits);
}

// Returns the shard of a masked hash: its bits after the first cut.hash_bits are 0.
inline std::uint32_t shard_of(const ShardCut& cut, std::uint64_t masked) {
  return static_cast<std::uint32_t>((Uint128{masked} * cut.shards) >> 64);
}

// Returns the least hash that falls into a shard once it is masked.
inline std::uint64_t lowest_hash_of(const ShardCut& cut, std::uint64_t shard) {
  return shard == 0 ? 0 : highest_hash(cut, shard - 1) + 1;
}

// Appends to `out` the hashes <= `last` that earlier calls did not return, ascending, each once. `last` never
// decreases.
using HashSource = std::function<Status(std::uint64_t last, std::vector<std::uint64_t>& out)>;

// The hashes of neighbouring shards, one shard after the other. ends[i] is where shard i ends.
struct ShardGroup {
  std::vector<std::uint64_t> hashes;
  std::vector<std::size_t> ends;
  std::uint64_t rejected = 0;               // how many of the hashes carry the flag
  std::vector<std::uint64_t> contradicted;  // the hashes that were both added and rejected

  std::span<const std::uint64_t> shard(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(hashes).subspan(begin, ends[i] - begin);
  }
};

// A finished shard, ready to be written.
struct ShardImage {
  std::array<std::byte, 16> entry;  // of the directory
  std::vector<std::uint64_t> words;
};

// Builds shards, each from its own hashes: masked, ascending, and distinct even without their flags.
using ShardMaker =
    std::function<Result<std::vector<ShardImage>>(std::span<const std::span<const std::uint64_t>>)>;

// Marks the hash of a rejected key. It is the lowest bit, so the same mask selects column 0 of a fingerprint.
inline constexpr std::uint64_t kRejectBit = 1;

// Returns the threads of a build: `wanted` (0 means all of the machine), but no more than fit into half of
// the memory, of which each needs `thread_memory`.
unsigned shard_threads(unsigned wanted, std::uint64_t memory_bytes, std::uint64_t thread_memory);

class ShardLine {
 public:
  // The shards that are built, and the form of their hashes.
  struct Work {
    ShardCut cut;
    std::function<ShardMaker()> new_maker;  // called once for each thread
    std::size_t at_once = 1;                // shards that a maker builds together
    std::uint32_t kept_bits = 64;           // of the source's hashes; `cut` may keep fewer
    std::uint64_t reject_bit = 0;           // kRejectBit if hashes carry that flag
    ShardRange range = {};
    unsigned threads = 1;
  };
  // Receives finished shards, in order, and their hashes.
  using Use = std::function<Status(const std::vector<ShardImage>& images, const ShardGroup& group)>;

  ShardLine(HashSource source, const Work& work);

  // Calls `use` for every group of shards. Stops at the first error. An error from reading the next group
  // takes precedence over an error from building this one.
  Status run(const Use& use);

 private:
  using Images = std::future<Result<std::vector<ShardImage>>>;

  Status take(ShardGroup& group);
  std::vector<Images> start(const ShardGroup& group);

  HashSource source_;
  Work work_;
  std::uint32_t next_;  // the shard that is read next
  std::vector<ShardMaker> makers_;
};

}  // namespace bloomery
