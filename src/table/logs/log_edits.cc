#include "table/logs/log_edits.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/message.h"
#include "table/layout/store_listing.h"
#include "table/logs/edit_sorter.h"
#include "table/logs/root_logs.h"
#include "table/read/row_gap.h"
#include "table/read/store_file.h"
#include "wal/log_reader.h"

namespace bloomery::table {
namespace {

// The edits of one family in one region.
struct LoggedStore {
  std::int64_t top = 0;    // the greatest sequence id of the files
  std::size_t number = 0;  // in the sorter
};

struct LoggedRegion {
  RegionLayout* layout = nullptr;
  std::optional<std::int64_t> settled = {};
  std::map<std::string, LoggedStore, std::less<>> stores = {};
};

// The greatest sequence id of the files. A damaged file is left out: whoever reads it meets the damage. Files
// that log splitting made are left out, too: earlier edits may still be in a log that is not split yet.
Result<std::int64_t> top_of(const std::vector<StoreFilePath>& paths, const TableOptions& options) {
  std::int64_t top = 0;
  for (const StoreFilePath& path : paths) {
    if (path.is_recovered) {
      continue;
    }
    const auto store = open_store({path}, {.memory = options.memory}, {}, FileSystem::or_real(options.files));
    if (!store && !is_damage(store.error())) {
      return store.error();
    }
    if (store && !(*store)->files.empty()) {
      top = std::max(top, (*store)->files.front()->sequence_id);
    }
  }
  return top;
}

class LogEditReader {
 public:
  LogEditReader(TableLayout& layout, const TableOptions& options)
      : layout_(layout),
        options_(options),
        sorter_(layout.logs, options.log_memory_bytes, options.log_spool_directory) {
    for (RegionLayout& region : layout.regions) {
      regions_[region.name].layout = &region;
    }
  }

  Status run() {
    for (const std::string& log : layout_.log_paths) {
      layout_.logs.push_back({.path = log});
      BLOOMERY_RETURN_IF_ERROR(take_fault(in_file(read(log), log)));
    }
    BLOOMERY_RETURN_IF_ERROR(sorter_.finish());
    for (auto& [name, region] : regions_) {
      for (const auto& [family, store] : region.stores) {
        region.layout->logged[family] = sorter_.files(store.number);
      }
    }
    return {};
  }

 private:
  Status take_fault(const Status& status);
  Status read(const std::string& path);
  Error gone(const std::string& path, bool is_marked) const;
  void note_end(const wal::LogReader& log);
  Status take(const wal::LogEntry& entry);
  Result<LoggedStore*> store_of(LoggedRegion& region, std::string_view family);

  TableLayout& layout_;
  const TableOptions& options_;
  EditSorter sorter_;
  std::map<std::string, LoggedRegion, std::less<>> regions_;
};

// Turns the damage of a log into a fault if the options list faults.
Status LogEditReader::take_fault(const Status& status) {
  if (status || !options_.lists_faults ||
      (!is_table_fault(status.error()) && status.error().code() != ErrorCode::kUnsupported)) {
    return status;
  }
  layout_.faults.push_back(status.error());
  return {};
}

// The mark is read before the log, which may grow meanwhile.
Status LogEditReader::read(const std::string& path) {
  FileSystem& files = layout_.root->files();
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<wal::LogMark> mark, read_mark_of(files, path));
  layout_.logs.back().is_marked = mark.has_value();
  const wal::LogReadOptions options{.kind = wal::log_kind_of(path), .memory = options_.memory, .mark = mark};
  Result<wal::LogReader> opened = wal::LogReader::open(files, path, options);
  if (!opened && opened.error().code() == ErrorCode::kNotFound) {
    return gone(path, mark.has_value());
  }
  BLOOMERY_RETURN_IF_ERROR(opened ? Status() : Status(opened.error()));
  wal::LogReader& log = *opened;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, log.next());
    if (!found) {
      note_end(log);
      return {};
    }
    BLOOMERY_RETURN_IF_ERROR(take(log.entry()));
  }
}

Error LogEditReader::gone(const std::string& path, bool is_marked) const {
  if (is_marked && !is_archived(*layout_.root, path)) {
    return Error::corruption(wal::kLogSubject, 0, "the log that its mark names", "none");
  }
  return Error(ErrorCode::kNotFound, wal::kLogSubject,
               "expected the log that was listed, found none: HBase moved it away meanwhile, so open the "
               "table again");
}

void LogEditReader::note_end(const wal::LogReader& log) {
  const wal::LogEnd& end = log.end();
  TableLog& noted = layout_.logs.back();
  noted.is_sealed = log.is_sealed();
  noted.is_closed = end.kind == wal::LogEndKind::kClosed;
  if (end.has_grown) {
    layout_.warnings.push_back(
        message("the log ", noted.path, " grew while it was read: later edits are not in the answer"));
  } else if (end.kind == wal::LogEndKind::kTorn) {
    layout_.warnings.push_back(message("the log ", noted.path, " is torn at byte ", end.offset,
                                       ": it was read to there, as far as its entries are whole"));
  }
}

// Returns the store of a family of the table, or null for another family.
Result<LoggedStore*> LogEditReader::store_of(LoggedRegion& region, std::string_view family) {
  if (const auto found = region.stores.find(family); found != region.stores.end()) {
    return &found->second;
  }
  if (layout_.schema.find(family) == nullptr) {
    return static_cast<LoggedStore*>(nullptr);
  }
  const auto paths = region.layout->families.find(family);
  LoggedStore store{.number = sorter_.add_store()};
  if (paths != region.layout->families.end()) {
    BLOOMERY_ASSIGN_OR_RETURN(store.top, top_of(paths->second, options_));
  }
  return &region.stores.emplace(family, store).first->second;
}

Status LogEditReader::take(const wal::LogEntry& entry) {
  const auto found = regions_.find(entry.region);
  if (found == regions_.end() || entry.is_marker()) {
    return {};
  }
  LoggedRegion& region = found->second;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (entry.sequence_id > kMost || entry.mvcc() > kMost) {
    return Error::corruption(wal::kLogSubject, entry.offset, "a sequence id below 2^63", entry.sequence_id);
  }
  if (!region.settled) {
    BLOOMERY_ASSIGN_OR_RETURN(
        region.settled, settled_sequence(layout_.root->files(),
                                         message(layout_.root->table(layout_.name), "/", found->first)));
  }
  const auto sequence = static_cast<std::int64_t>(entry.sequence_id);
  for (const Cell& cell : entry.cells) {
    BLOOMERY_ASSIGN_OR_RETURN(LoggedStore* const store, store_of(region, cell.key.family));
    if (store == nullptr || sequence <= store->top || sequence <= *region.settled) {
      continue;
    }
    BLOOMERY_RETURN_IF_ERROR(sorter_.add(store->number, cell, entry.mvcc(), layout_.logs.size() - 1));
  }
  return {};
}

}  // namespace

Status read_logs(TableLayout& layout, const TableOptions& options) {
  return LogEditReader(layout, options).run();
}

void warn_of_left_logs(TableLayout& layout) {
  if (const std::size_t logs = layout.log_paths.size(); logs > 0) {
    layout.warnings.push_back(message(logs, logs == 1 ? " log was" : " logs were",
                                      " left out: edits that only logs have are not in the answer"));
  }
}

}  // namespace bloomery::table
