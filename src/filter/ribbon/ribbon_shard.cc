#include "filter/ribbon/ribbon_shard.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <string>
#include <utility>

#include "base/crc32c.h"

namespace bloomery {
namespace {

// A set of at most this many keys is a tail alone.
constexpr std::size_t kPlainKeys = 160;
// At most this many bumped keys go to the tail without a second band. The ends of a second band would waste
// more slots than it saves work.
constexpr std::size_t kMaxBumpedToTail = 640;
// A set of at most this many keys is planned for a tail without a second band: 61 slots for 64 keys bump 5
// per cent, which are 614 of 12,288 keys. A larger set gets 60 slots for 64 keys, since fewer of them stay
// free.
constexpr std::size_t kKeysWithoutSecondBand = 12288;
// Band 1 is meant to leave kMeantForTail keys to the tail. It may leave up to kMaxTailAfterBands.
constexpr std::uint64_t kMeantForTail = 64;
constexpr std::size_t kMaxTailAfterBands = 224;
constexpr std::uint64_t kMaxShardKeys = std::uint64_t{1} << 27;
constexpr std::uint64_t kOne = std::uint64_t{1} << 32;  // the fpp of r + 1 columns, in units of scaled_fpp

// Returns the blocks of band 0. It has fewer slots than keys, and rounds down to full blocks: the surplus
// keys are bumped, and hardly a slot stays free.
std::uint32_t first_band_blocks(std::uint64_t keys) {
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(keys * (keys <= kKeysWithoutSecondBand ? 61 : 60) / 64 / kRibbonBlockSlots, 2));
}

// Returns the blocks of band 1 for the keys that band 0 has bumped: kMeantForTail more keys than slots.
std::uint32_t second_band_blocks(std::uint64_t keys) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>((keys - kMeantForTail) / kRibbonBlockSlots, 2));
}

// Returns how many starts of a block its bucket's code does not bump. The last block of a band has one start.
std::uint64_t kept_starts(const Band& band, std::uint32_t block) {
  const std::uint32_t first = block % 2 * kRibbonBlockSlots;
  const std::uint32_t end = first + (block + 1 == band.blocks ? 1 : kRibbonBlockSlots);
  return end - std::clamp(kBumpedBelow[band.codes[block / 2]], first, end);
}

// The number of narrow blocks of a band, and the fpp of a key that reaches the band. The fpp is in units of
// 2^-32 of the fpp that r + 1 columns have.
struct Widths {
  std::uint32_t narrow_blocks;
  std::uint64_t scaled_fpp;
};

// Returns the most narrow blocks that keep a band's fpp at or under `wanted`, if the keys that the band bumps
// have the fpp `next`.
//
// An absent key meets each start of the band with the same probability. A start that is kept has the fpp of
// its block, kOne if wide and 2 kOne if narrow. A start that is bumped has `next`. So a narrow block adds
// kOne for each start that it keeps, and narrow blocks are added from the left while the sum stays within
// `wanted` times the starts.
Widths widths_for(const Band& band, std::uint64_t wanted, std::uint64_t next) {
  if (band.blocks == 0) {
    return {.narrow_blocks = 0, .scaled_fpp = next};
  }
  const std::uint64_t starts = band_starts(band.blocks);
  std::uint64_t kept = 0;
  for (std::uint32_t block = 0; block < band.blocks; ++block) {
    kept += kept_starts(band, block);
  }
  // The sum of the fpp over all starts, if every block is wide.
  const std::uint64_t least = kept * kOne + (starts - kept) * next;
  std::uint64_t narrow_left = wanted * starts > least ? (wanted * starts - least) / kOne : 0;
  std::uint64_t narrow = 0;
  std::uint32_t blocks = 0;
  for (; blocks < band.blocks && kept_starts(band, blocks) <= narrow_left; ++blocks) {
    narrow_left -= kept_starts(band, blocks);
    narrow += kept_starts(band, blocks);
  }
  return {.narrow_blocks = blocks, .scaled_fpp = (least + narrow * kOne + starts - 1) / starts};
}

// Appends two bits for each bucket of the band, the first of which is bucket `first_bucket` of the shard.
void append_codes(const Band& band, std::uint64_t first_bucket, std::vector<std::uint64_t>& words) {
  for (std::size_t i = 0; i < band.codes.size(); ++i) {
    const std::uint64_t bucket = first_bucket + i;
    words[bucket / 32] |= std::uint64_t{band.codes[i]} << (bucket % 32 * 2);
  }
}

// Writes the tail's slots column after column, a bit a slot, from bit `bit` of the words on.
void append_tail(const Tail& tail, std::uint64_t bit, std::uint32_t columns,
                 std::vector<std::uint64_t>& words) {
  for (std::uint32_t column = 0; column < columns; ++column) {
    for (const std::uint64_t slot : tail.slots) {
      words[bit / 64] |= ((slot >> column) & 1) << (bit % 64);
      ++bit;
    }
  }
}

}  // namespace

RibbonShardBuilder::RibbonShardBuilder(const RibbonShape& shape, Refusal refusal, std::uint64_t reject_bit)
    : shape_(shape), refusal_(std::move(refusal)), reject_bit_(reject_bit) {
  assert(reject_bit == 0 || (reject_bit == kRejectBit && shape.columns > 0 && shape.hash_bits < 64));
}

// Fills the first bands of all drafts together, each under the seed of its draft. Hashes ascend, and so do
// their starts, so the first band needs no sort.
Status RibbonShardBuilder::draft_bands(std::span<Draft> drafts) {
  std::vector<Band*> bands;
  for (Draft& draft : drafts) {
    if (draft.hashes.size() > kMaxShardKeys) {
      return Error::capacity("ribbon shard", "expected at most 2^27 keys in one, found " +
                                                 std::to_string(draft.hashes.size()) +
                                                 ": the keys' hashes are not spread evenly");
    }
    draft.first.seed = draft.seed;
    draft.first.layer = 0;
    draft.first.reject_bit = reject_bit_;
    draft.first.columns = shape_.columns + 1;
    if (draft.hashes.size() <= kPlainKeys) {
      draft.first.blocks = 0;
      draft.first.codes.clear();
      draft.first.equations.clear();
      draft.first.bumped.assign(draft.hashes.begin(), draft.hashes.end());
      continue;
    }
    draft.first.blocks = first_band_blocks(draft.hashes.size());
    const std::uint64_t starts = band_starts(draft.first.blocks);
    draft.starts.resize(draft.hashes.size());
    std::transform(draft.hashes.begin(), draft.hashes.end(), draft.starts.begin(), [&](std::uint64_t hash) {
      return static_cast<std::uint32_t>(multiply_high((hash & ~reject_bit_) * shape_.shards, starts));
    });
    draft.first.hashes = draft.hashes;
    draft.first.starts = draft.starts;
    bands.push_back(&draft.first);
  }
  solve_bands(bands);
  return {};
}

// Sorts the keys of a second band of `blocks` blocks by their starts. They arrive in order of their hashes,
// and the counting sort preserves this order among equal starts.
void RibbonShardBuilder::order_second_band(Draft& draft, std::uint32_t blocks) const {
  const std::vector<std::uint64_t>& keys = draft.first.bumped;
  const std::uint64_t starts = band_starts(blocks);
  draft.second.blocks = blocks;
  draft.starts.resize(keys.size());
  std::vector<std::uint32_t>& ends = draft.start_ends;
  ends.assign(starts + 1, 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const RibbonKey key(keys[i] & ~reject_bit_, draft.seed, 1);
    draft.starts[i] = static_cast<std::uint32_t>(key.start(starts));
    ++ends[draft.starts[i] + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  draft.second_starts.resize(keys.size());
  draft.second_hashes.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint32_t place = ends[draft.starts[i]]++;
    draft.second_starts[place] = draft.starts[i];
    draft.second_hashes[place] = keys[i];
  }
  draft.second.hashes = draft.second_hashes;
  draft.second.starts = draft.second_starts;
}

// Fills the second bands of all drafts together. If the keys that a second band bumps do not fit the tail,
// the band is filled again with more blocks.
//
// Before and after each round, `second.bumped` of every draft has the keys that are left for its tail. The
// loop ends when they all fit, or when a band would exceed the blocks that a directory entry can hold.
Status RibbonShardBuilder::draft_second_bands(std::span<Draft> drafts) const {
  for (Draft& draft : drafts) {
    draft.second.seed = draft.seed;
    draft.second.layer = 1;
    draft.second.reject_bit = reject_bit_;
    draft.second.columns = shape_.columns + 1;
    draft.second.blocks = 0;
    draft.second.codes.clear();
    draft.second.equations.clear();
    draft.second.bumped = draft.first.bumped;
  }
  for (;;) {
    std::vector<Band*> bands;
    for (Draft& draft : drafts) {
      const std::uint64_t tried = draft.second.blocks;
      if (draft.second.bumped.size() <= (tried == 0 ? kMaxBumpedToTail : kMaxTailAfterBands)) {
        continue;
      }
      const std::uint64_t blocks =
          tried == 0 ? second_band_blocks(draft.first.bumped.size()) : tried + 1 + tried / 32;
      if (blocks > kMaxBand1Blocks) {
        return Error::capacity("ribbon shard", "expected hashes that are spread evenly, found " +
                                                   std::to_string(draft.first.bumped.size()) +
                                                   " keys too many in one place");
      }
      order_second_band(draft, static_cast<std::uint32_t>(blocks));
      bands.push_back(&draft.second);
    }
    if (bands.empty()) {
      return {};
    }
    solve_bands(bands);
  }
}

// Solves the tail. Returns false if another seed is needed.
bool RibbonShardBuilder::draft_tail(Draft& draft) {
  if (refusal_ && refusal_(draft.seed)) {
    return false;
  }
  std::optional<Tail> tail =
      solve_tail(draft.second.bumped, draft.seed, shape_.columns + tail_is_wide(), reject_bit_);
  if (tail) {
    draft.tail = std::move(*tail);
  }
  return tail.has_value();
}

// Rebuilds both bands and the tail of one draft under `seed`. Returns false if the next seed is needed.
Result<bool> RibbonShardBuilder::draft_with_seed(Draft& draft, std::uint32_t seed) {
  draft.seed = seed;
  BLOOMERY_RETURN_IF_ERROR(draft_bands({&draft, 1}));
  BLOOMERY_RETURN_IF_ERROR(draft_second_bands({&draft, 1}));
  return draft_tail(draft);
}

Result<std::vector<RibbonShardImage>> RibbonShardBuilder::build(
    std::span<const std::span<const std::uint64_t>> shards) {
  drafts_.resize(std::max(drafts_.size(), shards.size()));
  const std::span<Draft> drafts = std::span(drafts_).first(shards.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    drafts[i].hashes = shards[i];
    drafts[i].seed = 0;
  }
  BLOOMERY_RETURN_IF_ERROR(draft_bands(drafts));
  BLOOMERY_RETURN_IF_ERROR(draft_second_bands(drafts));
  std::vector<RibbonShardImage> images;
  images.reserve(drafts.size());
  for (Draft& draft : drafts) {
    // The bands of all shards have been filled together. A shard whose tail fails starts again alone, under
    // the next seed.
    bool built = draft_tail(draft);
    for (std::uint32_t seed = 1; !built; ++seed) {
      if (seed > kMaxRibbonSeed) {
        return Error::capacity("ribbon shard",
                               "expected one of 32 seeds to serve, found none: are all hashes distinct?");
      }
      BLOOMERY_ASSIGN_OR_RETURN(built, draft_with_seed(draft, seed));
    }
    images.push_back(image_of(draft));
  }
  return images;
}

RibbonShardImage RibbonShardBuilder::image_of(Draft& draft) {
  RibbonShardImage image;
  // The widths are decided from the last layer to the first, since a band's fpp depends on the fpp of the
  // keys that it bumps.
  const std::uint64_t tail_fpp = tail_is_wide() != 0 ? kOne : 2 * kOne;
  const Widths second = widths_for(draft.second, shape_.scaled_fpp, tail_fpp);
  const Widths first = widths_for(draft.first, shape_.scaled_fpp, second.scaled_fpp);
  image.entry = {.blocks = {draft.first.blocks, draft.second.blocks},
                 .narrow_blocks = {first.narrow_blocks, second.narrow_blocks},
                 .tail_slots = static_cast<std::uint32_t>(draft.tail.slots.size()),
                 .tail_is_wide = tail_is_wide(),
                 .seed = draft.seed};
  assert(draft.first.blocks <= kMaxBand0Blocks && draft.second.blocks <= kMaxBand1Blocks);
  image.words.reserve(shard_words(image.entry, shape_.columns));
  image.words.resize(front_words(image.entry, shape_.columns));
  append_codes(draft.first, 0, image.words);
  append_codes(draft.second, band_buckets(draft.first.blocks), image.words);
  append_tail(draft.tail, code_bits(draft.first.blocks, draft.second.blocks), shape_.columns + tail_is_wide(),
              image.words);
  append_band(draft.first, first.narrow_blocks, image.words);
  append_band(draft.second, second.narrow_blocks, image.words);
  image.entry.checksum = crc32c(std::as_bytes(std::span(image.words)));
  return image;
}

// Computes the slots of a band by back substitution, sixteen columns at a time, and appends them block after
// block. A narrow block writes its first r columns, a wide one r + 1.
void RibbonShardBuilder::append_band(const Band& band, std::uint32_t narrow_blocks,
                                     std::vector<std::uint64_t>& words) {
  const std::size_t begin = words.size();
  words.resize(begin + words_before(band.blocks, narrow_blocks, shape_.columns));
  columns_.resize(std::size_t{band.blocks} * kColumnGroup);
  const std::uint32_t all = shape_.columns + (narrow_blocks < band.blocks ? 1 : 0);
  for (std::uint32_t first = 0; first < all; first += kColumnGroup) {
    const std::uint32_t group = std::min(all - first, kColumnGroup);
    chosen_ribbon_kernel().back_substitute(band.equations, first, group, columns_.data());
    for (std::uint32_t block = 0; block < band.blocks; ++block) {
      const std::uint32_t of_block = shape_.columns + (block >= narrow_blocks ? 1 : 0);
      const std::uint32_t end = std::clamp(of_block, first, first + group);
      std::copy_n(columns_.data() + std::size_t{block} * kColumnGroup, end - first,
                  words.begin() + static_cast<std::ptrdiff_t>(
                                      begin + words_before(block, narrow_blocks, shape_.columns) + first));
    }
  }
}

}  // namespace bloomery
