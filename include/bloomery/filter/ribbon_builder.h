// Builds a ribbon from more keys than fit in memory, or from an unknown number of keys.
//
// Example:
//    auto builder = RibbonBuilder::create(1e-4, {.memory_bytes = 512 << 20, .spool_directory = "."});
//    Status added = builder->add(hashes);   // any number of times, in any order, with repeats
//    auto written = builder->finish("urls.ribbon", {.replace = true});
//
//   1. add() collects the hashes of the keys in 256 ranges.
//   2. When the memory is full, the builder sorts a range, drops repeats, delta-codes it and appends it to
//      its spool file (HashSpool). Spool files are unnamed, so they disappear with the process, however it
//      ends.
//   3. finish() reads the ranges in order and cuts them into shards.
//   4. Each thread builds four shards at once, and the builder writes the shards in order.
//
// Memory holds the shards being built. Disk holds what was spooled and not yet read, plus the filter. The
// result depends only on the set of keys, the capacity and the options; order, repeats, memory and threads
// do not matter. The file appears complete or not at all.
//
// Keys can be rejected: the filter always answers no to them, and each costs the space of a key. So a
// filter of one column over the members of another filter, which rejects the other's false positives, makes
// the other filter exact on both sets. A rejecting build keeps 63 bits of a hash and a flag. If an added
// key and a rejected key share these 63 bits, both are members, and contradicted() lists them.
//
// Threads: one at a time. After an error, the builder may only be destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/ribbon_filter.h"
#include "bloomery/filter/static_build.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

using RibbonBuildOptions = StaticBuildOptions;
using RibbonBuildNeeds = StaticBuildNeeds;
RibbonBuildNeeds ribbon_build_needs(std::uint64_t key_count, double fpp, const RibbonBuildOptions& options);

class RibbonBuilder {
 public:
  using Progress = StaticBuildProgress;

  // Errors: kInvalidArgument for an impossible fpp, memory, part, capacity or rejecting.
  static Result<RibbonBuilder> create(double fpp, const RibbonBuildOptions& options = {});
  RibbonBuilder(RibbonBuilder&&) noexcept;
  RibbonBuilder& operator=(RibbonBuilder&&) noexcept;
  ~RibbonBuilder();

  // Adds keys by the low words of their hashes. Errors: kIo or kNotFound for the spool; kCapacity if the
  // machine lacks the memory.
  Status add(std::span<const Hash128> hashes);
  // Adds keys that the filter must reject. Errors: kIo or kNotFound for the spool; kCapacity;
  // kInvalidArgument without RibbonBuildOptions::rejecting.
  Status reject(std::span<const Hash128> hashes);
  // Records that all keys are digests of this width (KeyTreatment::digest_bytes). Call it before finish().
  void set_digest_bytes(std::uint16_t bytes);
  // Returns the number of hashes added so far, with repeats and rejected ones, without those of other
  // parts.
  std::uint64_t added() const;
  // Returns the bytes written to the spool so far.
  std::uint64_t spooled_bytes() const;

  // Returns the filter, in memory; making it needs twice its size. `cancelled` stops it. Call one of the
  // finish functions once; nothing can be added afterwards. Errors:
  //
  //   kCapacity          the machine lacks the memory, or a shard has more than 2^27 keys
  //   kIo, kCorruption   errors of the spool
  Result<RibbonFilter> finish(const Progress& progress = {}, const std::atomic<bool>* cancelled = nullptr);

  // Returns the filter, mapped from an unnamed file in the spool directory. The file disappears with the
  // filter. Errors: kCapacity; kIo or kCorruption of the spool.
  Result<RibbonFilter> finish_nameless(const Progress& progress = {},
                                       const std::atomic<bool>* cancelled = nullptr);

  using Written = StaticBuildWritten;
  // Writes the filter to a file while it is built. `to.cancelled` stops it and leaves no file. Errors:
  // kCapacity; kIo or kCorruption of the spool; kInvalidArgument if the file exists and may not be
  // replaced.
  Result<Written> finish(const std::string& path, const SaveTo& to = {}, const Progress& progress = {});

  // Call these after finish(). The first returns the number of distinct keys that the filter rejects. The
  // second lists the hashes that were both added and rejected; the filter does not reject these. The list
  // has their 63 bits, ascending, and needs 8 bytes of memory each.
  std::uint64_t rejected_keys() const;
  const std::vector<std::uint64_t>& contradicted() const;

 private:
  struct State;
  explicit RibbonBuilder(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bloomery
