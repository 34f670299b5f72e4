// The kernel of the fuse filter: from a hash to its shard, to its cells, and to an answer.
//
//    h = hash & the H leading bits          shard = h * shards / 2^64
//
// A shard is an array of cells of b bits, in segments of L = 2^k cells. A key has `arity` cells, one in each
// of as many neighbouring segments. It is in if the XOR of its cells equals its fingerprint:
//
//    y = (h + seed * kFuseSeedStep) * kFuseKeyMix             y = y xor y / 2^32
//    f = y * kFuseFingerprintMix                              f = f xor f / 2^32
//    start = (y / 2^32) * segments * L / 2^32
//    cell 0 = start
//    cell 1 = (start +  L) xor (y mod L)
//    cell 2 = (start + 2L) xor (y / 2^18 mod L)
//    cell 3 = (start + 3L) xor (f / 2^40 mod L)               if the arity is 4
//    fingerprint = f mod 2^b
//
// A few keys of a shard can be set aside: these are in too, and the shard lists their h.
//
//    words of a shard, 64 bits each
//    +---------------------------+
//    | cells                     |   a bit string, lowest bits first: cell i has the bits from i * b on.
//    +---------------------------+   Unless b is 8 or 16, 8 bytes follow the beginning of every cell
//    | h of the keys set aside   |   ascending
//    +---------------------------+
//
// kScalarFuseKernel is this definition. Other kernels return the same answers. A shard whose checksum fails,
// and a shard that a part of a filter does not hold, answer maybe. Source: Graf and Lemire 2022 (README.md).
// The layout and the constants are on disk since format version 1.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/endian.h"
#include "bloomery/base/uint128.h"
#include "bloomery/filter/fuse_inline.h"
#include "bloomery/filter/fuse_sizing.h"
#include "bloomery/hash/hash128.h"
#include "filter/shards/shard_state.h"

namespace bloomery {

inline constexpr std::uint32_t kMaxFuseSeed = 31;        // five bits of the directory
inline constexpr std::uint32_t kMaxFuseSegmentLog = 18;  // y has 18 bits for cell 1 and for cell 2

// The shape of a shard: the fields of its directory entry.
struct FuseEntry {
  std::uint32_t checksum = 0;  // CRC-32C of the shard's words
  FuseCells cells = {};
  std::uint32_t seed = 0;
  std::uint32_t set_aside = 0;  // keys

  friend bool operator==(const FuseEntry&, const FuseEntry&) = default;
};

// A shard in its query form.
struct FuseShard {
  std::uint64_t front;      // index of its first word in the payload
  std::uint64_t seed_step;  // seed * kFuseSeedStep
  std::uint32_t starts;     // segments * L
  std::uint32_t set_aside;  // keys
  std::uint64_t aside;      // index of the first of their words
  std::uint8_t segment_log;
  std::uint8_t state;  // a ShardState; accessed atomically
};

// A fuse filter in its query form: its payload and its plan.
struct FuseTable {
  const std::uint64_t* words = nullptr;  // the payload
  std::uint64_t word_count = 0;
  FuseShard* shards = nullptr;           // the shards that this filter holds
  const std::byte* directory = nullptr;  // their entries
  std::uint32_t shard_count = 0;         // shards of the complete plan
  std::uint32_t first_held = 0;
  std::uint32_t held = 0;
  std::uint32_t bits = 0;
  std::uint32_t arity = 0;
  std::uint64_t hash_mask = 0;
  // The lowest damaged shard that was found so far, or kNoDamagedShard.
  std::atomic<std::uint64_t>* damaged = nullptr;
};

// Reads and fills the cells of a shard. kBits is their width: 8 or 16, or 0 for any that `bits` has.
template <std::uint32_t kBits>
struct FuseCellArray {
  using Unit = std::conditional_t<kBits == 8, std::uint8_t, std::uint16_t>;

  std::byte* bytes;
  std::uint32_t bits;

  // Returns the cell in the lowest bits. The others may be bits of the following cells.
  std::uint64_t at(std::uint64_t cell) const {
    if constexpr (kBits != 0) {
      return load_little<Unit>(bytes + cell * sizeof(Unit));
    } else {
      return load_little64(bytes + cell * bits / 8) >> (cell * bits % 8);
    }
  }
  // Sets a cell that is 0.
  void set(std::uint64_t cell, std::uint64_t value) const {
    if constexpr (kBits != 0) {
      store_little(bytes + cell * sizeof(Unit), static_cast<Unit>(value));
    } else {
      std::byte* const at = bytes + cell * bits / 8;
      store_little(at, load_little64(at) | (value & mask()) << (cell * bits % 8));
    }
  }
  const std::byte* address(std::uint64_t cell) const {
    return bytes + (kBits != 0 ? cell * sizeof(Unit) : cell * bits / 8);
  }
  std::uint64_t mask() const { return (std::uint64_t{1} << (kBits != 0 ? kBits : bits)) - 1; }
};

// Returns the words of a held shard. is_sound() and verify_shard() (shard_state.h) compute their checksum.
std::span<const std::uint64_t> words_of_shard(const FuseTable& table, std::uint64_t held_index);
// Returns true if a hash is among the keys that the shard sets aside. `hash` is masked.
bool is_set_aside(const FuseTable& table, const FuseShard& shard, std::uint64_t hash);

struct FuseKernel {
  const char* name;
  bool (*available)();
  bool (*may_contain)(const FuseTable&, std::uint64_t hash);
  void (*may_contain_batch)(const FuseTable&, std::span<const Hash128>, std::uint64_t* answers);
  void (*may_contain_low)(const FuseTable&, std::span<const Hash64>, std::uint64_t* answers);
};

std::span<const FuseKernel> fuse_kernels();
// Returns the first kernel that this machine can run, or the one that the environment variable
// BLOOMERY_KERNEL names.
const FuseKernel& chosen_fuse_kernel();

extern const FuseKernel kScalarFuseKernel;
extern const FuseKernel kAvx2FuseKernel;
extern const FuseKernel kAvx512FuseKernel;

// Answers one hash by the definition.
bool fuse_may_contain(const FuseTable& table, std::uint64_t hash);

}  // namespace bloomery
