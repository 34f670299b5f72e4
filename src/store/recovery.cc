#include "store/recovery.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/message.h"
#include "bloomery/table/table_options.h"
#include "store/flush.h"
#include "table/layout/disk_calls.h"
#include "table/layout/snapshot_directory.h"
#include "table/layout/table_directory.h"
#include "table/layout/table_layout.h"
#include "table/layout/tracker_list.h"
#include "wal/log_damage.h"
#include "wal/log_reader.h"

namespace bloomery::store {
namespace {

// Opens the tracker of a family. A new family gets its first list, so that files without a list are damage.
Result<table::FileList> open_list(FileSystem& files, const std::string& directory, std::int64_t now) {
  BLOOMERY_RETURN_IF_ERROR(check_lists(files, directory));
  BLOOMERY_ASSIGN_OR_RETURN(const auto lists, table::find_tracker_lists(files, directory + "/.filelist"));
  BLOOMERY_ASSIGN_OR_RETURN(table::FileList list, table::FileList::open(files, directory, now));
  BLOOMERY_RETURN_IF_ERROR(table::sync_directory(files, directory + "/.filelist"));
  if (!lists.name.empty()) {
    return list;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, files.list(directory));
  for (const DirectoryEntry& entry : entries) {
    if (!entry.is_directory) {
      return Error::corruption(directory + "/.filelist", 0, "a list of the family's files", "none");
    }
  }
  BLOOMERY_RETURN_IF_ERROR(list.update({}, now));
  return list;
}

std::int64_t greatest_sequence(const table::OpenStore& store) {
  std::int64_t greatest = -1;
  for (const auto& file : store.files) {
    greatest = std::max(greatest, file->sequence_id);
  }
  return greatest;
}

// Removes what an interrupted flush left in the family's directory: files that the list does not name.
Status remove_unlisted(FileSystem& files, const RegionFamily& family) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, files.list(family.directory));
  for (const DirectoryEntry& entry : entries) {
    const bool is_listed =
        std::ranges::any_of(family.files->files, [&](const auto& file) { return file->name == entry.name; });
    if (!entry.is_directory && !is_listed) {
      BLOOMERY_RETURN_IF_ERROR(files.remove(family.directory + "/" + entry.name));
    }
  }
  return {};
}

Result<RegionFamily> open_family(StoreFiles& files, const table::RegionLayout& layout,
                                 const std::string& region, const FamilySchema& schema,
                                 const StoreOptions& options, std::int64_t now) {
  RegionFamily family{.name = schema.name, .directory = region + "/" + schema.name};
  BLOOMERY_ASSIGN_OR_RETURN(family.list, open_list(files.file_system(), family.directory, now));
  const auto paths = layout.families.find(schema.name);
  BLOOMERY_ASSIGN_OR_RETURN(
      family.files,
      table::open_store(paths == layout.families.end() ? std::vector<table::StoreFilePath>() : paths->second,
                        file_options(options), {}, files.file_system()));
  family.flushed = greatest_sequence(*family.files);
  BLOOMERY_RETURN_IF_ERROR(remove_unlisted(files.file_system(), family));
  return family;
}

Result<std::shared_ptr<Region>> open_region(StoreFiles& files, const table::RegionLayout& layout,
                                            const TableSchema& schema, const std::string& table,
                                            const std::string& directory, const StoreOptions& options,
                                            std::int64_t now) {
  const std::string path = directory + "/" + layout.name;
  auto region = std::make_shared<Region>(layout.info, table, settings_of(schema, options));
  for (const FamilySchema& family : schema.families) {
    BLOOMERY_ASSIGN_OR_RETURN(auto opened, open_family(files, layout, path, family, options, now));
    region->add_family(std::move(opened));
  }
  region->publish();
  return region;
}

// Adds the edits of logs to the regions.
class Replay {
 public:
  explicit Replay(StoreState& state) : state_(state) {
    for (const auto& region : state_.regions()) {
      regions_.emplace(region->name(), region);
      for (const RegionFamily& family : region->families()) {
        note(static_cast<std::uint64_t>(std::max<std::int64_t>(family.flushed, 0)));
      }
    }
  }

  std::uint64_t sequence() const { return sequence_; }
  std::uint32_t link() const { return link_; }
  std::vector<OldLog>& logs() { return logs_; }

  // Reads a log. `next` is the link that the next log names; `mark` is that of the newest log.
  Status read(const std::string& path, std::optional<std::uint32_t> next, std::optional<wal::LogMark> mark);
  // Reads what can be read of a log.
  Status salvage(const std::string& path);

 private:
  void note(std::uint64_t sequence) { sequence_ = std::max(sequence_, sequence); }
  Status add(const wal::LogEntry& entry);
  Status check_beginning(const wal::LogReader& log) const;

  StoreState& state_;
  std::map<std::string, std::shared_ptr<Region>, std::less<>> regions_;
  std::vector<OldLog> logs_;
  std::uint64_t sequence_ = 0;
  std::uint32_t link_ = 0;
  std::vector<Cell> cells_;
};

// Adds the cells that no file has yet. Entries of regions that are gone, and markers, have none.
Status Replay::add(const wal::LogEntry& entry) {
  note(entry.sequence_id);
  const auto region = regions_.find(entry.region);
  if (entry.is_marker()) {
    return {};
  }
  if (region == regions_.end()) {
    state_.note_gone_region(entry.region);
    return {};
  }
  cells_.clear();
  for (const Cell& cell : entry.cells) {
    const RegionFamily* const family = region->second->find(cell.key.family);
    if (family != nullptr && static_cast<std::int64_t>(entry.sequence_id) > family->flushed) {
      cells_.push_back(cell);
    }
  }
  return cells_.empty() ? Status() : state_.replay(region->second, cells_, entry.sequence_id);
}

// The first log follows those that are gone; every other one follows its neighbour.
Status Replay::check_beginning(const wal::LogReader& log) const {
  if (!log.is_sealed()) {
    return Error::corruption(wal::kLogSubject, 0, "a header with a seal", "none");
  }
  if (!logs_.empty() && log.header().seal->previous != link_) {
    return Error::corruption(wal::kLogSubject, 0,
                             message("a log after the link ", link_, "; a log is missing or was cut"),
                             message("one after ", log.header().seal->previous));
  }
  return {};
}

Status Replay::read(const std::string& path, std::optional<std::uint32_t> next,
                    std::optional<wal::LogMark> mark) {
  const auto read_all = [&]() -> Status {
    wal::LogReadOptions options{.memory = state_.options().memory, .mark = std::move(mark)};
    options.ends_at_link = next;
    options.is_torn_after_mark = !next.has_value();
    BLOOMERY_ASSIGN_OR_RETURN(auto log, wal::LogReader::open(state_.files().file_system(), path, options));
    if (log.position() == 0) {  // no entry and no header yet, unless it was cut
      return next || options.mark ? Status(Error::corruption(wal::kLogSubject, 0,
                                                             "the header of a log that was synced", "less"))
                                  : Status();
    }
    BLOOMERY_RETURN_IF_ERROR(check_beginning(log));
    for (;;) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool found, log.next());
      if (!found) {
        break;
      }
      BLOOMERY_RETURN_IF_ERROR(add(log.entry()));
    }
    link_ = log.link();
    return {};
  };
  BLOOMERY_RETURN_IF_ERROR(in_file(read_all(), path));
  logs_.push_back({path, sequence_});
  return {};
}

Status Replay::salvage(const std::string& path) {
  const auto read_rest = [&]() -> Status {
    BLOOMERY_ASSIGN_OR_RETURN(
        auto log, wal::LogReader::open(state_.files().file_system(), path,
                                       {.memory = state_.options().memory, .despite_header = true}));
    BLOOMERY_RETURN_IF_ERROR(
        wal::read_past_damage(log, [&](const wal::LogEntry& entry) { return add(entry); }));
    link_ = log.link();
    return {};
  };
  BLOOMERY_RETURN_IF_ERROR(in_file(read_rest(), path));
  logs_.push_back({path, sequence_});
  return {};
}

// Returns the link that a log's header names, or nothing if the log ends inside of its header.
Result<std::optional<std::uint32_t>> previous_link(const StoreState& state, FileSystem& files,
                                                   const std::string& path) {
  auto log = wal::LogReader::open(files, path, {.memory = state.options().memory});
  if (!log) {
    return log.error().in_file(path);
  }
  if (!log->is_sealed()) {
    return std::optional<std::uint32_t>();
  }
  return std::optional(log->header().seal->previous);
}

bool is_of(const wal::LogMark& mark, const std::string& path) {
  return path.ends_with("/" + mark.log);
}

// A log that was begun and is not marked has no entry: its header is on the disk, and marked, before one
// follows. Without a whole header it is removed.
Status drop_unbegun_log(const StoreState& state, FileSystem& files, std::vector<std::string>& paths,
                        const wal::LogMark& mark) {
  if (paths.empty()) {
    return {};
  }
  const std::string& path = paths.back();
  const bool is_marked = is_of(mark, path);
  const auto previous = previous_link(state, files, path);
  if (!previous && (is_marked || previous.error().code() != ErrorCode::kCorruption)) {
    return previous.error();
  }
  if (is_marked || (previous && *previous)) {
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(files.remove(path));
  BLOOMERY_RETURN_IF_ERROR(files.sync_directory_of(path));
  paths.pop_back();
  return {};
}

// Errors: kCorruption if the log of the mark is gone, since all logs after the oldest edit are kept.
Status check_marked_log(const std::vector<std::string>& paths, const wal::LogMark& mark,
                        const std::string& directory) {
  const bool is_there =
      mark.log.empty() || std::ranges::any_of(paths, [&](const auto& path) { return is_of(mark, path); });
  return is_there ? Status()
                  : Status(Error::corruption(directory, 0, message("the log ", mark.log, " of the mark"),
                                             message(paths.size(), " others")));
}

// Writes the bytes of a file from `offset` on once more, and syncs them.
Status write_anew(FileSystem& files, const std::string& path, std::uint64_t offset) {
  constexpr std::size_t kStep = std::size_t{1} << 16;
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kUpdating));
  std::vector<std::byte> bytes(kStep);
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count, files.read_at(file, offset, bytes));
    if (count == 0) {
      return files.sync(file);
    }
    BLOOMERY_RETURN_IF_ERROR(file.write_all_at(offset, std::span(bytes).first(count)));
    offset += count;
  }
}

// Reads the logs, and checks that they are all that was written.
Status read_logs(const std::shared_ptr<StoreState>& state, const std::string& directory,
                 std::vector<std::string> paths, Replay& replay) {
  FileSystem& files = state->files().file_system();
  BLOOMERY_ASSIGN_OR_RETURN(const auto mark, wal::read_log_mark(files, state->files().mark()));
  BLOOMERY_RETURN_IF_ERROR(check_marked_log(paths, mark, directory));
  BLOOMERY_RETURN_IF_ERROR(drop_unbegun_log(*state, files, paths, mark));
  if (!paths.empty()) {
    BLOOMERY_RETURN_IF_ERROR(write_anew(files, paths.back(), is_of(mark, paths.back()) ? mark.length : 0));
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::optional<std::uint32_t> next;
    if (i + 1 < paths.size()) {
      BLOOMERY_ASSIGN_OR_RETURN(next, previous_link(*state, files, paths[i + 1]));
    }
    BLOOMERY_RETURN_IF_ERROR(
        replay.read(paths[i], next, is_of(mark, paths[i]) ? std::optional(mark) : std::nullopt));
  }
  return {};
}

Status replay_logs(const std::shared_ptr<StoreState>& state, bool salvages) {
  const std::string directory = state->files().logs();
  BLOOMERY_ASSIGN_OR_RETURN(const auto paths, logs_in(state->files().file_system(), directory));
  Replay replay(*state);
  if (salvages) {
    for (const std::string& path : paths) {
      BLOOMERY_RETURN_IF_ERROR(replay.salvage(path));
    }
  } else {
    BLOOMERY_RETURN_IF_ERROR(read_logs(state, directory, paths, replay));
  }
  BLOOMERY_ASSIGN_OR_RETURN(
      auto log, StoreLog::begin(state->environment(),
                                {.directory = directory,
                                 .server = state->files().server(),
                                 .mark = state->files().mark(),
                                 .log_bytes = state->options().log_bytes,
                                 .mark_sync = state->options().syncs_mark ? wal::MarkSync::kAtOnce
                                                                          : wal::MarkSync::kWithinASecond},
                                std::move(replay.logs()), replay.link()));
  return state->begin(replay.sequence(), std::move(log));
}

}  // namespace

Result<std::uint64_t> check_lists(FileSystem& files, const std::string& directory) {
  const std::string folder = directory + "/.filelist";
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, table::list_if_there(files, folder));
  std::uint64_t lists = 0;
  for (const DirectoryEntry& entry : entries) {
    if (entry.name.starts_with("f1") || entry.name.starts_with("f2")) {
      const std::string path = folder + "/" + entry.name;
      BLOOMERY_ASSIGN_OR_RETURN(const std::string bytes, table::read_small_file(files, path));
      BLOOMERY_ASSIGN_OR_RETURN(const auto list, in_file(table::parse_tracker_list(bytes), path));
      if (!list) {
        return Error::corruption(path, 0, "a complete list", "a shorter one");
      }
      ++lists;
    }
  }
  return lists;
}

Status reopen_families(StoreFiles& files, StoreTableState& table, const TableSchema& schema,
                       const StoreOptions& options, std::int64_t now_ms, std::uint64_t sequence) {
  TableSchema sorted = schema;
  std::ranges::sort(sorted.families, {}, &FamilySchema::name);
  for (const auto& region : table.regions) {
    const std::string path = files.directory().table(region->info().table) + "/" + region->name();
    std::vector<RegionFamily> families;
    for (const FamilySchema& family : sorted.families) {
      auto& old = region->families();
      const auto found = std::ranges::find(old, family.name, &RegionFamily::name);
      if (found != old.end()) {
        families.push_back(std::move(*found));
        continue;
      }
      BLOOMERY_ASSIGN_OR_RETURN(auto opened, open_family(files, {}, path, family, options, now_ms));
      BLOOMERY_RETURN_IF_ERROR(settle_logs(files, opened, family, options, sequence, now_ms));
      opened.files = std::move(opened.new_files);
      families.push_back(std::move(opened));
    }
    region->families() = std::move(families);
    region->set_settings(settings_of(sorted, options));
    region->publish();
  }
  table.schema = std::make_shared<const TableSchema>(std::move(sorted));
  return {};
}

Result<StoreTablePointer> open_table(StoreFiles& files, const table::TableName& name,
                                     const StoreOptions& options, std::int64_t now) {
  const table::RootDirectory root = files.directory();
  const std::string directory = root.table(name);
  BLOOMERY_RETURN_IF_ERROR(files.file_system().sync_directory_of(directory));
  BLOOMERY_RETURN_IF_ERROR(table::sync_directory(files.file_system(), directory + "/.tabledesc"));
  BLOOMERY_RETURN_IF_ERROR(files.check_descriptor(name));
  TableOptions table_options{.reads_logs = false};
  table_options.files = &files.file_system();
  BLOOMERY_ASSIGN_OR_RETURN(table::TableLayout layout, table::layout_of_table(root, name, table_options));
  auto table = std::make_shared<StoreTableState>();
  std::ranges::sort(layout.schema.families, {}, &FamilySchema::name);
  table->schema = std::make_shared<const TableSchema>(layout.schema);
  for (const table::RegionLayout& region : layout.regions) {
    BLOOMERY_ASSIGN_OR_RETURN(
        auto opened, open_region(files, region, layout.schema, name.text(), directory, options, now));
    table->regions.push_back(std::move(opened));
  }
  return table;
}

Result<std::shared_ptr<StoreState>> make_store(const Environment& environment, const std::string& root,
                                               const StoreOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(
      StoreFiles::create(*environment.files, root, environment.clock->now_ms(), environment.seed));
  return open_store(environment, root, options);
}

Result<std::shared_ptr<StoreState>> open_store(const Environment& environment, const std::string& root,
                                               const StoreOptions& options, bool salvages_logs) {
  BLOOMERY_ASSIGN_OR_RETURN(StoreFiles opened, StoreFiles::open(*environment.files, root, environment.seed));
  auto state = std::make_shared<StoreState>(environment, options, std::move(opened));
  BLOOMERY_RETURN_IF_ERROR(table::finish_interrupted(*environment.files, root));
  const Status finished = table::finish_interrupted_snapshots(state->files().directory());
  if (!finished && finished.error().code() == ErrorCode::kIo) {
    return finished.error();  // others are of a snapshot: tables are served, and the archive is as it was
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto names, state->files().directory().tables());
  for (const std::string& text : names) {
    BLOOMERY_ASSIGN_OR_RETURN(const table::TableName name, table::TableName::parse(text));
    BLOOMERY_ASSIGN_OR_RETURN(auto table,
                              open_table(state->files(), name, options, environment.clock->now_ms()));
    state->add_table(text, std::move(table));
  }
  BLOOMERY_RETURN_IF_ERROR(replay_logs(state, salvages_logs));
  return state;
}

}  // namespace bloomery::store
