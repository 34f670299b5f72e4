// Building shards of a ribbon: how many blocks the bands of a shard get, which of them are narrow, and its
// words.
//
// Band 0 gets 60 slots for 64 keys, so that hardly a slot stays free, and bumps 6 per cent; band 1 holds most
// of those; what it bumps, at most 224 keys, is the tail, a dense system that wastes one slot or two. Where
// band 0 bumps 640 keys or fewer they are the tail at once. Sets of at most 160 keys are a tail alone, of at
// most 16 slots more than keys in all but one case of 2^16. Narrow blocks are the first ones of each band, as
// many as keep the shard's own fpp at or under the plan's.
//
// A tail that no number of slots solves makes the whole shard start again under the next seed. With at least
// 31 slots to spare that happens to one set of keys in 2^31, so that 32 seeds cannot all fail for distinct
// hashes but by the machine's error, which is reported. Memory: 60 bytes a key of the shards at hand. Not
// thread-safe: one builder a thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "filter/ribbon/ribbon_kernel.h"
#include "filter/ribbon/ribbon_solver.h"

namespace bloomery {

// A shard as it is written.
struct RibbonShardImage {
  RibbonEntry entry;
  std::vector<std::uint64_t> words;
};

class RibbonShardBuilder {
 public:
  // For tests: says of a seed whether to treat the construction as failed.
  using Refusal = std::function<bool(std::uint32_t seed)>;

  // `reject_bit`: kRejectBit where hashes have it as a flag (ribbon_solver.h), otherwise 0. With the flag
  // `shape` has at least one column and at most 63 hash bits.
  explicit RibbonShardBuilder(const RibbonShape& shape, Refusal refusal = {}, std::uint64_t reject_bit = 0);

  // Builds shards, best four at once, each of ascending distinct hashes that belong to it, distinct even
  // without their flags. Errors: kCapacity for a shard of more than 2^27 keys.
  Result<std::vector<RibbonShardImage>> build(std::span<const std::span<const std::uint64_t>> shards);

 private:
  // A shard on its way.
  struct Draft {
    std::span<const std::uint64_t> hashes;
    std::uint32_t seed = 0;
    std::vector<std::uint32_t> starts;
    std::vector<std::uint32_t> start_ends;
    Band first;
    std::vector<std::uint64_t> second_hashes;
    std::vector<std::uint32_t> second_starts;
    Band second;
    Tail tail;
  };

  Status draft_bands(std::span<Draft> drafts);
  void order_second_band(Draft& draft, std::uint32_t blocks) const;
  Status draft_second_bands(std::span<Draft> drafts) const;
  Result<bool> draft_with_seed(Draft& draft, std::uint32_t seed);
  bool draft_tail(Draft& draft);
  // A tail is narrow only where everything is: bands make up for its width, but not for more.
  std::uint32_t tail_is_wide() const { return shape_.scaled_fpp < std::uint64_t{2} << 32 ? 1 : 0; }
  RibbonShardImage image_of(Draft& draft);
  void append_band(const Band& band, std::uint32_t narrow_blocks, std::vector<std::uint64_t>& words);

  RibbonShape shape_;
  Refusal refusal_;
  std::uint64_t reject_bit_;
  std::vector<Draft> drafts_;           // kept from call to call for their memory
  std::vector<std::uint64_t> columns_;  // of a band, sixteen a block
};

}  // namespace bloomery
