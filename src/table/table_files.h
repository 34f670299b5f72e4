// The open files of a table on disk: the files of the regions that were read last.
//
// Regions stay open while they have at most kMostFiles files in total, counting each region as one more.
// Beyond that the least recently read regions are closed. The most recently read region always stays open,
// however many files it has. Each file needs a descriptor, of which a process often has 1,024. Readers that
// still use a store keep it open.
//
// The counters of a closed file are kept. Thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "bloomery/base/result.h"
#include "bloomery/table/read_counters.h"
#include "table/table_source.h"

namespace bloomery::table {

class TableFiles : public TableSource {
 public:
  using TableSource::TableSource;

  // Returns the open files of the family in the region, and opens them on first use.
  Result<StorePointer> store(std::size_t region, const std::string& family) const override;
  // Adds the counters of files.
  TableReadCounters counters() const override;

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

  mutable std::mutex mutex_;            // guards the members below
  mutable std::list<OpenRegion> open_;  // most recently read first
  mutable std::map<FileKey, FileReadCounters> closed_;
};

}  // namespace bloomery::table
