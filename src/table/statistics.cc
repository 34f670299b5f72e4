#include "bloomery/table/statistics.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/reader_access.h"
#include "table/size_histogram.h"
#include "table/table_access.h"

namespace bloomery {
namespace table {
namespace {

SizeSpread spread_of(const SizeHistogram& sizes) {
  return {.count = sizes.count(),
          .least = sizes.least(),
          .most = sizes.most(),
          .mean = sizes.mean(),
          .deviation = sizes.deviation(),
          .median = sizes.quantile(0.5),
          .at_75 = sizes.quantile(0.75),
          .at_95 = sizes.quantile(0.95),
          .at_98 = sizes.quantile(0.98),
          .at_99 = sizes.quantile(0.99),
          .at_999 = sizes.quantile(0.999)};
}

// Counts the files of a family.   Calls: (begin_file add* end_file)* result
class FamilyCounter {
 public:
  void begin_file(const std::string& path) {
    ++files_;
    path_ = path;
  }

  void add(const Cell& cell) {
    constexpr std::size_t kKeyBesides = 2 + 1 + 8 + 1;  // lengths of row and family, time, type
    constexpr std::size_t kLengths = 4 + 4;             // of key and value
    if (row_cells_ == 0 || cell.key.row != row_) {
      end_row();
      row_ = cell.key.row;
    }
    const std::size_t key =
        kKeyBesides + cell.key.row.size() + cell.key.family.size() + cell.key.qualifier.size();
    key_bytes_.add(key);
    value_bytes_.add(cell.value.size());
    last_key_ = key;
    row_size_ += kLengths + key + cell.value.size() + (cell.tags.empty() ? 0 : 2 + cell.tags.size());
    ++row_cells_;
    deletes_ += cell.key.type == CellType::kPut ? 0U : 1U;
    least_timestamp_ = std::min(least_timestamp_, cell.key.timestamp);
    most_timestamp_ = std::max(most_timestamp_, cell.key.timestamp);
  }

  void end_file() { end_row(); }

  FamilyStatistics result(std::string name) && {
    const bool is_empty = key_bytes_.count() == 0;
    return {.name = std::move(name),
            .files = files_,
            .cells = key_bytes_.count(),
            .deletes = deletes_,
            .least_timestamp = is_empty ? 0 : least_timestamp_,
            .most_timestamp = is_empty ? 0 : most_timestamp_,
            .key_bytes = spread_of(key_bytes_),
            .last_key_bytes = spread_of(last_key_bytes_),
            .value_bytes = spread_of(value_bytes_),
            .row_bytes = spread_of(row_bytes_),
            .row_cells = spread_of(cells_of_rows_),
            .largest_row = std::move(largest_row_),
            .largest_row_file = std::move(largest_row_file_)};
  }

 private:
  void end_row() {
    if (row_cells_ == 0) {
      return;
    }
    if (row_size_ > row_bytes_.most() || row_bytes_.count() == 0) {
      largest_row_ = row_;
      largest_row_file_ = path_;
    }
    row_bytes_.add(row_size_);
    cells_of_rows_.add(row_cells_);
    last_key_bytes_.add(last_key_);
    row_size_ = 0;
    row_cells_ = 0;
  }

  std::uint64_t files_ = 0;
  std::uint64_t deletes_ = 0;
  std::int64_t least_timestamp_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t most_timestamp_ = std::numeric_limits<std::int64_t>::min();
  SizeHistogram key_bytes_;
  SizeHistogram last_key_bytes_;
  SizeHistogram value_bytes_;
  SizeHistogram row_bytes_;
  SizeHistogram cells_of_rows_;
  std::string largest_row_;
  std::string largest_row_file_;

  std::string path_;  // the current file
  std::string row_;   // the current row; valid while row_cells_ != 0
  std::uint64_t row_size_ = 0;
  std::uint64_t row_cells_ = 0;
  std::uint64_t last_key_ = 0;
};

Result<bool> seek_to_begin(HFileScanner& scanner, const TableRegion& region, const TableFile& file) {
  return file.is_half ? scanner.seek(first_on_row(region.start)) : scanner.seek_to_first();
}

// Counts the cells from the scanner's position to the row `end`, or to the last cell if it is empty.
Status count_cells(HFileScanner& scanner, Result<bool> found, const std::string& end, const std::string& path,
                   const std::function<Status()>& watch, FamilyCounter& counter) {
  constexpr std::uint64_t kCellsBetweenLooks = 65536;
  counter.begin_file(path);
  for (std::uint64_t seen = 0; found && *found; found = scanner.next()) {
    if (!end.empty() && scanner.cell().key.row >= end) {
      break;
    }
    if (seen++ % kCellsBetweenLooks == 0) {
      BLOOMERY_RETURN_IF_ERROR(watch());
    }
    counter.add(scanner.cell());
  }
  counter.end_file();
  return found ? Status() : in_file(Status(found.error()), path);
}

Status count_file(const TableRegion& region, const TableFile& file, const FileMemory& memory,
                  const std::function<Status()>& watch, FamilyCounter& counter) {
  HFileOptions options;
  options.memory = memory;
  BLOOMERY_ASSIGN_OR_RETURN(const HFileReader reader, HFileReader::open(file.path, options));
  HFileScanner scanner = reader.scan();
  const std::string end = file.is_half ? region.end : std::string();
  return count_cells(scanner, seek_to_begin(scanner, region, file), end, file.path, watch, counter);
}

// Counts what only logs have. Each log counts as a file.
Status count_logged(const TableLayout& layout, const FileMemory& memory, const std::function<Status()>& watch,
                    std::map<std::string, FamilyCounter, std::less<>>& counters) {
  for (const RegionLayout& region : layout.regions) {
    for (const auto& [family, logs] : region.logged) {
      for (const LoggedFile& log : logs) {
        BLOOMERY_ASSIGN_OR_RETURN(const auto file, open_logged(log, {.memory = memory}));
        HFileScanner scanner = hfile::ReaderAccess::reader_of(file).scan();
        BLOOMERY_RETURN_IF_ERROR(
            count_cells(scanner, scanner.seek_to_first(), {}, log.path, watch, counters[family]));
      }
    }
  }
  return {};
}

}  // namespace
}  // namespace table

Result<std::vector<FamilyStatistics>> table_statistics(const Table& table, const FileMemory& memory,
                                                       const StatisticsWatch& watch) {
  std::map<std::string, table::FamilyCounter, std::less<>> counters;
  const std::vector<TableRegion> regions = table.regions();
  std::size_t files = 0;
  for (const TableRegion& region : regions) {
    files += region.files.size();
  }
  std::size_t number = 0;
  for (const TableRegion& region : regions) {
    for (const TableFile& file : region.files) {
      const auto look = [&] { return watch ? watch(number, files) : Status(); };
      BLOOMERY_RETURN_IF_ERROR(table::count_file(region, file, memory, look, counters[file.family]));
      ++number;
    }
  }
  const auto look = [&] { return watch ? watch(number, files) : Status(); };
  BLOOMERY_RETURN_IF_ERROR(table::count_logged(table::TableAccess::layout_of(table), memory, look, counters));
  std::vector<FamilyStatistics> statistics;
  for (const FamilySchema& family : table.schema().families) {
    statistics.push_back(std::move(counters[family.name]).result(family.name));
  }
  return statistics;
}

}  // namespace bloomery
