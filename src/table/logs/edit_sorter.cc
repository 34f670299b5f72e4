#include "table/logs/edit_sorter.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include <system_error>

#include "base/message.h"
#include "base/nameless_file.h"
#include "hfile/encoding/key_bytes.h"
#include "hfile/write_state.h"
#include "table/read/store_merge.h"

namespace bloomery::table {
namespace {

// A cell of an HFile has at most so many bytes without its texts, with its part of indexes and checksums.
constexpr std::size_t kFileBytesOfEdit = 48;
// A file has at most so many bytes without its cells; 4096 are the trailer's.
constexpr std::size_t kFileBytes = 8192;
// An edit needs so many bytes in the list of its store, which may have twice its size and is copied when it
// grows and when it is sorted.
constexpr std::size_t kListBytes = 5 * sizeof(void*);

std::size_t text_bytes(const Cell& cell) {
  return cell.key.row.size() + cell.key.family.size() + cell.key.qualifier.size() + cell.value.size() +
         cell.tags.size();
}

bool is_same_edit(const Cell& a, const Cell& b) {
  return a.mvcc == b.mvcc && a.key == b.key;
}

// Merges the files, from the oldest to the newest, into one. Returns its number of cells.
Result<std::uint64_t> merge_files(const std::vector<StoreFilePointer>& files, const std::string& path,
                                  bool has_tags, RunFile& to) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto writer, hfile::WriteState::create(path, {.has_tags = has_tags}, to));
  StoreMerge merge(files, /*is_reversed=*/false, nullptr);
  hfile::KeyBytes last;
  std::optional<std::int64_t> last_mvcc;
  BLOOMERY_RETURN_IF_ERROR(merge.start({}));
  while (!merge.is_at_end()) {
    const Cell& cell = merge.cell();
    if (last_mvcc != cell.mvcc || last.key() != cell.key) {
      BLOOMERY_RETURN_IF_ERROR(writer->append(cell));
      last.assign(cell.key);
      last_mvcc = cell.mvcc;
    }
    BLOOMERY_RETURN_IF_ERROR(merge.next());
  }
  BLOOMERY_RETURN_IF_ERROR(writer->finish());
  return writer->cell_count();
}

std::string temporary_folder() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : folder.string();
}

}  // namespace

EditSorter::EditSorter(std::vector<TableLog>& logs, std::uint64_t memory_bytes, std::string spool_directory)
    : logs_(logs),
      spool_directory_(spool_directory.empty() ? temporary_folder() : std::move(spool_directory)),
      memory_(std::make_shared<MemoryBudget>(memory_bytes)),
      arena_(nullptr) {}

std::size_t EditSorter::add_store() {
  stores_.emplace_back();
  return stores_.size() - 1;
}

// Charges the edit, its place in the lists, and its bytes in a file in memory. If the memory is full, all
// edits go to the disk. A single edit may exceed the limit.
Status EditSorter::charge(const Store& store, const Cell& cell, std::size_t log) {
  const bool begins_file = store.edits.empty() || store.edits.back()->log != log;
  const std::uint64_t bytes =
      sizeof(Edit) + kListBytes + 2 * text_bytes(cell) + kFileBytesOfEdit + (begins_file ? kFileBytes : 0);
  if (!memory_.try_add(bytes) && !edits_.empty()) {
    BLOOMERY_RETURN_IF_ERROR(spill());
    (void)memory_.try_add(bytes);
  }
  return {};
}

Result<Cell> EditSorter::copy_of(const Cell& cell, std::uint64_t mvcc) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto bytes, arena_.allocate(text_bytes(cell)));
  Cell copy = cell;
  char* at = reinterpret_cast<char*>(bytes.data());
  for (std::string_view* const part :
       {&copy.key.row, &copy.key.family, &copy.key.qualifier, &copy.value, &copy.tags}) {
    if (!part->empty()) {
      std::memcpy(at, part->data(), part->size());
    }
    *part = {at, part->size()};
    at += part->size();
  }
  copy.mvcc = static_cast<std::int64_t>(mvcc);
  return copy;
}

Status EditSorter::add(std::size_t store, const Cell& cell, std::uint64_t mvcc, std::size_t log) {
  BLOOMERY_RETURN_IF_ERROR(charge(stores_[store], cell, log));
  BLOOMERY_ASSIGN_OR_RETURN(const Cell copy, copy_of(cell, mvcc));
  stores_[store].edits.push_back(&edits_.emplace_back(Edit{copy, log}));
  return {};
}

// Sorts the edits, removes those that do not count, and counts the others.
void EditSorter::sort(std::vector<const Edit*>& edits) {
  std::ranges::reverse(edits);  // so that of equal edits the last one comes first
  std::ranges::stable_sort(edits, [](const Edit* a, const Edit* b) {
    const auto keys = a->cell.key <=> b->cell.key;
    return std::is_neq(keys) ? std::is_lt(keys) : a->cell.mvcc > b->cell.mvcc;
  });
  const auto is_same = [](const Edit* a, const Edit* b) { return is_same_edit(a->cell, b->cell); };
  edits.erase(std::unique(edits.begin(), edits.end(), is_same), edits.end());
  for (const Edit* const edit : edits) {
    ++logs_[edit->log].cells;
  }
}

std::string EditSorter::path_of(std::size_t first_log, std::size_t last_log) const {
  return first_log == last_log ? logs_[first_log].path
                               : message(logs_[first_log].path, " to ", logs_[last_log].path);
}

// Writes a run of sorted edits.
Result<EditSorter::Run> EditSorter::write(std::span<const Edit* const> edits,
                                          std::shared_ptr<RunFile> bytes) const {
  const auto [first, last] = std::ranges::minmax(edits, {}, &Edit::log);
  Run run{.first_log = first->log, .last_log = last->log};
  run.has_tags = std::ranges::any_of(edits, [](const Edit* edit) { return !edit->cell.tags.empty(); });
  const std::string path = path_of(run.first_log, run.last_log);
  BLOOMERY_ASSIGN_OR_RETURN(const auto writer,
                            hfile::WriteState::create(path, {.has_tags = run.has_tags}, *bytes));
  for (const Edit* const edit : edits) {
    BLOOMERY_RETURN_IF_ERROR(writer->append(edit->cell));
  }
  BLOOMERY_RETURN_IF_ERROR(writer->finish());
  run.file = {.path = path, .cells = edits.size(), .bytes = std::move(bytes)};
  return run;
}

Result<std::shared_ptr<RunFile>> EditSorter::new_run_on_disk() {
  if (spool_ == nullptr) {
    BLOOMERY_ASSIGN_OR_RETURN(File file,
                              create_nameless_file(FileSystem::real(), spool_directory_, "bloomery-edits"));
    spool_ = std::make_shared<EditSpool>(EditSpool{std::move(file)});
  }
  return std::shared_ptr<RunFile>(std::make_shared<SpooledRun>(spool_));
}

// Writes all edits in memory to the disk, a run for each store.
Status EditSorter::spill() {
  for (Store& store : stores_) {
    if (store.edits.empty()) {
      continue;
    }
    sort(store.edits);
    BLOOMERY_ASSIGN_OR_RETURN(auto bytes, new_run_on_disk());
    BLOOMERY_ASSIGN_OR_RETURN(Run run, write(store.edits, std::move(bytes)));
    store.runs.push_back(std::move(run));
    store.edits = {};
  }
  edits_.clear();
  arena_.clear();
  memory_.clear();
  for (Store& store : stores_) {
    BLOOMERY_RETURN_IF_ERROR(merge_level(store));
  }
  return {};
}

// Merges the newest runs of equal level while there are enough of them.
Status EditSorter::merge_level(Store& store) {
  while (store.runs.size() >= kRunsOfMerge) {
    const std::size_t begin = store.runs.size() - kRunsOfMerge;
    if (store.runs[begin].level != store.runs.back().level) {
      break;
    }
    BLOOMERY_RETURN_IF_ERROR(merge_from(store, begin));
  }
  return {};
}

// Replaces the runs from `begin` on by one.
Status EditSorter::merge_from(Store& store, std::size_t begin) {
  const auto runs = std::span(store.runs).subspan(begin);
  std::vector<StoreFilePointer> files;
  Run merged{.first_log = std::ranges::min(runs, {}, &Run::first_log).first_log,
             .last_log = runs.back().last_log,
             .level = runs.front().level + 1};
  for (const Run& run : runs) {
    BLOOMERY_ASSIGN_OR_RETURN(auto file, open_logged(run.file, {}));
    files.push_back(std::make_shared<StoreFile>(store_file_of(std::move(file))));
    merged.has_tags = merged.has_tags || run.has_tags;
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto bytes, new_run_on_disk());
  const std::string path = path_of(merged.first_log, merged.last_log);
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t cells, merge_files(files, path, merged.has_tags, *bytes));
  merged.file = {.path = path, .cells = cells, .bytes = std::move(bytes)};
  store.runs.resize(begin);
  store.runs.push_back(std::move(merged));
  return {};
}

// Makes of each log's edits a run in memory.
Status EditSorter::finish_in_memory(Store& store) {
  sort(store.edits);
  std::ranges::stable_sort(store.edits, {}, &Edit::log);
  for (std::span<const Edit* const> left = store.edits; !left.empty();) {
    const auto end = std::ranges::find_if(left, [&](const Edit* e) { return e->log != left.front()->log; });
    const auto edits = left.first(static_cast<std::size_t>(end - left.begin()));
    left = left.subspan(edits.size());
    std::size_t size = kFileBytes;
    for (const Edit* const edit : edits) {
      size += text_bytes(edit->cell) + kFileBytesOfEdit;
    }
    BLOOMERY_ASSIGN_OR_RETURN(Run run, write(edits, std::make_shared<MemoryRun>(size)));
    store.runs.push_back(std::move(run));
  }
  return {};
}

Status EditSorter::finish() {
  if (spool_ != nullptr) {
    BLOOMERY_RETURN_IF_ERROR(spill());
  }
  for (Store& store : stores_) {
    BLOOMERY_RETURN_IF_ERROR(spool_ == nullptr       ? finish_in_memory(store)
                             : store.runs.size() > 1 ? merge_from(store, 0)
                                                     : Status());
  }
  return {};
}

std::vector<LoggedFile> EditSorter::files(std::size_t store) {
  std::vector<LoggedFile> files;
  for (Run& run : stores_[store].runs) {
    files.push_back(std::move(run.file));
  }
  return files;
}

}  // namespace bloomery::table
