// The base of both kinds of Parquet filters: one by itself, and those of a column. It queries and counts one
// or more sets of blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/parquet/split_blocks.h"

namespace bloomery::parquet {

class BlockFilters : public DialectFilter {
 public:
  // At least one. A key may be in if one of them matches.
  virtual std::span<const SplitBlocks> filters() const = 0;

  bool may_contain(std::string_view key) const override { return any_may_contain(filters(), key); }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    any_may_contain_batch(filters(), keys, answers);
  }
  DialectFacts facts() const override;
  double current_fpp() const override;
  // The sum over the filters: a key in two row groups counts twice.
  Result<double> estimated_count() const override;
};

}  // namespace bloomery::parquet
