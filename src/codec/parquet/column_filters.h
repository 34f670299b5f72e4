// The filters of one column inside a Parquet file: those of all row groups, or of one.
//
// The filters are read where they lie in the file. They take no keys, because the file says which rows it
// has.
//
//   row groups that name the same filter   share it: it is kept, queried and counted once
//   filters that overlap                   are damage; so all filters together are no larger than the file,
//                                          and this bounds the work of counting their bits
//   a row group with values, no filter     may have any key, so no answer could be no: opening fails and
//                                          names the row group
//   a key that is no value of the type     is answered maybe; it is most likely a number in another form
//   (3 bytes for an INT32)
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

// The text behind the colon of the name: "COLUMN" or "COLUMN,ROWGROUP".
struct ColumnChoice {
  std::string column;
  std::optional<std::uint64_t> row_group;
};

class ColumnFilters final : public BlockFilters {
 public:
  // An empty name means the only column that has filters. `file` must outlive the filter. The memory that the
  // filter keeps is charged to `memory`. Errors: kInvalidArgument, which lists the columns; kCorruption;
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
  // Writes the whole Parquet file, unchanged.
  Status write(const Sink& sink) const override { return sink(file_); }

 private:
  struct Gathered;
  static Status gather(const ColumnChunk& chunk, std::span<const std::byte> file, const Footer& footer,
                       Gathered& gathered);
  ColumnFilters(std::span<const std::byte> file, ColumnChoice choice, Gathered gathered);

  std::span<const std::byte> file_;
  ColumnChoice choice_;
  PhysicalType type_;
  std::uint64_t row_groups_;          // those that have a filter
  std::vector<SplitBlocks> filters_;  // each filter once
  MemoryShare memory_;
};

}  // namespace bloomery::parquet
