// The filters of one column inside a Parquet file: of all its row groups, or of one.
//
// Reads the file's bytes where they lie. Takes no keys: its rows are what the file says it has. A row group
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
  // Errors: kInvalidArgument, with the columns there are; kCorruption; kUnsupported.
  static Result<std::unique_ptr<ColumnFilters>> open(std::span<const std::byte> file, std::string_view name);

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
  ColumnFilters(std::span<const std::byte> file, ColumnChoice choice, PhysicalType type,
                std::vector<SplitBlocks> filters)
      : file_(file), choice_(std::move(choice)), type_(type), filters_(std::move(filters)) {}

  std::span<const std::byte> file_;
  ColumnChoice choice_;
  PhysicalType type_;
  std::vector<SplitBlocks> filters_;
};

}  // namespace bloomery::parquet
