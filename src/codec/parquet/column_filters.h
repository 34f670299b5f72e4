// The filters of one column inside a Parquet file: of all its row groups, or of one.
//
// Reads the file's bytes where they lie. Row groups that name the same filter share it: it is kept, asked and
// counted once. Filters that overlap are damage: so all of them together are no larger than the file, and so is
// the work of looking at their bits. Takes no keys: its rows are what the file says it has. A row group
// with values but without a filter may have any key, so that a no of the others would not be certain: then
// opening is an error that names it. A key that is no value of the column's type (3 bytes for an INT32) is
// most likely a number in another form: maybe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/parquet/block_filters.h"
#include "codec/parquet/file_metadata.h"
#include "codec/parquet/split_blocks.h"

namespace bloomery::parquet {

// What stands behind the colon: "COLUMN" or "COLUMN,ROWGROUP".
struct ColumnChoice {
  std::string column;
  std::optional<std::uint64_t> row_group;
};

class ColumnFilters final : public BlockFilters {
 public:
  // Without a name the only column that has filters. `file` must outlive the filter.
  // What is kept is charged to `memory`. Errors: kInvalidArgument, with the columns there are; kCorruption;
  // kUnsupported; kCapacity.
  static Result<std::unique_ptr<ColumnFilters>> open(std::span<const std::byte> file, std::string_view name,
                                                     std::shared_ptr<MemoryBudget> memory = {});

  std::string dialect() const override;
  std::span<const SplitBlocks> filters() const override { return filters_; }
  DialectFacts facts() const override;
  bool may_contain(std::string_view key) const override;
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override;
  bool is_static() const override { return true; }
  Result<bool> insert(std::string_view key) override;
  Status merge(const DialectFilter& other) override;
  // The whole Parquet file, as it is.
  Status write(const Sink& sink) const override { return sink(file_); }

 private:
  struct Gathered;
  static Status gather(const ColumnChunk& chunk, std::span<const std::byte> file, const Footer& footer,
                       Gathered& gathered);
  ColumnFilters(std::span<const std::byte> file, ColumnChoice choice, Gathered gathered);

  std::span<const std::byte> file_;
  ColumnChoice choice_;
  PhysicalType type_;
  std::uint64_t row_groups_;          // that have a filter
  std::vector<SplitBlocks> filters_;  // each once
  MemoryShare memory_;
};

}  // namespace bloomery::parquet
