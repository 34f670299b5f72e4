#include "store/repair.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/byte_text.h"
#include "base/message.h"
#include "bloomery/table/table_options.h"
#include "store/flush.h"
#include "store/recovery.h"
#include "store/store_check.h"
#include "store/store_files.h"
#include "table/layout/disk_calls.h"
#include "table/layout/family_write_options.h"
#include "table/layout/file_list.h"
#include "table/layout/hbase_messages.h"
#include "table/layout/store_file_name.h"
#include "table/layout/table_descriptor.h"
#include "table/layout/table_directory.h"
#include "table/layout/table_layout.h"
#include "table/layout/tracker_list.h"
#include "table/read/store_merge.h"
#include "wal/log_damage.h"

namespace bloomery::store {
namespace {

using CellUse = std::function<Status(const Cell&)>;

constexpr const char* kSeenAgain = "; what was deleted there may be seen again";

std::string rows_text(const table::RowGap& gap) {
  if (gap.is_of_whole_file) {
    return message("cells of any row of this file may be lost", kSeenAgain);
  }
  return message("cells of the rows from ", gap.first.empty() ? "the first one" : escape_bytes(gap.first),
                 gap.end.empty() ? " on" : message(" to before ", escape_bytes(gap.end)), " may be lost",
                 kSeenAgain);
}

// Reads the cells that can be read, and returns the rows that may lack some.
Result<std::vector<table::RowGap>> read_past_damage(const table::StoreFilePointer& file, const CellUse& use) {
  std::vector<table::RowGap> gaps;
  table::DamageWatch watch;
  for (std::string from;;) {
    table::StoreMerge cells({file}, false, &watch);
    Status read = cells.start({.row = from});
    while (read && !cells.is_at_end()) {
      if (!cells.is_at_gap()) {
        watch.row = cells.cell().key.row;
        BLOOMERY_RETURN_IF_ERROR(use(cells.cell()));
      }
      read = cells.next();
    }
    if (read) {
      return gaps;
    }
    if (!watch.reached) {
      return read.error();
    }
    gaps.push_back(*std::exchange(watch.reached, std::nullopt));
    const std::string& next = gaps.back().end;
    if (next.empty() || next <= from) {
      return gaps;
    }
    from = next;
  }
}

class Repair {
 public:
  Repair(const Environment& environment, const std::string& root, const StoreOptions& options, bool writes)
      : environment_(environment),
        disk_(*environment.files),
        root_(root),
        options_(options),
        writes_(writes) {}

  Result<RepairReport> run() {
    BLOOMERY_ASSIGN_OR_RETURN(bool has_whole_logs, repair_files());
    if (!has_whole_logs) {
      BLOOMERY_RETURN_IF_ERROR(name_damage_of_logs());
    }
    const bool needs_help =
        std::ranges::any_of(report_.notes, [](const RepairNote& note) { return !note.remedy.empty(); });
    if (writes_ && !report_.is_whole() && !needs_help) {
      BLOOMERY_RETURN_IF_ERROR(open_and_close(!has_whole_logs));
    }
    return std::move(report_);
  }

 private:
  RepairNote& note(const std::string& path, const Error& damage) {
    report_.notes.push_back({.path = path, .damage = damage});
    return report_.notes.back();
  }

  // Repairs all but the logs, and returns whether these are whole.
  Result<bool> repair_files() {
    auto opened = StoreFiles::open(disk_, root_, environment_.seed);
    BLOOMERY_ASSIGN_OR_RETURN(const bool was_store, table::exists_in(disk_, root_ + "/.bloomery/LOCK"));
    const bool is_damaged = !opened && (opened.error().code() == ErrorCode::kCorruption ||
                                        (opened.error().code() == ErrorCode::kInvalidArgument && was_store));
    if (is_damaged) {
      note(root_ + "/.bloomery/STORE", opened.error()).losses = {
          "nothing vouches for the descriptors of the tables"};
      if (writes_) {
        BLOOMERY_RETURN_IF_ERROR(keep_original(root_ + "/.bloomery/STORE"));
      }
      opened = StoreFiles::open_anew(disk_, root_, environment_.clock->now_ms(), environment_.seed, writes_);
    }
    if (!opened) {
      return opened.error();
    }
    files_ = &*opened;
    if (writes_) {
      BLOOMERY_RETURN_IF_ERROR(table::finish_interrupted(disk_, root_));
    }
    BLOOMERY_ASSIGN_OR_RETURN(const auto names, files_->directory().tables());
    for (const std::string& text : names) {
      BLOOMERY_ASSIGN_OR_RETURN(const table::TableName name, table::TableName::parse(text));
      BLOOMERY_RETURN_IF_ERROR(repair_table(name));
    }
    logs_ = files_->logs();
    mark_ = files_->mark();
    const auto checked = check_logs(*files_, options_.memory);
    files_ = nullptr;
    if (!checked && checked.error().code() != ErrorCode::kCorruption) {
      return checked.error();
    }
    log_faults_ = checked ? checked->faults : std::vector<Error>{checked.error()};
    return log_faults_.empty();
  }

  Status repair_table(const table::TableName& name) {
    const std::string directory = files_->directory().table(name);
    Status descriptor = files_->check_descriptor(name);
    auto schema = table::read_descriptor(disk_, directory);
    if (descriptor && !schema) {
      descriptor = schema.error();
    }
    if (!descriptor) {
      if (descriptor.error().code() != ErrorCode::kCorruption) {
        return descriptor;
      }
      note(directory + "/.tabledesc", descriptor.error()).remedy =
          "put the descriptor back, for example from a snapshot of the table in .hbase-snapshot, and repair "
          "again";
      return {};
    }
    TableOptions options{.reads_logs = false};
    options.files = &disk_;
    const auto layout = table::layout_of_table(files_->directory(), name, options);
    BLOOMERY_ASSIGN_OR_RETURN(const auto regions, table::list_if_there(disk_, directory));
    const std::size_t notes = report_.notes.size();
    for (const DirectoryEntry& region : regions) {
      if (!region.is_directory || region.name.starts_with('.')) {
        continue;
      }
      for (const FamilySchema& family : schema->families) {
        const std::string path = message(directory, "/", region.name, "/", family.name);
        BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, table::exists_in(disk_, path));
        if (is_there) {
          BLOOMERY_RETURN_IF_ERROR(repair_family(path, family));
        }
      }
    }
    if (!layout && layout.error().code() == ErrorCode::kCorruption && notes == report_.notes.size()) {
      note(directory, layout.error()).remedy =
          "put the .regioninfo of each region back, for example from a snapshot of the table in "
          ".hbase-snapshot, and repair again";
    }
    return {};
  }

  Status repair_family(const std::string& directory, const FamilySchema& family) {
    BLOOMERY_ASSIGN_OR_RETURN(auto tracked, tracked_files(directory));
    bool is_changed = tracked.second;
    std::vector<table::TrackedFile> kept;
    std::vector<std::string> replaced;
    for (table::TrackedFile& file : tracked.first) {
      BLOOMERY_ASSIGN_OR_RETURN(const std::optional<std::string> name,
                                repair_file(directory, file.name, family));
      if (name != file.name) {
        is_changed = true;
        replaced.push_back(file.name);
      }
      if (name) {
        if (name != file.name && writes_) {
          BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, disk_.facts(directory + "/" + *name));
          file = {.name = *name, .size_bytes = facts.size_bytes};
        }
        kept.push_back(std::move(file));
      }
    }
    if (!is_changed || !writes_) {
      return {};
    }
    BLOOMERY_RETURN_IF_ERROR(table::sync_directory(disk_, directory));
    const std::int64_t now = environment_.clock->now_ms();
    BLOOMERY_ASSIGN_OR_RETURN(auto list, table::FileList::open(disk_, directory, now));
    BLOOMERY_RETURN_IF_ERROR(list.update(std::move(kept), now));
    for (const std::string& name : replaced) {
      BLOOMERY_RETURN_IF_ERROR(table::remove_if_there(disk_, message(directory, "/", name)));
    }
    return {};
  }

  // Returns the files of the list, and whether it must be written anew. If one is damaged, those are all
  // files of the directory, and what another list names.
  Result<std::pair<std::vector<table::TrackedFile>, bool>> tracked_files(const std::string& directory) {
    const std::string folder = directory + "/.filelist";
    BLOOMERY_ASSIGN_OR_RETURN(const auto entries, table::list_if_there(disk_, folder));
    std::optional<table::TrackedFiles> newest;
    bool is_damaged = false;
    std::vector<std::string> lists;  // whole ones first
    for (const DirectoryEntry& entry : entries) {
      if (!entry.name.starts_with("f1") && !entry.name.starts_with("f2")) {
        continue;
      }
      const std::string path = folder + "/" + entry.name;
      BLOOMERY_ASSIGN_OR_RETURN(const std::string bytes, table::read_small_file(disk_, path));
      auto list = table::parse_tracker_list(bytes);
      if (list && *list) {
        newest = !newest || (*list)->timestamp > newest->timestamp ? **list : *newest;
        lists.insert(lists.begin(), path);
        continue;
      }
      is_damaged = true;
      lists.push_back(path);
      note(path, list ? Error::corruption(path, 0, "a complete list", "a shorter one")
                      : list.error().in_file(path));
    }
    if (newest && !is_damaged) {
      return std::pair(std::move(newest->files), false);
    }
    // The damaged list leaves last: without it, a repair that is run again would believe the other one.
    for (const std::string& path : writes_ ? lists : std::vector<std::string>()) {
      BLOOMERY_RETURN_IF_ERROR(keep_original(path));
      BLOOMERY_RETURN_IF_ERROR(disk_.remove(path));
      BLOOMERY_RETURN_IF_ERROR(disk_.sync_directory_of(path));
    }
    // The other list may be older than files that are there, and the next open removes unlisted files.
    std::vector<std::string> compacted;
    BLOOMERY_ASSIGN_OR_RETURN(auto found, files_of(directory, compacted));
    for (const table::TrackedFile& file : newest ? newest->files : std::vector<table::TrackedFile>()) {
      if (std::ranges::find(found, file.name, &table::TrackedFile::name) == found.end() &&
          std::ranges::find(compacted, file.name) == compacted.end()) {
        found.push_back(file);
      }
    }
    if (found.empty()) {
      return std::pair(std::move(found), is_damaged);
    }
    if (!is_damaged) {
      note(folder, Error::corruption(folder, 0, "a list of the family's files", "none"));
    }
    report_.notes.back().losses = {
        "the files of the directory are listed: if one of them was compacted, deleted cells are seen again"};
    return std::pair(std::move(found), true);
  }

  // The files of a directory by their sequence ids, and the names of those that were compacted into them.
  Result<std::vector<table::TrackedFile>> files_of(const std::string& directory,
                                                   std::vector<std::string>& compacted) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto entries, disk_.list(directory));
    std::vector<std::pair<std::int64_t, table::TrackedFile>> found;
    for (const DirectoryEntry& entry : entries) {
      if (entry.is_directory || !table::parse_store_file_name(entry.name)) {
        continue;
      }
      const auto opened = open_file(directory, entry.name);
      const auto event = opened ? (*opened)->file->info().find("COMPACTION_EVENT_KEY") : std::nullopt;
      if (const auto names = table::parse_compaction_event(event.value_or(""), 0); event && names) {
        compacted.insert(compacted.end(), names->begin(), names->end());
      }
      BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, disk_.facts(directory + "/" + entry.name));
      found.push_back(
          {opened ? (*opened)->sequence_id : -1, {.name = entry.name, .size_bytes = facts.size_bytes}});
    }
    std::ranges::sort(found, {}, [](const auto& each) { return std::pair(each.first, each.second.name); });
    std::vector<table::TrackedFile> files;
    files.reserve(found.size());
    for (auto& [sequence, file] : found) {
      files.push_back(std::move(file));
    }
    return files;
  }

  Result<table::StoreFilePointer> open_file(const std::string& directory, const std::string& name) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto store,
                              table::open_store({{.path = directory + "/" + name, .name = name}},
                                                file_options(options_), {}, disk_));
    return store->files.front();
  }

  // Returns the name of the file, or of the one that takes its place, or nothing if there is none.
  Result<std::optional<std::string>> repair_file(const std::string& directory, const std::string& name,
                                                 const FamilySchema& family) {
    const std::string path = directory + "/" + name;
    const auto opened = open_file(directory, name);
    if (!opened) {
      const ErrorCode code = opened.error().code();
      if (code == ErrorCode::kIo || code == ErrorCode::kCapacity) {
        return opened.error();
      }
      note(path, opened.error()).losses = {
          message("all of its cells are lost, of any row of the region", kSeenAgain)};
      if (writes_) {
        BLOOMERY_RETURN_IF_ERROR(keep_original(path));
      }
      return std::optional<std::string>();
    }
    BLOOMERY_ASSIGN_OR_RETURN(const auto gaps,
                              read_past_damage(*opened, [](const Cell&) { return Status(); }));
    if (gaps.empty()) {
      return std::optional(name);
    }
    for (const table::RowGap& gap : gaps) {
      note(path, gap.error).losses = {rows_text(gap)};
    }
    if (!writes_) {
      return std::optional(name);
    }
    BLOOMERY_RETURN_IF_ERROR(keep_original(path));
    BLOOMERY_ASSIGN_OR_RETURN(HFileWriteOptions write, table::write_options_of(family));
    std::string saved = files_->new_name();
    BLOOMERY_ASSIGN_OR_RETURN(HFileWriter writer,
                              begin_store_file(disk_, directory + "/" + saved, std::move(write),
                                               (*opened)->sequence_id, environment_.clock->now_ms()));
    BLOOMERY_RETURN_IF_ERROR(
        read_past_damage(*opened, [&](const Cell& cell) { return writer.append(cell); }));
    BLOOMERY_RETURN_IF_ERROR(writer.finish());
    return std::optional(std::move(saved));
  }

  // Notes what each log lacks, and the faults of logs that show no damage: one that was cut, or is gone.
  Status name_damage_of_logs() {
    std::vector<Error> unexplained = log_faults_;
    BLOOMERY_ASSIGN_OR_RETURN(const auto paths, logs_in(disk_, logs_));
    for (const std::string& path : paths) {
      BLOOMERY_ASSIGN_OR_RETURN(
          auto log, wal::LogReader::open(disk_, path, {.memory = options_.memory, .despite_header = true}));
      BLOOMERY_ASSIGN_OR_RETURN(const auto damage,
                                wal::read_past_damage(log, [](const wal::LogEntry&) { return Status(); }));
      for (const wal::LogDamage& found : damage) {
        note(path, found.error).losses = {found.begin == found.end
                                              ? message("edits before byte ", found.begin, " are lost")
                                              : message("bytes ", found.begin, " to ", found.end,
                                                        " are lost, with the edits that they had")};
      }
      if (!damage.empty()) {
        std::erase_if(unexplained, [&](const Error& fault) { return fault.subject().starts_with(path); });
      }
      if (writes_) {
        BLOOMERY_RETURN_IF_ERROR(keep_original(path));
      }
    }
    for (const Error& fault : unexplained) {
      const bool is_of_mark = fault.subject().starts_with(mark_);
      note(is_of_mark ? mark_ : logs_, fault).losses = {
          is_of_mark ? "nothing says how far the newest log was synced: it may have lost its end"
                     : "edits may be lost that no file has, of any row"};
    }
    return writes_ ? keep_original(mark_) : Status();
  }

  // Opens the store, which reads what its logs still have, writes it to files, and begins a new log.
  Status open_and_close(bool salvages_logs) {
    StoreOptions options = options_;
    options.compacts = false;
    options.flushes_at_close = true;
    Environment environment = environment_;
    environment.seed = ~environment.seed;  // of other names than those of the files that were saved
    BLOOMERY_ASSIGN_OR_RETURN(const auto state, open_store(environment, root_, options, salvages_logs));
    return state->close();
  }

  // Links a file to .bloomery/damaged, under its path of the root, with a number if that is another file.
  Status keep_original(const std::string& path) {
    const auto facts = disk_.facts(path);
    if (!facts) {
      return facts.error().code() == ErrorCode::kNotFound ? Status() : Status(facts.error());
    }
    const std::string below = ".bloomery/damaged" + path.substr(root_.size());
    BLOOMERY_RETURN_IF_ERROR(table::make_directories(disk_, root_, below.substr(0, below.rfind('/'))));
    const bool is_updated_in_place = path == mark_;
    for (int number = 1;; ++number) {
      const std::string target = message(root_, "/", below, number == 1 ? "" : message(".", number));
      const auto kept = disk_.facts(target);
      if (kept && kept->is_same_file(*facts)) {
        return {};  // by a repair that was interrupted
      }
      if (kept) {
        continue;
      }
      BLOOMERY_RETURN_IF_ERROR(table::link_or_copy(disk_, path, target, is_updated_in_place));
      return disk_.sync_directory_of(target);
    }
  }

  Environment environment_;
  FileSystem& disk_;
  std::string root_;
  StoreOptions options_;
  bool writes_;
  StoreFiles* files_ = nullptr;  // while it is locked
  std::string logs_;
  std::string mark_;
  std::vector<Error> log_faults_;
  RepairReport report_;
};

}  // namespace

Result<RepairReport> repair_store(const Environment& environment, const std::string& root,
                                  const StoreOptions& options, bool writes) {
  return Repair(environment, root, options, writes).run();
}

}  // namespace bloomery::store
