// Implements RowReader: gets of single rows or batches, which share everything that is the same for all rows.
//
//   rows ──> by region ──> FileUses of each family ──> RegionScanner::start_row() ──> RowResult
//                          32 rows at a time            only if a file is used, and the
//                                                       filter does not drop the row's key
//
// With a live source (table_source.h), a get reads its region as it was at one read point. So does each batch
// of 32 rows.
//
// After note_files(), rows are read one at a time, with a log of the blocks that are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/cell_request.h"
#include "bloomery/table/file_of_scan.h"
#include "bloomery/table/read_counters.h"
#include "bloomery/table/row_result.h"
#include "hfile/read_log.h"
#include "table/read/family_question.h"
#include "table/read/file_uses.h"
#include "table/read/region_scanner.h"
#include "table/table_source.h"

namespace bloomery::table {

class RowGets {
 public:
  static Result<std::unique_ptr<RowGets>> make(std::shared_ptr<const TableSource> files,
                                               const CellRequest& request);
  RowGets(const RowGets&) = delete;
  RowGets& operator=(const RowGets&) = delete;
  ~RowGets();

  Result<bool> get(std::string_view row, RowResult& result);
  Status get(std::span<const std::string_view> rows, std::vector<RowResult>& results);

  void note_files() { notes_files_ = true; }
  const std::vector<FileOfScan>& noted() const { return noted_; }

 private:
  static constexpr std::size_t kTogether = 32;
  static constexpr std::uint32_t kGetsBetweenCounts = 4096;

  struct Asked {
    std::string_view row = {};
    RowResult* result = nullptr;
  };

  RowGets(std::shared_ptr<const TableSource> files, const CellRequest& request);
  Status check(std::string_view row) const;
  Status get_in_regions(std::span<const Asked> asked);
  Status open(std::size_t region);
  Status get_in_region(std::span<const Asked> asked);
  Status take_read_point();
  Result<bool> read(std::size_t i, const Asked& asked);
  bool drops_row_key(std::string_view row) const;
  void make_scanner();
  void count(std::size_t i, const RowResult& result);
  void flush_counts();
  void note(std::size_t i, const hfile::ReadLog& log);
  SkippedBy skipped_by(std::size_t i, std::size_t family, std::size_t file) const;

  std::shared_ptr<const TableSource> files_;
  CellRequest request_;
  std::vector<FamilyQuestion> questions_;
  MobValues mob_;
  std::optional<std::size_t> region_;            // the open region
  std::uint64_t version_ = 0;                    // of its files, if the source is live
  std::vector<std::unique_ptr<FileUses>> uses_;  // one for each family
  std::vector<RegionScanner::Store> stores_;
  std::unique_ptr<RegionScanner> scanner_;  // null until a row of the region is read
  std::vector<std::span<const FileUse>> uses_of_row_;
  std::vector<RowQuestion> rows_;
  std::vector<FamilyReadCounters> counted_;
  std::uint32_t uncounted_gets_ = 0;
  bool notes_files_ = false;
  std::vector<FileOfScan> noted_;
};

}  // namespace bloomery::table
