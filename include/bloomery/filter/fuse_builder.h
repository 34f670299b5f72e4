// Builds a fuse filter from more keys than fit in memory, or from an unknown number of keys.
//
// Example:
//    auto builder = FuseBuilder::create(1e-3, {.memory_bytes = 512 << 20, .spool_directory = "."});
//    Status added = builder->add(hashes);   // any number of times, in any order, with repeats
//    auto written = builder->finish("urls.fuse", {.replace = true});
//
// It works like RibbonBuilder: hashes are collected, sorted and spooled, and the shards are built and written
// in order. The result depends only on the set of keys, the capacity and the options. The file appears
// complete or not at all. Keys cannot be rejected.
//
// Threads: one at a time. After an error, the builder may only be destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/fuse_filter.h"
#include "bloomery/filter/static_build.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

// Returns the maximal cost of building `key_count` keys, if their hashes are spread evenly.
StaticBuildNeeds fuse_build_needs(std::uint64_t key_count, double fpp, const StaticBuildOptions& options);

class FuseBuilder {
 public:
  // Errors: kInvalidArgument for an impossible fpp, memory, part, capacity, or for `rejecting`.
  static Result<FuseBuilder> create(double fpp, const StaticBuildOptions& options = {});
  FuseBuilder(FuseBuilder&&) noexcept;
  FuseBuilder& operator=(FuseBuilder&&) noexcept;
  ~FuseBuilder();

  // The calls of RibbonBuilder, with its errors.
  Status add(std::span<const Hash128> hashes);
  void set_digest_bytes(std::uint16_t bytes);
  std::uint64_t added() const;
  std::uint64_t spooled_bytes() const;
  Result<FuseFilter> finish(const StaticBuildProgress& progress = {},
                            const std::atomic<bool>* cancelled = nullptr);
  Result<FuseFilter> finish_nameless(const StaticBuildProgress& progress = {},
                                     const std::atomic<bool>* cancelled = nullptr);
  Result<StaticBuildWritten> finish(const std::string& path, const SaveTo& to = {},
                                    const StaticBuildProgress& progress = {});

 private:
  struct State;
  explicit FuseBuilder(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bloomery
