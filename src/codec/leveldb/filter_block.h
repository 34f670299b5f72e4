// Reads the filter block of a LevelDB table.
//
//   filters | u32 begin of every filter | u32 begin of that array | u8 lg
//
// Filter i covers the data blocks that begin at offsets from i * 2^lg to (i + 1) * 2^lg - 1. It has no bytes
// if no data block begins in that range.
//
// Invariants: the filters are contiguous from the block's first byte to the array, and each has either no
// bytes or at least two. parse() checks them.
//
// If a block contradicts itself, LevelDB answers no for some keys. Here parse() returns an error, and a data
// block without its own filter answers maybe. Source: docs/formats/leveldb.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

class LevelDbFilterBlock {
 public:
  // Keeps a view of `contents`. `offset` is the block's offset in its file, for
  // messages. Errors: kCorruption.
  static Result<LevelDbFilterBlock> parse(std::span<const std::byte> contents, std::uint64_t offset);

  std::uint64_t filter_count() const { return array_.size() / 4; }
  // Returns filter i, which is empty if no data block begins in its range.
  std::span<const std::byte> filter(std::uint64_t i) const;

  // Returns true if the data block at this offset may hold a key with this hash.
  bool may_match_at(std::uint64_t block_offset, std::uint32_t hash) const;
  // Returns true if any filter may hold a key with this hash.
  bool may_match(std::uint32_t hash) const;

  // Counts the bits of all filters; k is that of the first filter.
  DialectFacts facts() const;
  // Returns the mean fpp of the nonempty filters, weighted by their keys. It is the fpp for a key whose data
  // block is known: such keys are distributed like the stored keys.
  double mean_fpp() const;
  // Returns the probability that at least one filter matches an absent key.
  double any_fpp() const;
  // Errors: kCapacity if a filter matches every key.
  Result<double> estimated_count() const;

 private:
  LevelDbFilterBlock(std::span<const std::byte> filters, std::span<const std::byte> array, unsigned lg)
      : filters_(filters), array_(array), lg_(lg) {}

  std::uint64_t begin_of(std::uint64_t i) const;
  // Calls see(fpp, keys) for every nonempty filter.
  template <typename See>
  void each_fpp(See see) const;

  std::span<const std::byte> filters_;
  std::span<const std::byte> array_;
  unsigned lg_;
};

}  // namespace bloomery
