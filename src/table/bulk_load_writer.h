// Writes cells as files to bulk load: one file for each family and region, and another one when a file is
// full.
//
// Rows ascend over all families. Within a row, the cells of one family are in HBase's order, and families may
// alternate.
//
// A file ends before a row in two cases: the row is in another region, or its first cell would make the file
// reach the limit. Rows are not split, so a large row can exceed the limit. Sizes are counted as HBase's
// HFileOutputFormat2 does: keys and values before compression.
//
// For one thread at a time; several writers may share a directory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_writer.h"
#include "bloomery/table/bulk_load_writer.h"
#include "table/bulk_load_directory.h"

namespace bloomery::table {

class LoadWriter {
 public:
  // `directory` and `plan` must outlive the writer.
  LoadWriter(LoadDirectory& directory, const BulkLoadPlan& plan) : directory_(directory), plan_(plan) {}

  // Makes append() refuse rows of other regions. Call it before the first cell.
  void expect_region(std::size_t region) { expected_region_ = region; }

  // Adds a cell. Errors: kInvalidArgument and kCapacity without a subject for a cell that is refused; errors
  // of LoadDirectory and HFileWriter. After any error the files are lost.
  Status append(const Cell& cell);
  // Finishes the open files.
  Status finish();

  const BulkLoadCounts& counts() const { return counts_; }

 private:
  struct FamilyFile {
    std::string path = {};
    std::optional<HFileWriter> writer = {};
    std::string last_row = {};
    std::uint64_t cell_bytes = 0;
  };
  using Families = std::map<std::string, FamilyFile, std::less<>>;

  Status begin_row(std::string_view row);
  FamilyFile& file_of(std::string_view family);
  Status begin_file(const std::string& family, FamilyFile& file);
  Status end_file(FamilyFile& file);

  LoadDirectory& directory_;
  const BulkLoadPlan& plan_;
  std::optional<std::size_t> expected_region_;
  Families families_;
  Families::value_type* last_family_ = nullptr;
  std::size_t region_ = 0;
  std::string row_;
  BulkLoadCounts counts_;
};

}  // namespace bloomery::table
