// The kernel of the ribbon filter: from a hash to its shard, to its equations, and to an answer.
//
//    h = hash & the H leading bits          shard * 2^64 + place = h * shards
//
// A shard is two bands of 64-slot blocks and a tail. Every slot holds a row of fingerprint bits ("columns").
// A key is in if the XOR of the slots that its equation picks equals its fingerprint:
//
//    y = (h + (4 seed + layer) * kSeedStep) * kKeyMix           y = y xor y / 2^32
//    row = y * kRowMix | 1                                      the coefficient row: 64 bits, bit 0 set
//    picked slots: start + i for every set bit i of row
//    fingerprint = f xor f / 2^32,  f = y * kFingerprintMix     bit j is column j
//
//    layer   system   start                                              starts
//      0     band 0   place * starts / 2^64 (ascends with the hash)      64 (blocks - 1) + 1
//      1     band 1   (y * kStartMix mod 2^64) * starts / 2^64           64 (blocks - 1) + 1
//      2     tail     none: a key picks slots of the entire tail         -
//
// A band without blocks has no starts, and its keys go to the next layer.
//
// Starts come in buckets of 128. Each bucket has a code of 2 bits: keys whose offset in the bucket is below
// kBumpedBelow[code] are "bumped", so they are not in this band but in the next layer. The tail is one dense
// system of at most 1,023 slots. A key picks those of its slots whose bit is set in as many bits of its hash.
//
// The first `narrow` blocks of a band have r columns, the others r + 1. A key is compared in as many columns
// as the block of its start has. The tail has r or r + 1 columns.
//
//    words of a shard, 64 bits each
//    +---------------------------+ front: a bit string, lowest bits first, filled up with 0
//    | codes of band 0           |   2 bits a bucket
//    | codes of band 1           |   2 bits a bucket
//    | tail                      |   column after column, a bit a slot
//    +---------------------------+
//    | band 0                    | block after block; a block has one word for each of its columns,
//    +---------------------------+   and bit i of the word is slot i
//    | band 1                    |
//    +---------------------------+
//
// kScalarRibbonKernel is this definition. Other kernels return the same answers. A shard whose checksum
// fails, and a shard that a part of a filter does not hold, answer maybe. Source: Dillinger et al. 2022
// (README.md). The layout and the constants are on disk since format version 1.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/uint128.h"
#include "bloomery/hash/hash128.h"
#include "filter/shards/shard_state.h"

namespace bloomery {

// The slots of a block: the bits of a word. It is the ribbon width too, so a key's slots are in at most two
// neighbouring blocks.
inline constexpr std::uint32_t kRibbonBlockSlots = 64;
// The starts of a bucket. For codes of two bits the authors of the paper advise w^2 / (4 log2 w), rounded
// down to a power of two. For w = 64 that is 170.7, so 128 (README.md, section "Constants").
inline constexpr std::uint32_t kBucketStarts = 128;
// The offset below which a bucket's keys are bumped, by the bucket's code.
inline constexpr std::array<std::uint32_t, 4> kBumpedBelow = {0, 16, 40, kBucketStarts};
// The largest value of ten bits of a directory entry.
inline constexpr std::uint32_t kMaxTailSlots = 1023;
inline constexpr std::size_t kTailWords = 16;  // words of a key's row in the tail: kMaxTailSlots bits

// Odd multipliers that mix a key's hash into independent parts of its equation.
inline constexpr std::uint64_t kSeedStep = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kKeyMix = 0xbf58476d1ce4e5b9;
inline constexpr std::uint64_t kStartMix = 0xd6e8feb86659fd93;
inline constexpr std::uint64_t kRowMix = 0x9fb21c651e98df25;
inline constexpr std::uint64_t kFingerprintMix = 0xa0761d6478bd642f;

inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((Uint128{a} * b) >> 64);
}

// The shape of a shard: the fields of its directory entry.
struct RibbonEntry {
  std::uint32_t checksum = 0;  // CRC-32C of the shard's words
  std::array<std::uint32_t, 2> blocks = {};
  std::array<std::uint32_t, 2> narrow_blocks = {};
  std::uint32_t tail_slots = 0;
  std::uint32_t tail_is_wide = 0;  // 1 if it has r + 1 columns, 0 if r
  std::uint32_t seed = 0;

  friend bool operator==(const RibbonEntry&, const RibbonEntry&) = default;
};

// The largest values of fields of a directory entry, which have 22, 18 and 5 bits.
inline constexpr std::uint32_t kMaxBand0Blocks = (1U << 22) - 1;
inline constexpr std::uint32_t kMaxBand1Blocks = (1U << 18) - 1;
inline constexpr std::uint32_t kMaxRibbonSeed = 31;

// Returns the starts of a band. The last is 63 slots before the last slot, so no row extends past the band.
constexpr std::uint64_t band_starts(std::uint32_t blocks) {
  return blocks == 0 ? 0 : std::uint64_t{blocks - 1} * kRibbonBlockSlots + 1;
}
constexpr std::uint32_t band_buckets(std::uint32_t blocks) {
  return (blocks + 1) / 2;
}
// Returns the number of words before a block of a band, or in the entire band for block = blocks.
constexpr std::uint64_t words_before(std::uint64_t block, std::uint32_t narrow_blocks,
                                     std::uint32_t columns) {
  return block * columns + (block > narrow_blocks ? block - narrow_blocks : 0);
}
// Returns the bits of the codes. The tail's bits follow them.
constexpr std::uint64_t code_bits(std::uint32_t blocks0, std::uint32_t blocks1) {
  return 2 * (std::uint64_t{band_buckets(blocks0)} + band_buckets(blocks1));
}
// Returns the words of the front: codes and tail.
constexpr std::uint64_t front_words(const RibbonEntry& entry, std::uint32_t columns) {
  const std::uint64_t tail_bits = std::uint64_t{entry.tail_slots} * (columns + entry.tail_is_wide);
  return (code_bits(entry.blocks[0], entry.blocks[1]) + tail_bits + 63) / 64;
}
constexpr std::uint64_t shard_words(const RibbonEntry& entry, std::uint32_t columns) {
  return front_words(entry, columns) + words_before(entry.blocks[0], entry.narrow_blocks[0], columns) +
         words_before(entry.blocks[1], entry.narrow_blocks[1], columns);
}

// The equation of a key in one layer, without its start, which in layer 0 depends on the shard.
struct RibbonKey {
  std::uint64_t mixed;  // y of the formulas above

  RibbonKey(std::uint64_t hash, std::uint32_t seed, std::uint32_t layer) {
    const std::uint64_t y = (hash + (std::uint64_t{seed} * 4 + layer) * kSeedStep) * kKeyMix;
    mixed = y ^ (y >> 32);
  }
  std::uint64_t start(std::uint64_t starts) const { return multiply_high(mixed * kStartMix, starts); }
  std::uint64_t row() const { return (mixed * kRowMix) | 1; }
  std::uint64_t fingerprint() const {
    const std::uint64_t f = mixed * kFingerprintMix;
    return f ^ (f >> 32);
  }
  // Returns the coefficients in the tail, cut to `slots` bits.
  std::array<std::uint64_t, kTailWords> tail_row(std::uint32_t slots) const;
};

// Returns true if a key with this start is bumped from its band. `codes` are the shard's codes, and
// `first_bucket` is the index of the band's first bucket in them.
inline bool is_bumped(const std::uint64_t* codes, std::uint64_t first_bucket, std::uint64_t start) {
  const std::uint64_t bucket = first_bucket + start / kBucketStarts;
  const std::uint64_t code = (codes[bucket / 32] >> (bucket % 32 * 2)) & 3;
  // The four limits as bytes of one register: a shift is faster than a load from the array.
  constexpr std::uint32_t kLimits = kBumpedBelow[1] << 8 | kBumpedBelow[2] << 16 | kBumpedBelow[3] << 24;
  return start % kBucketStarts < ((kLimits >> (code * 8)) & 0xff);
}

// A shard in its query form.
struct RibbonShard {
  std::uint64_t front;  // index of its first word in the payload: codes and tail
  std::uint64_t band0;  // index of the first word of band 0
  std::uint32_t blocks0;
  std::uint32_t narrow0;
  std::uint32_t blocks1;
  std::uint32_t narrow1;
  std::uint16_t tail_slots;
  std::uint8_t tail_columns;
  std::uint8_t seed;
  std::uint8_t state;  // a ShardState; accessed atomically
};

// A ribbon in its query form: its payload and its plan.
struct RibbonTable {
  const std::uint64_t* words = nullptr;  // the payload
  std::uint64_t word_count = 0;
  RibbonShard* shards = nullptr;         // the shards that this filter holds
  const std::byte* directory = nullptr;  // their entries
  std::uint32_t shard_count = 0;         // shards of the complete plan
  std::uint32_t first_held = 0;
  std::uint32_t held = 0;
  std::uint32_t columns = 0;
  std::uint64_t hash_mask = 0;
  // The lowest damaged shard that was found so far, or kNoDamagedShard.
  std::atomic<std::uint64_t>* damaged = nullptr;
};

// Returns the words of a held shard. is_sound() and verify_shard() (shard_state.h) compute their checksum.
std::span<const std::uint64_t> words_of_shard(const RibbonTable& table, std::uint64_t held_index);

// The place of a hash: its shard, and its position in the shard.
struct RibbonPlace {
  std::uint64_t hash;   // masked to its H leading bits
  std::uint64_t index;  // among the held shards; `held` or more if another filter holds it
  std::uint64_t place;
};

inline RibbonPlace ribbon_place(const RibbonTable& table, std::uint64_t hash) {
  const std::uint64_t masked = hash & table.hash_mask;
  const Uint128 product = Uint128{masked} * table.shard_count;
  return {.hash = masked,
          .index = static_cast<std::uint64_t>(product >> 64) - table.first_held,
          .place = static_cast<std::uint64_t>(product)};
}

struct RibbonKernel {
  const char* name;
  bool (*available)();
  bool (*may_contain)(const RibbonTable&, std::uint64_t hash);
  void (*may_contain_batch)(const RibbonTable&, std::span<const Hash128>, std::uint64_t* answers);
  // Finds the slots of a solved band by back substitution, from the last slot to the first. Computes
  // `columns` (at most 16) columns from `first_column` on. `equations` are those of the pivots; a row of 0 is
  // a free slot, which gets 0. Writes word j of block b to out[16 b + j].
  void (*back_substitute)(std::span<const struct BandEquation> equations, std::uint32_t first_column,
                          std::uint32_t columns, std::uint64_t* out);
};

// The equation of a pivot. Bit i of `row` is the coefficient of slot pivot + i.
struct BandEquation {
  std::uint64_t row = 0;  // 0 if the slot is free
  std::uint64_t fingerprint = 0;
};

// The columns that a kernel computes or compares together.
inline constexpr std::uint32_t kColumnGroup = 16;

std::span<const RibbonKernel> ribbon_kernels();
// Returns the first kernel that this machine can run, or the one that the environment variable
// BLOOMERY_KERNEL names.
const RibbonKernel& chosen_ribbon_kernel();

extern const RibbonKernel kScalarRibbonKernel;
extern const RibbonKernel kAvx2RibbonKernel;
extern const RibbonKernel kAvx512RibbonKernel;

// Answers one hash by the definition.
bool ribbon_may_contain(const RibbonTable& table, std::uint64_t hash);

// The hash of a key in a ribbon's exception column: the two words swapped. So the column uses the high word
// and is independent of the ribbon's answer, which uses the low word. On disk since exceptions entered format
// version 1.
inline Hash128 column_hash(const Hash128& hash) {
  return {.low = hash.high, .high = hash.low};
}

}  // namespace bloomery
