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
#include "filter/shards/shard_range.h"

namespace bloomery {

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
