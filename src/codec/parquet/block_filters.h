// The base class of both kinds of Parquet filters: a filter by itself, and the filters of a column. It
// queries and counts one or more sets of blocks.
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
  // Returns at least one filter. A key may be in the set if one of them matches.
  virtual std::span<const SplitBlocks> filters() const = 0;

  bool may_contain(std::string_view key) const override { return any_may_contain(filters(), key); }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    any_may_contain_batch(filters(), keys, answers);
  }
  DialectFacts facts() const override;
  double current_fpp() const override;
  // Sums over the filters: a key in two row groups counts twice.
  Result<double> estimated_count() const override;
};

}  // namespace bloomery::parquet
