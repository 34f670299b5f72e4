#include "table/logs/log_edits.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "base/memory_budget.h"
#include "base/message.h"
#include "hfile/write_state.h"
#include "table/layout/store_listing.h"
#include "table/logs/logged_file.h"
#include "table/logs/root_logs.h"
#include "table/read/row_gap.h"
#include "table/read/store_file.h"
#include "wal/log_reader.h"

namespace bloomery::table {
namespace {

// A cell that owns its bytes.
struct LoggedCell {
  std::unique_ptr<char[]> bytes = {};
  Cell cell = {};  // views of `bytes`
  std::size_t log = 0;
};

std::size_t bytes_of(const Cell& cell) {
  return cell.key.row.size() + cell.key.family.size() + cell.key.qualifier.size() + cell.value.size() +
         cell.tags.size();
}

LoggedCell copy_of(const Cell& cell, std::size_t log, std::uint64_t mvcc) {
  LoggedCell copy{.bytes = std::make_unique_for_overwrite<char[]>(bytes_of(cell)), .cell = cell, .log = log};
  char* at = copy.bytes.get();
  for (std::string_view* const part : {&copy.cell.key.row, &copy.cell.key.family, &copy.cell.key.qualifier,
                                       &copy.cell.value, &copy.cell.tags}) {
    if (!part->empty()) {
      std::memcpy(at, part->data(), part->size());
    }
    *part = {at, part->size()};
    at += part->size();
  }
  copy.cell.mvcc = static_cast<std::int64_t>(mvcc);
  return copy;
}

// The edits of one family in one region.
struct LoggedStore {
  std::int64_t top = 0;  // the greatest sequence id of the files
  std::vector<LoggedCell> cells = {};
};

struct LoggedRegion {
  RegionLayout* layout = nullptr;
  std::optional<std::int64_t> settled = {};
  std::map<std::string, LoggedStore, std::less<>> stores = {};
};

// The greatest sequence id of the files. A damaged file is left out: whoever reads it meets the damage.
Result<std::int64_t> top_of(const std::vector<StoreFilePath>& paths, const TableOptions& options) {
  std::int64_t top = 0;
  for (const StoreFilePath& path : paths) {
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

// Sorts the cells as an HFile has them, log after log, and removes those that do not count.
void sort_cells(std::vector<LoggedCell>& cells) {
  std::ranges::reverse(cells);  // so that of equal cells the last one comes first
  std::ranges::stable_sort(cells, [](const LoggedCell& a, const LoggedCell& b) {
    const auto keys = a.cell.key <=> b.cell.key;
    return std::is_neq(keys) ? std::is_lt(keys) : a.cell.mvcc > b.cell.mvcc;
  });
  const auto is_same = [](const LoggedCell& a, const LoggedCell& b) {
    return a.cell.mvcc == b.cell.mvcc && a.cell.key == b.cell.key;
  };
  cells.erase(std::unique(cells.begin(), cells.end(), is_same), cells.end());
  std::ranges::stable_sort(cells, {}, &LoggedCell::log);
}

Result<LoggedFile> write_logged(const std::string& path, std::span<const LoggedCell> cells) {
  LoggedFile file{.path = path, .cells = cells.size(), .bytes = std::make_shared<MemoryFile>()};
  HFileWriteOptions options;
  options.has_tags = std::ranges::any_of(cells, [](const LoggedCell& c) { return !c.cell.tags.empty(); });
  BLOOMERY_ASSIGN_OR_RETURN(const auto writer, hfile::WriteState::create(path, options, *file.bytes));
  for (const LoggedCell& cell : cells) {
    BLOOMERY_RETURN_IF_ERROR(writer->append(cell.cell));
  }
  BLOOMERY_RETURN_IF_ERROR(writer->finish());
  return file;
}

class LogEditReader {
 public:
  LogEditReader(TableLayout& layout, const TableOptions& options)
      : layout_(layout),
        options_(options),
        budget_(std::make_shared<MemoryBudget>(options.log_memory_bytes)) {
    for (RegionLayout& region : layout.regions) {
      regions_[region.name].layout = &region;
    }
  }

  Status run() {
    for (const std::string& log : layout_.log_paths) {
      layout_.logs.push_back({.path = log});
      BLOOMERY_RETURN_IF_ERROR(take_fault(in_file(read(log), log)));
    }
    return make_files();
  }

 private:
  Status take_fault(const Status& status);
  Status read(const std::string& path);
  void note_end(const wal::LogReader& log);
  Status take(const wal::LogEntry& entry);
  Result<LoggedStore*> store_of(LoggedRegion& region, std::string_view family);
  Status charge(std::uint64_t bytes);
  Status make_files();
  Status make_files(RegionLayout& region, const std::string& family, LoggedStore& store);

  TableLayout& layout_;
  const TableOptions& options_;
  std::shared_ptr<MemoryBudget> budget_;
  MemoryShare memory_{budget_};
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

Status LogEditReader::read(const std::string& path) {
  const wal::LogReadOptions options{.kind = wal::log_kind_of(path), .memory = options_.memory};
  Result<wal::LogReader> opened = wal::LogReader::open(layout_.root->files(), path, options);
  if (!opened && opened.error().code() == ErrorCode::kNotFound) {
    return Error(ErrorCode::kNotFound, wal::kLogSubject,
                 "expected the log that was listed, found none: HBase moved it away meanwhile, so open the "
                 "table again");
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
  LoggedStore store;
  if (paths != region.layout->families.end()) {
    BLOOMERY_ASSIGN_OR_RETURN(store.top, top_of(paths->second, options_));
  }
  return &region.stores.emplace(family, std::move(store)).first->second;
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
    // The list of cells may have twice its size, and is copied to be sorted.
    BLOOMERY_RETURN_IF_ERROR(charge(3 * sizeof(LoggedCell) + bytes_of(cell)));
    store->cells.push_back(copy_of(cell, layout_.logs.size() - 1, entry.mvcc()));
  }
  return {};
}

Status LogEditReader::charge(std::uint64_t bytes) {
  if (memory_.try_add(bytes)) {
    return {};
  }
  return Error::capacity(
      layout_.root->path(),
      message("expected edits of table ", layout_.name.text(), " that only logs have, of at most ",
              options_.log_memory_bytes,
              " bytes in memory, found more: allow more (--log-memory), or leave logs out (--no-log)"));
}

Status LogEditReader::make_files(RegionLayout& region, const std::string& family, LoggedStore& store) {
  sort_cells(store.cells);
  auto& files = region.logged[family];
  for (std::size_t begin = 0; begin < store.cells.size();) {
    const std::size_t log = store.cells[begin].log;
    std::size_t end = begin;
    while (end < store.cells.size() && store.cells[end].log == log) {
      ++end;
    }
    const auto cells = std::span(store.cells).subspan(begin, end - begin);
    const std::string& path = layout_.logs[log].path;
    auto file = write_logged(path, cells);
    if (!file) {
      return file.error().in_file(path);
    }
    BLOOMERY_RETURN_IF_ERROR(charge(file->bytes->size_bytes()));
    layout_.logs[log].cells += file->cells;
    files.push_back(std::move(*file));
    begin = end;
  }
  return {};
}

Status LogEditReader::make_files() {
  for (auto& [name, region] : regions_) {
    for (auto& [family, store] : region.stores) {
      BLOOMERY_RETURN_IF_ERROR(make_files(*region.layout, family, store));
      store.cells = std::vector<LoggedCell>();
    }
  }
  return {};
}

}  // namespace

Result<hfile::OpenFilePointer> open_logged(const LoggedFile& file, const HFileOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto opened,
                            hfile::OpenFile::open(file.path, options, {.files = file.bytes.get()}));
  // The bytes are destroyed after the file that reads them.
  const auto both = std::make_shared<std::pair<std::shared_ptr<MemoryFile>, hfile::OpenFilePointer>>(
      file.bytes, std::move(opened));
  return hfile::OpenFilePointer(both, both->second.get());
}

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
