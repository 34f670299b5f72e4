// Building a ribbon from more keys than fit in memory, or than anyone has counted.
//
//   auto builder = RibbonBuilder::create(1e-4, {.memory_bytes = 512 << 20, .spool_directory = "/var/tmp"});
//   builder->add(hashes);                                // any number of times, in any order, with repeats
//   builder->finish("urls.ribbon", {.replace = true});
//
// Keys' hashes are collected in 256 ranges; when the memory is full a range is sorted, freed of repeats,
// delta-coded and appended to its spool file (HashSpool), which has no name and so disappears with the
// process, however that ends. finish() reads the ranges in order, cuts them into shards, builds four shards a
// thread at once, and writes them one after the other: memory is that of the shards at hand, disk what was
// spooled and not yet read, plus the filter. The result depends on the set of keys, the capacity and the
// options alone: not on order, repeats, memory or threads. As everywhere, it appears whole or not at all.
//
// Keys can be rejected: the filter answers no to them, always, at the space of a key each. So a filter of
// one column over the keys that are in and the false positives of another makes that one exact on both. A
// rejecting build keeps 63 bits of a hash and a flag; of keys whose 63 bits are the same and of which one was
// added and one rejected, all are in, and contradicted() tells of them.
//
// Threads: one at a time. After an error only destruction is allowed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/ribbon_filter.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

inline constexpr std::uint64_t kUnlimitedMemory = ~std::uint64_t{0};
inline constexpr std::uint64_t kMinRibbonMemory = std::uint64_t{64} << 20;
// The leading bits of a hash that count where keys are rejected.
inline constexpr std::uint32_t kRejectingHashBits = 63;

struct RibbonBuildOptions {
  FilterOptions filter = {};  // whose threads build
  // Distinct keys of the whole set, rejected ones too, which decide the number of shards; 0: counted, to 2
  // per cent above 4,096. Being wrong by a factor of ten costs less than 0.1 bits per key, and memory where
  // it is too small; never a wrong answer.
  std::uint64_t capacity = 0;
  // Kept to by the builder, as long as hashes are spread evenly and the capacity is not far too small: at
  // least 64 MiB. The filter itself, when it is built in memory, is beside it.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::string spool_directory = ".";
  // Builds the `part`-th of `parts` shares of the plan's shards, from 1; keys of others are passed over.
  // Needs a capacity, that of the whole.
  std::uint32_t part = 1;
  std::uint32_t parts = 1;
  // Keys may be rejected. Needs an fpp of at most 1/2 and one part.
  bool rejecting = false;
  std::string metadata = {};
};

// What building `key_count` keys, repeats and rejected ones included, in so much memory takes at most, when
// their hashes are spread evenly.
struct RibbonBuildNeeds {
  std::uint64_t memory_bytes;
  std::uint64_t spool_bytes;   // disk in the spool directory; 0: none
  std::uint64_t filter_bytes;  // of the file
};
RibbonBuildNeeds ribbon_build_needs(std::uint64_t key_count, double fpp, const RibbonBuildOptions& options);

class RibbonBuilder {
 public:
  // Shards finished, of how many.
  using Progress = std::function<void(std::uint32_t done, std::uint32_t total)>;

  // Errors: kInvalidArgument for an fpp, memory, part, capacity or rejecting that cannot be.
  static Result<RibbonBuilder> create(double fpp, const RibbonBuildOptions& options = {});
  RibbonBuilder(RibbonBuilder&&) noexcept;
  RibbonBuilder& operator=(RibbonBuilder&&) noexcept;
  ~RibbonBuilder();

  // Takes the low words. Errors: kIo, kNotFound of the spool; kCapacity when the machine lacks the memory.
  Status add(std::span<const Hash128> hashes);
  // The same for keys that are not in. Errors: also kInvalidArgument without RibbonBuildOptions::rejecting.
  Status reject(std::span<const Hash128> hashes);
  // Hashes given so far, repeats and rejected ones included, those of other parts not.
  std::uint64_t added() const;
  // Bytes written to the spool so far.
  std::uint64_t spooled_bytes() const;

  // The filter, in memory; while it is made there are two of it. `cancelled` stops it. Once, and then nothing
  // more is added. Errors: kCapacity when the machine lacks the memory, or a shard has more than 2^27 keys;
  // kIo, kCorruption of the spool.
  Result<RibbonFilter> finish(const Progress& progress = {}, const std::atomic<bool>* cancelled = nullptr);

  // The filter, mapped from a file without a name in the spool directory, which goes with it. Errors: as
  // above.
  Result<RibbonFilter> finish_nameless(const Progress& progress = {},
                                       const std::atomic<bool>* cancelled = nullptr);

  struct Written {
    std::uint64_t keys;  // distinct, without the rejected ones
    std::uint64_t bytes;
  };
  // The filter, as a file, written as it is built. `to.cancelled` stops it; nothing is left behind then.
  // Errors: as above; kInvalidArgument where a file is and may not be replaced.
  Result<Written> finish(const std::string& path, const SaveTo& to = {}, const Progress& progress = {});

  // After finish(): the distinct keys that the filter rejects, and the hashes (their 63 bits, ascending) that
  // were added and rejected, which it does not; 8 bytes of memory each.
  std::uint64_t rejected_keys() const;
  const std::vector<std::uint64_t>& contradicted() const;

 private:
  struct State;
  explicit RibbonBuilder(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bloomery
