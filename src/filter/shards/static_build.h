// The build of a static filter from a stream of hashes: they are collected and spooled, the plan is made when
// their number is known, and the shards are built and written in order. RibbonBuilder and FuseBuilder are
// this class with their family.
//
// Threads: one at a time. After an error, the build may only be destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/static_build.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/filter_body.h"
#include "filter/shards/sharded_build.h"

namespace bloomery {

// The plan of a family for a number of keys.
struct StaticPlan {
  ShardCut cut;
  std::uint32_t hash_count = 0;
  std::uint16_t stride_bytes = 0;
  std::function<ShardMaker()> new_maker;
};

// What a family contributes to a build.
struct StaticFamily {
  FilterType type;
  std::size_t at_once;                // shards that a thread builds together
  std::uint64_t shard_bytes_per_key;  // memory of a shard while it is built
  // A plan for the right number of keys has fewer keys than this in a shard. Larger shards need more than
  // `thread_memory`, so their need is compared with the limit.
  std::uint64_t usual_shard_keys;
  std::uint64_t thread_memory;
  std::uint64_t min_memory;
  // Returns the plan. Errors: those of ribbon_shape_for_fpp(), fuse_shape_for_fpp().
  Result<StaticPlan> (*plan)(std::uint64_t keys, double fpp, const StaticBuildOptions& options,
                             std::uint32_t most_hash_bits);
  std::uint64_t (*predicted_bytes)(std::uint64_t keys, double fpp, const StaticBuildOptions& options);

  // Returns the fields of a file that are not in its shards.
  ShardRecord record(const StaticPlan& planned) const {
    return {.type = type, .hash_count = planned.hash_count, .stride_bytes = planned.stride_bytes};
  }
};

StaticBuildNeeds static_build_needs(const StaticFamily& family, std::uint64_t key_count, double fpp,
                                    const StaticBuildOptions& options);

// The calls are those of RibbonBuilder (ribbon_builder.h).
class StaticBuild {
 public:
  static Result<StaticBuild> create(const StaticFamily& family, double fpp,
                                    const StaticBuildOptions& options);
  StaticBuild(StaticBuild&&) noexcept;
  StaticBuild& operator=(StaticBuild&&) noexcept;
  ~StaticBuild();

  Status add(std::span<const Hash128> hashes);
  Status reject(std::span<const Hash128> hashes);
  void set_digest_bytes(std::uint16_t bytes);
  std::uint64_t added() const;
  std::uint64_t spooled_bytes() const;
  Result<std::unique_ptr<FilterBody>> finish(const StaticBuildProgress& progress,
                                             const std::atomic<bool>* cancelled);
  Result<std::unique_ptr<FilterBody>> finish_nameless(const StaticBuildProgress& progress,
                                                      const std::atomic<bool>* cancelled);
  Result<StaticBuildWritten> finish(const std::string& path, const SaveTo& to,
                                    const StaticBuildProgress& progress);
  std::uint64_t rejected_keys() const;
  const std::vector<std::uint64_t>& contradicted() const;

 private:
  struct State;
  explicit StaticBuild(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bloomery
