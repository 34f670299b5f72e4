// The filter block of a LevelDB table, for reading.
//
//   filters | u32 begin of every filter | u32 begin of that array | u8 lg
//
// Filter i is for the data blocks that begin at offsets from i * 2^lg to (i + 1) * 2^lg - 1. It has no bytes
// if no data block begins there.
//
// Invariants: filters lie back to back from the block's first byte to the array, and each has no bytes or at
// least two. parse() checks them.
//
// LevelDB answers no for some keys if the block contradicts itself. Here parse() returns an error, and a data
// block without a filter of its own answers maybe. Source: docs/formats/leveldb.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

class LevelDbFilterBlock {
 public:
  // Keeps a view of `contents`. `offset` is where the block begins in its file, for messages.
  // Errors: kCorruption.
  static Result<LevelDbFilterBlock> parse(std::span<const std::byte> contents, std::uint64_t offset);

  std::uint64_t filter_count() const { return array_.size() / 4; }
  // Empty if no data block begins in the range of filter i.
  std::span<const std::byte> filter(std::uint64_t i) const;

  // Whether the data block at this offset may hold a key of this hash.
  bool may_match_at(std::uint64_t block_offset, std::uint32_t hash) const;
  // Whether any filter may hold a key of this hash.
  bool may_match(std::uint32_t hash) const;

  // Counts the bits of all filters; k is that of the first.
  DialectFacts facts() const;
  // The mean fpp of the filters that are not empty, weighed by their keys. It is the fpp of a key whose data block is
  // known: such keys fall where the keys are.
  double mean_fpp() const;
  // The probability that at least one filter matches an absent key.
  double any_fpp() const;
  // Errors: kCapacity if a filter matches every key.
  Result<double> estimated_count() const;

 private:
  LevelDbFilterBlock(std::span<const std::byte> filters, std::span<const std::byte> array, unsigned lg)
      : filters_(filters), array_(array), lg_(lg) {}

  std::uint64_t begin_of(std::uint64_t i) const;
  // Calls see(fpp, keys) for every filter that is not empty.
  template <typename See>
  void each_fpp(See see) const;

  std::span<const std::byte> filters_;
  std::span<const std::byte> array_;
  unsigned lg_;
};

}  // namespace bloomery
