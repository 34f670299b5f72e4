// The source that a table is read from. It has the table's layout, and for each family of a region the files
// and the cells in memory.
//
//   TableFiles (table_files.h)   a table on disk, which never changes
//   a live source                a table that is written while it is read
//
// In a live source each region has a version, which grows whenever its files change. A reader opens the
// stores of the region, takes the read point, and then compares the versions:
//
//   version(r)   store(r, f) of each family   read_point()   version(r)
//
// If the version is the same, the stores are a snapshot at the read point. Otherwise the reader opens them
// again. This needs two guarantees of a live source:
//
//   - The stores of the current version have all cells up to the read point, and their files have no others.
//     So a version with a new file appears after the read point has reached the file's cells.
//   - store() returns the store of the current version. Cells are added to its memory, and never removed.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/read_counters.h"
#include "bloomery/table/table_options.h"
#include "table/layout/table_layout.h"
#include "table/read/store_file.h"

namespace bloomery::table {

using StorePointer = std::shared_ptr<const OpenStore>;

class TableSource {
 public:
  TableSource(TableLayout layout, const TableOptions& options);
  TableSource(const TableSource&) = delete;
  TableSource& operator=(const TableSource&) = delete;
  virtual ~TableSource() = default;

  const TableLayout& layout() const { return layout_; }
  const TableOptions& options() const { return options_; }
  // Returns true if no row is in two regions. Regions overlap only if TableOptions accepts region faults.
  bool is_disjoint() const { return is_disjoint_; }
  // Returns the regions that have the row, in their order.
  std::vector<std::size_t> regions_of(std::string_view row) const;
  bool has_row(std::size_t region, std::string_view row) const {
    const RegionInfo& info = layout_.regions[region].info;
    return info.start <= row && (info.end.empty() || row < info.end);
  }

  // Returns the time from which TTLs count, in milliseconds: that of the options, or of the system.
  virtual std::int64_t now() const;
  // Returns the files of the family in the region, open.
  virtual Result<StorePointer> store(std::size_t region, const std::string& family) const = 0;
  // The other functions of a live source are not called unless it is one.
  virtual bool is_live() const { return false; }
  virtual std::uint64_t version(std::size_t /*region*/) const { return 0; }
  virtual std::uint64_t read_point() const { return std::numeric_limits<std::uint64_t>::max(); }

  // Precondition: the family is one of the layout's schema.
  void add(const FamilyReadCounters& counted) const;
  // Returns the counters of families.
  virtual TableReadCounters counters() const;

 private:
  TableLayout layout_;
  TableOptions options_;
  bool is_disjoint_ = false;
  mutable std::mutex mutex_;                                    // guards families_
  mutable std::map<std::string, FamilyReadCounters> families_;  // all of the schema
};

}  // namespace bloomery::table
