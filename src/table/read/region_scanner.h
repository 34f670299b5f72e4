// Reads the rows of one region: its families row by row, and the filter that decides on rows.
//
// For each row:
//
//   1. The filter may drop it by its key. In a forward scan its cells still go to the filter, since their
//      hints move the scan.
//   2. The families that the filter needs are read in the order of their names.
//   3. The filter decides on the complete row.
//   4. The other families are read, of accepted rows only.
//
// At damage the current row is dropped, and if the options allow it the scan continues after the gap. The
// filter keeps its counts.
//
// The filter is restarted for each region. Source: HBase 2.6, RegionScannerImpl, ReversedRegionScannerImpl.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/cell_request.h"
#include "bloomery/table/skipped_rows.h"
#include "table/read/row_gap.h"
#include "table/read/store_scanner.h"

namespace bloomery::table {

// The rows of a region that are read.
struct RowSpan {
  RowBound start = {};
  std::string stop = {};
  bool includes_stop = false;
  bool is_reversed = false;

  bool is_behind(std::string_view row) const {
    if (stop.empty()) {
      return false;
    }
    return row == stop ? !includes_stop : is_reversed ? row < stop : row > stop;
  }
};

// Options of a scan besides its rows.
struct ScanOptions {
  std::optional<std::uint32_t> batch = {};
  // Receives the rows that are skipped because of damage. Null: damage ends the scan.
  std::vector<SkippedRows>* skipped = nullptr;
  std::function<Status()> before_row = {};  // may be empty
};

// Returns the rows of the gap that are missing from a scan of the span.
SkippedRows skipped_rows(const RowGap& gap, const RowSpan& span);

class RegionScanner {
 public:
  struct Store {
    const FamilyQuestion* question = nullptr;
    std::shared_ptr<const OpenStore> store = {};
    std::vector<StoreFilePointer> files = {};  // files that are read
  };

  // All arguments must outlive the scanner. Errors: those of HFileScanner, with the file.
  static Result<std::unique_ptr<RegionScanner>> start(const std::vector<Store>& stores,
                                                      const std::optional<Filter>& filter, RowSpan span,
                                                      ScanOptions options, MobValues& mob);

  // Returns a scanner of single rows, which reads nothing before start_row(). The families are `stores`, with
  // all of their files.
  static std::unique_ptr<RegionScanner> of_rows(const std::vector<Store>& stores,
                                                const std::optional<Filter>& filter, MobValues& mob);
  // Makes next() return this row alone. There is a use for each file of each store. A family is started only
  // when it is read, since the filter may end the row before that. The uses must live until then.
  Status start_row(std::string_view row, const std::vector<std::span<const FileUse>>& uses);
  // Returns the merge of a store's files.
  const StoreMerge& merge(std::size_t store) const { return by_store_[store]->merge(); }

  // Reads the next row, or the next batch of one. Returns false at the end. Errors: those of
  // TableScanner::next().
  Result<bool> next(RowResult& result);
  // Returns true if the result was only a part of its row, and more may follow.
  bool is_partial() const { return part_ != Part::kNone; }
  bool is_filter_done() const { return filter_ != nullptr && filter_->is_done(); }

 private:
  // The phase in which a row continues after a batch.
  enum class Part { kNone, kNeeded, kOther };
  using Stores = std::vector<std::unique_ptr<StoreScanner>>;

  RegionScanner(RowSpan span, ScanOptions options);
  void make_stores(const std::vector<Store>& stores, const std::optional<Filter>& filter, MobValues& mob);
  Status start_at(const RowBound& bound);
  Result<bool> next_row(RowResult& result);
  Result<bool> next_simple_row(RowResult& result);
  Status pass_over_gap(RowResult& result);
  Status start_planned();
  StoreScanner* first() const;
  Result<bool> read_needed(RowResult& result);
  Status read_other(RowResult& result);
  Status read(Stores& stores, RowResult& result, Part part, const StoreScanner* at_row = nullptr);
  Status skip_row();
  bool drops_row(RowResult& result);

  RowSpan span_;
  ScanOptions options_;
  std::size_t most_;
  DamageWatch watch_;
  std::optional<Error> failure_;
  FilterStatePointer filter_;
  bool has_row_filter_ = false;
  bool is_simple_ = false;
  Stores needed_;
  Stores other_;
  std::vector<StoreScanner*> by_store_;  // needed_ and other_, in the order of the stores
  Part part_ = Part::kNone;
  bool is_planned_ = false;  // start_row() was called, and its row not searched yet
  bool has_ended_ = false;
};

}  // namespace bloomery::table
