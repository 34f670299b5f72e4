// The kernel of the ribbon filter: from a hash to its shard, its equations, and an answer.
//
//   h = hash & the H leading bits          shard * 2^64 + place = h * shards
//   A shard is two bands of 64-slot blocks and a tail. Every slot holds a row of fingerprint bits
//   ("columns"); a key is in where the XOR of the slots its equation picks equals its fingerprint:
//
//   start(0) = place * starts(0) / 2^64                        (layer 0: ascending with the hash)
//   y = (h + (4 seed + layer) * kSeedStep) * kKeyMix           y = y xor y / 2^32
//   start(1) = (y * kStartMix mod 2^64) * starts(1) / 2^64
//   picked slots: start + i for every set bit i of  row = y * kRowMix | 1
//   fingerprint = f xor f / 2^32,  f = y * kFingerprintMix     bit j is column j
//   starts = 64 (blocks - 1) + 1, none for a band without blocks
//
//   Starts come in buckets of 128, each with a code of 2 bits: keys whose offset in their bucket is below
//   kBumpedBelow[code] are not in this band but in the next ("bumped"); the second band bumps to the tail.
//   The tail is one dense system of at most 1,023 slots, of which every key picks those of as many hash bits.
//   The first `narrow` blocks of a band have r columns, the others r + 1; a key is compared in as many as the
//   block of its start has. The tail has r or r + 1.
//
//   Words of a shard, 64 bits each:   a bit string, lowest bits first, filled up with 0:
//                                       codes of band 0, then band 1: 2 bits a bucket
//                                       tail: column after column, a bit a slot
//                                     band 0: for each block its columns, one word each; bit i is slot i
//                                     band 1
//
// kScalar is this definition; other kernels give the same answers. Damage and doubt answer maybe: a shard
// whose checksum fails, and a shard that a part of a filter does not hold. Source: Dillinger et al. 2022
// (ribbon_sizing.h). On disk since format version 1, constants and all.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/uint128.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

inline constexpr std::uint32_t kRibbonBlockSlots = 64;
inline constexpr std::uint32_t kBucketStarts = 128;
inline constexpr std::array<std::uint32_t, 4> kBumpedBelow = {0, 16, 40, kBucketStarts};
inline constexpr std::uint32_t kMaxTailSlots = 1023;
inline constexpr std::size_t kTailWords = 16;  // of a key's row in the tail

inline constexpr std::uint64_t kSeedStep = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kKeyMix = 0xbf58476d1ce4e5b9;
inline constexpr std::uint64_t kStartMix = 0xd6e8feb86659fd93;
inline constexpr std::uint64_t kRowMix = 0x9fb21c651e98df25;
inline constexpr std::uint64_t kFingerprintMix = 0xa0761d6478bd642f;

inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((Uint128{a} * b) >> 64);
}

// The shape of a shard: what its directory entry says, in 12 of 16 bytes.
struct RibbonEntry {
  std::uint32_t checksum = 0;  // CRC-32C of the shard's words
  std::array<std::uint32_t, 2> blocks = {};
  std::array<std::uint32_t, 2> narrow_blocks = {};
  std::uint32_t tail_slots = 0;
  std::uint32_t tail_is_wide = 0;  // 1: it has r + 1 columns
  std::uint32_t seed = 0;

  friend bool operator==(const RibbonEntry&, const RibbonEntry&) = default;
};

inline constexpr std::size_t kRibbonEntryBytes = 16;
inline constexpr std::uint32_t kMaxBand0Blocks = (1U << 22) - 1;
inline constexpr std::uint32_t kMaxBand1Blocks = (1U << 18) - 1;
inline constexpr std::uint32_t kMaxRibbonSeed = 31;

constexpr std::uint64_t band_starts(std::uint32_t blocks) {
  return blocks == 0 ? 0 : std::uint64_t{blocks - 1} * kRibbonBlockSlots + 1;
}
constexpr std::uint32_t band_buckets(std::uint32_t blocks) {
  return (blocks + 1) / 2;
}
// Words in front of a block, or, for block = blocks, of the whole band.
constexpr std::uint64_t words_before(std::uint64_t block, std::uint32_t narrow_blocks,
                                     std::uint32_t columns) {
  return block * columns + (block > narrow_blocks ? block - narrow_blocks : 0);
}
// Bits of the codes, behind which those of the tail follow.
constexpr std::uint64_t code_bits(std::uint32_t blocks0, std::uint32_t blocks1) {
  return 2 * (std::uint64_t{band_buckets(blocks0)} + band_buckets(blocks1));
}
// Words of codes and tail.
constexpr std::uint64_t front_words(const RibbonEntry& entry, std::uint32_t columns) {
  const std::uint64_t tail_bits = std::uint64_t{entry.tail_slots} * (columns + entry.tail_is_wide);
  return (code_bits(entry.blocks[0], entry.blocks[1]) + tail_bits + 63) / 64;
}
constexpr std::uint64_t shard_words(const RibbonEntry& entry, std::uint32_t columns) {
  return front_words(entry, columns) + words_before(entry.blocks[0], entry.narrow_blocks[0], columns) +
         words_before(entry.blocks[1], entry.narrow_blocks[1], columns);
}

// The equation of a key in one layer, but for its start.
struct RibbonKey {
  std::uint64_t mixed;  // y

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
  // The row of the tail, cut to `slots` bits.
  std::array<std::uint64_t, kTailWords> tail_row(std::uint32_t slots) const;
};

// Whether a key with this start is not in its band; `codes` are the shard's, `first_bucket` the band's first
// in them.
inline bool is_bumped(const std::uint64_t* codes, std::uint64_t first_bucket, std::uint64_t start) {
  const std::uint64_t bucket = first_bucket + start / kBucketStarts;
  const std::uint64_t code = (codes[bucket / 32] >> (bucket % 32 * 2)) & 3;
  // kBumpedBelow as bytes of one register.
  constexpr std::uint32_t kLimits = kBumpedBelow[1] << 8 | kBumpedBelow[2] << 16 | kBumpedBelow[3] << 24;
  return start % kBucketStarts < ((kLimits >> (code * 8)) & 0xff);
}

enum class ShardState : std::uint8_t { kUnverified, kSound, kDamaged };

// A shard as it is queried.
struct RibbonShard {
  std::uint64_t front;  // index of its first word in the payload: codes and tail
  std::uint64_t band0;  // of the first word of its first band
  std::uint32_t blocks0;
  std::uint32_t narrow0;
  std::uint32_t blocks1;
  std::uint32_t narrow1;
  std::uint16_t tail_slots;
  std::uint8_t tail_columns;
  std::uint8_t seed;
  std::uint8_t state;  // a ShardState; atomic
};

struct RibbonTable {
  const std::uint64_t* words = nullptr;  // the payload
  std::uint64_t word_count = 0;
  RibbonShard* shards = nullptr;         // the held ones
  const std::byte* directory = nullptr;  // of the held ones
  std::uint32_t shard_count = 0;         // of the plan
  std::uint32_t first_held = 0;
  std::uint32_t held = 0;
  std::uint32_t columns = 0;
  std::uint64_t hash_mask = 0;
  // The lowest damaged shard found so far; kNoDamagedShard.
  std::atomic<std::uint64_t>* damaged = nullptr;
};
inline constexpr std::uint64_t kNoDamagedShard = ~std::uint64_t{0};

// Whether a held shard's words are what was written; computes its checksum once, on first touch.
bool is_sound(const RibbonTable& table, std::uint64_t held_index);
// Computes it, whatever was known of it.
void verify_shard(const RibbonTable& table, std::uint64_t held_index);

// Where a hash lives.
struct RibbonPlace {
  std::uint64_t hash;   // masked
  std::uint64_t index;  // of the held shard; held or more: not here
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
  // Finds the slots of a solved band, `columns` (at most 16) of them from `first_column` on, from the last
  // slot to the first: `rows` and `fingerprints` are the band's equations by pivot, a row of 0 a free slot
  // (which gets 0). Writes word j of block b to out[16 b + j].
  void (*back_substitute)(std::span<const struct BandEquation> equations, std::uint32_t first_column,
                          std::uint32_t columns, std::uint64_t* out);
};

// A pivot's equation: bit i of `row` is slot pivot + i.
struct BandEquation {
  std::uint64_t row = 0;  // 0: the slot is free
  std::uint64_t fingerprint = 0;
};

inline constexpr std::uint32_t kColumnGroup = 16;

std::span<const RibbonKernel> ribbon_kernels();
// As chosen_blocked_kernel().
const RibbonKernel& chosen_ribbon_kernel();

extern const RibbonKernel kScalarRibbonKernel;
extern const RibbonKernel kAvx2RibbonKernel;
extern const RibbonKernel kAvx512RibbonKernel;

// The definition.
bool ribbon_may_contain(const RibbonTable& table, std::uint64_t hash);

}  // namespace bloomery
