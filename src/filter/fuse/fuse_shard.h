// Builds shards of a fuse filter: peels the keys, and fills the cells.
//
//   1. Every cell counts its keys, and has the XOR of their y (fuse_kernel.h).
//   2. Peeling: a cell with one key gets this key; the key is taken out of its other cells, which may then
//      have one key too. The order of the keys is kept.
//   3. In the reverse order every key sets its own cell, so that the XOR of its cells is its fingerprint. No
//      later key changes any of them.
//
// A set that does not peel entirely is tried again with the next seed. After kFuseTries seeds the keys that
// remain are considered one by one: a key of which no cell is free yet is set aside, and peeling continues.
// So every set ends, and the result depends on the set alone.
//
// A cell counts up to 63 keys. One with more is never peeled, and its keys use their other cells.
//
// Memory: 20 bytes a key. Not thread-safe: each thread needs its own builder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/fuse_sizing.h"
#include "filter/fuse/fuse_kernel.h"

namespace bloomery {

inline constexpr std::uint64_t kFuseBytesPerKey = 40;  // with its hash, twice, and its cells
inline constexpr std::uint64_t kMaxFuseShardKeys = std::uint64_t{1} << 27;
inline constexpr std::uint32_t kFuseTries = 32;

// A finished shard, ready to be written.
struct FuseShardImage {
  FuseEntry entry;
  std::vector<std::uint64_t> words;
};

class FuseShardBuilder {
 public:
  explicit FuseShardBuilder(const FuseShape& shape) : shape_(shape) {}
  // For tests: gives every shard these cells and tries these seeds only.
  FuseShardBuilder(const FuseShape& shape, FuseCells cells, std::uint32_t tries)
      : shape_(shape), fixed_cells_(cells), tries_(tries) {}

  // Builds a shard of hashes that are masked, ascending and distinct. Errors: kCapacity for more than 2^27
  // keys.
  Result<FuseShardImage> build(std::span<const std::uint64_t> hashes);

 private:
  template <std::uint32_t kArity>
  void lay(std::span<const std::uint64_t> hashes, FuseEntry& entry);
  template <std::uint32_t kArity>
  void count_keys(std::span<const std::uint64_t> hashes, std::uint64_t seed_step);
  template <std::uint32_t kArity>
  void peel_from(std::uint64_t first, std::uint64_t end);
  template <std::uint32_t kArity>
  bool peel(std::span<const std::uint64_t> hashes, std::uint32_t seed);
  template <std::uint32_t kArity>
  void set_aside_rest(std::span<const std::uint64_t> hashes, std::uint64_t seed_step);
  template <std::uint32_t kArity, std::uint32_t kBits>
  void fill(std::vector<std::uint64_t>& words) const;
  template <std::uint32_t kArity>
  void fill_any(std::vector<std::uint64_t>& words) const;

  FuseShape shape_;
  FuseCells fixed_cells_ = {};  // without segments: those of the number of keys
  std::uint32_t tries_ = kFuseTries;
  FuseCells cells_ = {};
  std::uint32_t starts_ = 0;
  // Of every cell: 4 times the number of its keys, plus the XOR of the places (0 to 3) that it has among
  // their cells; and the XOR of their y.
  std::vector<std::uint8_t> counts_;
  std::vector<std::uint64_t> sums_;
  // The y of the keys: at first sorted by segment, then those that were peeled, in order.
  std::vector<std::uint64_t> order_;
  std::vector<std::uint8_t> places_;  // which of its cells each of them sets
  std::size_t peeled_ = 0;
  std::vector<std::uint32_t> segment_ends_;
  std::vector<std::uint32_t> stack_;  // cells with one key
  std::vector<std::uint64_t> set_aside_;
};

}  // namespace bloomery
