// Builds shards of a ribbon: decides how many blocks each band gets and which of them are narrow, and writes
// the words.
//
// A shard is planned by its number of keys n. Band 0 leaves the "bumped" keys.
//
//    n                   band 0                    band 1                       tail
//    0 to 160            none                      none                         all keys
//    161 to 12,288       61 slots for 64 keys,     none, if at most 640         the bumped keys
//                        bumps 5 % of the keys     are bumped
//    12,289 and more     60 slots for 64 keys,     64 slots fewer than          what band 1 bumps,
//                        bumps 6 %                 bumped keys                  at most 224 keys
//
// Slots come in blocks of 64, at least two to a band. If band 1 leaves more than 224 keys, it grows by one
// block plus 1/32 of its blocks and is solved again. If band 0 bumps more than 640 keys, a small set gets a
// band 1 too. The source of each constant is in README.md, section "Constants".
//
// The tail wastes one slot or two. A set of at most 160 keys needs at most 16 slots more than keys, except
// once in 2^16 sets.
//
// The first blocks of a band are narrow (r columns), the others wide (r + 1 columns). Their number is the
// largest that keeps the fpp of the shard at or under the fpp of the plan.
//
// If no number of slots solves the tail, the entire shard starts again under the next seed. The tail has at
// least 31 spare slots, so this happens to one set of keys in 2^31. So 32 seeds cannot all fail for distinct
// hashes, unless the machine errs; this is an error that the builder reports.
//
// Memory: kShardBytesPerKey for the shards that are being built. Not thread-safe: each thread needs its own
// builder.
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

inline constexpr std::uint64_t kShardBytesPerKey = 60;

// A finished shard, ready to be written.
struct RibbonShardImage {
  RibbonEntry entry;
  std::vector<std::uint64_t> words;
};

class RibbonShardBuilder {
 public:
  // For tests: returns true if the construction with this seed counts as failed.
  using Refusal = std::function<bool(std::uint32_t seed)>;

  // `reject_bit` is kRejectBit if hashes may have this flag, which marks keys whose answer must be no
  // (ribbon_solver.h); otherwise it is 0. Precondition of kRejectBit: `shape` has at least one column and at
  // most 63 hash bits.
  explicit RibbonShardBuilder(const RibbonShape& shape, Refusal refusal = {}, std::uint64_t reject_bit = 0);

  // Builds shards, four at once for speed. Each gets its own hashes: ascending, and distinct even without
  // their flags. Errors: kCapacity for a shard of more than 2^27 keys, and for hashes that are not spread
  // evenly or not distinct.
  Result<std::vector<RibbonShardImage>> build(std::span<const std::span<const std::uint64_t>> shards);

 private:
  // A shard while it is built.
  struct Draft {
    std::span<const std::uint64_t> hashes;
    std::uint32_t seed = 0;
    // The starts of the first band's keys, then those of the second band's keys in the order of their hashes.
    std::vector<std::uint32_t> starts;
    // The counters of the counting sort that orders the second band's keys.
    std::vector<std::uint32_t> start_ends;
    Band first;
    // The second band's keys and their starts, ascending by start.
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
  // The tail has r + 1 columns, unless every block of the plan has r. The bands compensate for a wide tail
  // with more narrow blocks. A narrow tail could not always be compensated: a small set has no bands.
  std::uint32_t tail_is_wide() const { return shape_.scaled_fpp < std::uint64_t{2} << 32 ? 1 : 0; }
  RibbonShardImage image_of(Draft& draft);
  void append_band(const Band& band, std::uint32_t narrow_blocks, std::vector<std::uint64_t>& words);

  RibbonShape shape_;
  Refusal refusal_;
  std::uint64_t reject_bit_;
  std::vector<Draft> drafts_;           // kept between calls to reuse their memory
  std::vector<std::uint64_t> columns_;  // a band's: up to 16 columns of each block
};

}  // namespace bloomery
