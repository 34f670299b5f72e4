// A table's layout, and its open files: the files of the regions that were read last.
//
// Regions stay open while they have at most kMostFiles files in total, counting each region as one more.
// Beyond that the least recently read regions are closed. The most recently read region always stays open,
// however many files it has. Each file needs a descriptor, of which a process often has 1,024. Readers that
// still use a store keep it open.
//
// The counters of a closed file are kept. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/read_counters.h"
#include "bloomery/table/table_options.h"
#include "table/layout/table_layout.h"
#include "table/read/store_file.h"

namespace bloomery::table {

using StorePointer = std::shared_ptr<const OpenStore>;

class TableFiles {
 public:
  TableFiles(TableLayout layout, const TableOptions& options);

  const TableLayout& layout() const { return layout_; }
  const TableOptions& options() const { return options_; }
  std::int64_t now() const;
  // Returns true if no row is in two regions. Regions overlap only if TableOptions accepts region faults.
  bool is_disjoint() const { return is_disjoint_; }
  // Returns the regions that have the row, in their order.
  std::vector<std::size_t> regions_of(std::string_view row) const;
  bool has_row(std::size_t region, std::string_view row) const {
    const RegionInfo& info = layout_.regions[region].info;
    return info.start <= row && (info.end.empty() || row < info.end);
  }
  // Returns the open files of the family in the region, and opens them on first use.
  Result<StorePointer> store(std::size_t region, const std::string& family) const;

  void add(const FamilyReadCounters& counted) const;
  TableReadCounters counters() const;

 private:
  static constexpr std::size_t kMostFiles = 512;

  struct OpenRegion {
    std::size_t number = 0;
    std::map<std::string, StorePointer> families = {};
  };
  using FileKey = std::tuple<std::string, std::string, std::string>;  // region, family, path

  OpenRegion& opened(std::size_t region) const;
  void close_old() const;
  void count(const OpenRegion& region, std::map<FileKey, FileReadCounters>& to) const;

  TableLayout layout_;
  TableOptions options_;
  bool is_disjoint_ = false;
  mutable std::mutex mutex_;            // guards the members below
  mutable std::list<OpenRegion> open_;  // most recently read first
  mutable std::map<FileKey, FileReadCounters> closed_;
  mutable std::map<std::string, FamilyReadCounters> families_;
};

}  // namespace bloomery::table
