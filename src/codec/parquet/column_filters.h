// The filters of one column inside a Parquet file: of all row groups, or of one.
//
// The filters are read in place, from the bytes of the file. They refuse inserts, because the file decides
// which rows it has.
//
//   row groups that name the same filter   share it: it is kept, queried and counted once
//   filters that overlap                   are damage; so all filters together are no larger than the file,
//                                          which bounds the work of counting their bits
//   a row group with values, no filter,    may have any key, so no answer could be no: opening fails and
//   or one that is encrypted               names the row group, or every answer is maybe (MissingFilters)
//   a row group without a filter, whose    may have the keys between its least and its greatest value
//   statistics state a range               (value_range.h); if there is a filter, only the filter is queried
//   a key that is no value of the type     is answered maybe; it is most likely a number in another form
//   (3 bytes for an INT32)
//   a value with several spellings         is queried in all of them (equal_values.h)
//
// Part p of the filter is row group p of the file.
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
#include "codec/parquet/column_text.h"
#include "codec/parquet/column_type.h"
#include "codec/parquet/file_metadata.h"
#include "codec/parquet/split_blocks.h"
#include "codec/parquet/value_range.h"

namespace bloomery::parquet {

// The text after the colon of the name: "COLUMN" or "COLUMN,ROWGROUP".
struct ColumnChoice {
  std::string column;
  std::optional<std::uint64_t> row_group;
};

class ColumnFilters final : public BlockFilters {
 public:
  // An empty name means the only column that has filters. `file` must outlive the filter. The memory that the
  // filter keeps is charged to `memory`. With kAnyKey the column may lack all filters, but the schema must
  // contain it. Errors: kInvalidArgument, which lists the columns; kCorruption; kUnsupported; kCapacity.
  static Result<std::unique_ptr<ColumnFilters>> open(std::span<const std::byte> file, std::string_view name,
                                                     std::shared_ptr<MemoryBudget> memory = {},
                                                     MissingFilters missing = MissingFilters::kRefuse);

  std::string dialect() const override;
  std::span<const SplitBlocks> filters() const override { return filters_; }
  DialectFacts facts() const override;
  bool may_contain(std::string_view key) const override;
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override;
  std::shared_ptr<const KeyType> key_type() const override { return text_; }
  std::size_t part_count() const override { return parts_.size(); }
  std::size_t parts_without_filter() const override { return without_filter_; }
  std::size_t parts_by_range() const override { return ranges_.size(); }
  bool part_has_filter(std::size_t part) const override {
    return parts_[part] != kAnyKey && parts_[part] != kInRange;
  }
  void ask_parts(std::span<const std::string_view> keys, std::span<std::uint64_t> words) const override;
  bool forces_maybes() const override { return lacks_filters() || has_equal_values_; }
  void filters_say(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const override;
  void force_maybes(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const override;
  double current_fpp() const override { return lacks_filters() ? 1 : BlockFilters::current_fpp(); }
  bool is_static() const override { return true; }
  Result<bool> insert(std::string_view key) override;
  Status merge(const DialectFilter& other) override;
  // Writes the entire Parquet file, unchanged.
  Status write(const Sink& sink) const override { return sink(file_); }

 private:
  // These values mark row groups without a filter in parts_.
  static constexpr std::uint32_t kNothing = 0xffff'ffff;  // no values, or not the chosen row group
  static constexpr std::uint32_t kAnyKey = 0xffff'fffe;   // values without a filter
  static constexpr std::uint32_t kInRange = 0xffff'fffd;  // values without a filter, but with a range

  struct Gathered;
  static Status gather(const ColumnChunk& chunk, std::span<const std::byte> file, const Footer& footer,
                       Gathered& gathered);
  static Status gather_bare(const ColumnChunk& chunk, Gathered& gathered);
  static Status gather_filter(const ColumnChunk& chunk, std::span<const std::byte> file, const Footer& footer,
                              Gathered& gathered);
  static Result<std::unique_ptr<ColumnFilters>> opened(std::span<const std::byte> file, const Footer& footer,
                                                       const ColumnChoice& choice, Gathered gathered);
  ColumnFilters(std::span<const std::byte> file, ColumnChoice choice, Gathered gathered);

  bool lacks_filters() const { return without_filter_ > 0 || !ranges_.empty(); }
  // Returns true if the answer is maybe, whatever the filters say.
  bool is_forced(std::string_view key) const;
  // Returns a bit for each key: set unless the key is certainly outside the range.
  std::uint64_t in_range(const ValueRange& range, std::span<const std::string_view> keys) const;

  std::span<const std::byte> file_;
  ColumnChoice choice_;
  ColumnType type_;
  std::shared_ptr<const ColumnText> text_;
  bool has_equal_values_;
  std::uint64_t row_groups_;          // row groups that have a filter
  std::size_t without_filter_;        // row groups that have values, no filter and no range
  std::vector<ValueRange> ranges_;    // of the row groups without a filter, in their order
  std::vector<SplitBlocks> filters_;  // each filter once
  std::vector<std::uint32_t> parts_;  // for each row group: the index of its filter in filters_, or a mark
  MemoryShare memory_;
};

}  // namespace bloomery::parquet
