// A split-block filter by itself: the header and bitset that a Parquet file has at bloom_filter_offset, and
// nothing after them.
//
// The filter owns its memory. It writes the usual encoding of the header, whatever it has read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/memory.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/parquet/block_filters.h"
#include "codec/parquet/split_blocks.h"

namespace bloomery::parquet {

class RawFilter final : public BlockFilters {
 public:
  // Makes an empty filter. Errors: kCapacity.
  static Result<std::unique_ptr<RawFilter>> create(std::uint64_t bitset_bytes);
  // Copies a filter from the bytes of a file. Errors: kCorruption, kUnsupported; kCapacity.
  static Result<std::unique_ptr<RawFilter>> read(std::span<const std::byte> file);

  std::string dialect() const override { return "parquet"; }
  std::span<const SplitBlocks> filters() const override { return {&blocks_, 1}; }
  Result<bool> insert(std::string_view key) override;
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override;
  // Merges filters with the same number of blocks, also filters inside a .parquet file.
  Status merge(const DialectFilter& other) override;
  Status write(const Sink& sink) const override;

 private:
  explicit RawFilter(AlignedBuffer bitset) : bitset_(std::move(bitset)), blocks_(bitset_.bytes()) {}

  AlignedBuffer bitset_;
  SplitBlocks blocks_;
};

}  // namespace bloomery::parquet
