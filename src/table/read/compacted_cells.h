// The cells of a family's files that a compaction keeps, in order (compaction_matcher.h).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/table_schema.h"
#include "table/read/compaction_matcher.h"
#include "table/read/store_merge.h"

namespace bloomery::table {

class CompactedCells {
 public:
  // The family must outlive this.
  CompactedCells(const std::vector<StoreFilePointer>& files, const FamilySchema& family, bool is_major,
                 std::int64_t now);

  // Call it first. Cells in memory are read up to this point.
  Status start(std::uint64_t read_point = std::numeric_limits<std::uint64_t>::max());
  bool is_at_end() const { return merge_.is_at_end(); }
  // A cell of the files. Precondition of all functions below: !is_at_end().
  const Cell& cell() const { return merge_.cell(); }
  // Returns whether the compaction keeps the cell. Call it once for each cell.
  bool is_kept();
  Status next() { return merge_.next(); }

 private:
  StoreMerge merge_;
  CompactionMatcher matcher_;
  std::uint64_t row_ = 0;  // of the merge, at which the matcher is
  std::string skipped_column_;
  bool skips_column_ = false;
};

}  // namespace bloomery::table
