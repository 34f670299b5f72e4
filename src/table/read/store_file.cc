#include "table/read/store_file.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "base/memory_budget.h"
#include "table/layout/hbase_messages.h"

namespace bloomery::table {
namespace {

Status read_order(StoreFile& file, const StoreFilePath& path) {
  const hfile::FileInfo& info = file.file->info();
  BLOOMERY_ASSIGN_OR_RETURN(const auto max_sequence, info.int64_of("MAX_SEQ_ID_KEY"));
  BLOOMERY_ASSIGN_OR_RETURN(file.bulk_load_time, info.int64_of("BULKLOAD_TIMESTAMP"));
  const bool is_bulk_loaded = file.bulk_load_time || path.sequence_id;
  std::optional<std::int64_t> sequence = max_sequence;
  if (is_bulk_loaded && path.sequence_id) {
    sequence = path.sequence_id;
  }
  file.sequence_id = sequence.value_or(-1);
  if (sequence && path.half && path.half->is_top) {
    if (*sequence == std::numeric_limits<std::int64_t>::max()) {
      return Error::corruption("file info block", file.file->trailer().file_info_offset,
                               "a sequence id below 2^63 - 1", *sequence);
    }
    ++file.sequence_id;
  }
  if (is_bulk_loaded) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool keeps_own, info.is_true("SKIP_RESET_SEQ_ID"));
    if (!keeps_own && file.sequence_id >= 0) {
      file.mvcc = file.sequence_id;
    }
  }
  return {};
}

// Removes the files that were compacted into another one. HBase leaves them next to it for some minutes,
// while scans may still read them, and after a kill until it opens the region.
Status drop_compacted(std::vector<StoreFilePointer>& files) {
  std::set<std::string, std::less<>> compacted;
  for (const StoreFilePointer& file : files) {
    const auto event = file->file->info().find("COMPACTION_EVENT_KEY");
    if (!event) {
      continue;
    }
    auto names = parse_compaction_event(*event, file->file->trailer().file_info_offset);
    if (!names) {
      return in_file(Status(names.error()), file->file->path());
    }
    compacted.insert(names->begin(), names->end());
  }
  std::erase_if(files, [&](const StoreFilePointer& file) { return compacted.contains(file->name); });
  return {};
}

bool is_older(const StoreFile& a, const StoreFile& b) {
  const std::int64_t never = std::numeric_limits<std::int64_t>::max();
  const auto order = [never](const StoreFile& file) {
    return std::tuple(file.sequence_id, ~file.file->file_bytes(), file.bulk_load_time.value_or(never),
                      std::string_view(file.name));
  };
  return order(a) < order(b);
}

}  // namespace

StoreFile store_file_of(hfile::OpenFilePointer file) {
  const auto times = hfile::times_of(*file);
  const auto& keys = file->index().root_keys;
  const auto last = parse_flat_key(file->info().find("hfile.LASTKEY").value_or(std::string_view()));
  StoreFile store_file{.file = std::move(file),
                       .times = times,
                       .filter_counts = std::make_shared<FilterCounts>(),
                       .reads = std::make_shared<AskedReadCounts>()};
  if (!keys.empty() && last) {
    store_file.rows = {keys.front().row, last->row};
  }
  return store_file;
}

StoreFile store_file_of(std::shared_ptr<const MemoryCells> memory) {
  return {.memory = std::move(memory), .name = "memstore"};
}

bool StoreFile::is_empty() const {
  return memory != nullptr ? !memory->times() : file->trailer().entry_count == 0;
}

bool StoreFile::may_have_row(std::string_view row) const {
  if (memory != nullptr) {
    return memory->may_have_row(row);
  }
  if (half && (row >= half->row) != half->is_top) {
    return false;
  }
  const RowOrder order = file->trailer().row_order;
  return rows ? std::is_lteq(compare_rows(order, rows->first, row)) &&
                    std::is_lteq(compare_rows(order, row, rows->second))
              : file->trailer().entry_count != 0;
}

bool StoreFile::may_have_rows(std::string_view first, std::string_view last) const {
  if (memory != nullptr) {
    return !is_empty();
  }
  if (half && half->is_top && !last.empty() && last < half->row) {
    return false;
  }
  if (half && !half->is_top && first >= half->row) {
    return false;
  }
  if (!rows) {
    return file->trailer().entry_count != 0;
  }
  return (last.empty() || rows->first <= last) && first <= rows->second;
}

Result<StoreFilePointer> open_store_file(const StoreFilePath& path, const HFileOptions& options,
                                         FileSystem& files) {
  BLOOMERY_ASSIGN_OR_RETURN(hfile::OpenFilePointer opened,
                            hfile::open_hfile(path.path, options, {.files = &files}));
  if (opened->trailer().row_order != RowOrder::kBytes) {
    return Error::unsupported(
        path.path, opened->trailer().offset,
        "expected a file of a table, found one of hbase:meta, whose rows have an order of their "
        "own: `bloomery hfile` reads it");
  }
  auto file = std::make_shared<StoreFile>(store_file_of(std::move(opened)));
  file->name = path.name;
  file->half = path.half;
  BLOOMERY_RETURN_IF_ERROR(in_file(read_order(*file, path), path.path));
  return StoreFilePointer(std::move(file));
}

Result<std::shared_ptr<const OpenStore>> open_store(const std::vector<StoreFilePath>& paths,
                                                    const HFileOptions& options,
                                                    const std::vector<LoggedFile>& logged,
                                                    FileSystem& files) {
  auto store = std::make_shared<OpenStore>();
  for (const StoreFilePath& path : paths) {
    BLOOMERY_RETURN_IF_ERROR(within_memory(path.path, [&]() -> Status {
      BLOOMERY_ASSIGN_OR_RETURN(const auto file, open_store_file(path, options, files));
      store->files.push_back(file);
      return {};
    }));
  }
  BLOOMERY_RETURN_IF_ERROR(drop_compacted(store->files));
  std::ranges::sort(store->files,
                    [](const StoreFilePointer& a, const StoreFilePointer& b) { return is_older(*a, *b); });
  for (const LoggedFile& edits : logged) {
    BLOOMERY_ASSIGN_OR_RETURN(hfile::OpenFilePointer opened, open_logged(edits, {.memory = options.memory}));
    auto file = std::make_shared<StoreFile>(store_file_of(std::move(opened)));
    file->name = edits.path.substr(edits.path.rfind('/') + 1);
    store->files.push_back(file);
  }
  return std::shared_ptr<const OpenStore>(std::move(store));
}

std::shared_ptr<const OpenStore> with_file(const OpenStore& store, const StoreFilePointer& file,
                                           std::span<const StoreFilePointer> without) {
  auto changed = std::make_shared<OpenStore>(store);
  std::erase_if(changed->files, [&](const StoreFilePointer& each) {
    return std::ranges::find(without, each) != without.end();
  });
  changed->files.push_back(file);
  std::ranges::sort(changed->files,
                    [](const StoreFilePointer& a, const StoreFilePointer& b) { return is_older(*a, *b); });
  return changed;
}

std::shared_ptr<const OpenStore> with_memory(const OpenStore& store,
                                             std::span<const std::shared_ptr<const MemoryCells>> memory) {
  auto changed = std::make_shared<OpenStore>(store);
  for (const auto& cells : memory) {
    changed->files.push_back(std::make_shared<const StoreFile>(store_file_of(cells)));
  }
  return changed;
}

}  // namespace bloomery::table
