#include "store/table_copies.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <mutex>
#include <random>
#include <utility>

#include "base/message.h"
#include "bloomery/table/table.h"
#include "store/flush.h"
#include "store/table_changes.h"
#include "table/layout/disk_calls.h"
#include "table/layout/family_settings.h"
#include "table/layout/family_write_options.h"
#include "table/layout/file_list.h"
#include "table/layout/hbase_messages_writer.h"
#include "table/layout/legal_names.h"
#include "table/layout/snapshot_directory.h"
#include "table/layout/table_directory.h"
#include "table/read/store_merge.h"
#include "table/table_access.h"

namespace bloomery::store {
namespace {

constexpr std::string_view kTracker = "hbase.store.file-tracker.impl";

// Precondition: the table is flushed, and its files stay.
table::SnapshotManifest manifest_of(const StoreTableState& table) {
  table::SnapshotManifest manifest{.schema = *table.schema.load()};
  for (const auto& region : table.regions) {
    table::ManifestRegion& of_region = manifest.regions.emplace_back();
    of_region.region = region->info();
    for (const RegionFamily& family : region->families()) {
      table::ManifestFamily& of_family = of_region.families.emplace_back();
      of_family.name = family.name;
      for (const table::TrackedFile& file : family.list->tracked()) {
        of_family.files.push_back({.name = file.name, .size_bytes = file.size_bytes});
      }
    }
  }
  return manifest;
}

Error dropped_meanwhile(std::string_view table) {
  return Error(ErrorCode::kNotFound, std::string(table),
               "expected a table, found that it was dropped or truncated meanwhile");
}

// Returns the schema under a new name, and with the tracker that a store needs.
Result<TableSchema> schema_of_clone(TableSchema schema, const table::TableName& name) {
  schema.name_space = name.name_space;
  schema.name = name.name;
  schema.configuration.erase(std::string(kTracker));
  schema.settings.insert_or_assign(std::string(kTracker), "FILE");
  for (FamilySchema& family : schema.families) {
    family.settings.erase(std::string(kTracker));
    family.configuration.erase(std::string(kTracker));
    BLOOMERY_RETURN_IF_ERROR(table::read_family_settings(family, schema.settings, 0));
  }
  BLOOMERY_RETURN_IF_ERROR(schema.check());
  return schema;
}

Result<SplitKeys> splits_of(const table::TableLayout& layout) {
  SplitKeys splits;
  for (const table::RegionLayout& region : layout.regions) {
    if (!region.info.start.empty()) {
      BLOOMERY_RETURN_IF_ERROR(splits.append(region.info.start));
    }
  }
  return splits;
}

// Reads the cells of the rows from `start` on and before `end`, unless that is empty.
Status for_each_cell(const table::StoreFilePointer& file, const std::string& start, std::string_view end,
                     const std::function<Status(const Cell&)>& use) {
  table::StoreMerge cells({file}, false, nullptr);
  BLOOMERY_RETURN_IF_ERROR(cells.start({.row = start}));
  while (!cells.is_at_end() && (end.empty() || cells.cell().key.row < end)) {
    BLOOMERY_RETURN_IF_ERROR(use(cells.cell()));
    BLOOMERY_RETURN_IF_ERROR(cells.next());
  }
  return {};
}

// Makes the files of a clone.
class CloneFiles {
 public:
  CloneFiles(const StoreState& state, const TableSchema& schema, const table::TableLayout& source,
             std::uint64_t seed, bool copies)
      : state_(state),
        files_(state.files().file_system()),
        schema_(schema),
        source_(source),
        random_(seed),
        copies_(copies) {}

  Status fill(std::size_t region, const std::string& directory) {
    for (const FamilySchema& family : schema_.families) {
      BLOOMERY_RETURN_IF_ERROR(
          add_family(source_.regions[region], family, message(directory, "/", family.name)));
    }
    return {};
  }
  // The greatest sequence id of all files.
  std::uint64_t sequence() const { return sequence_; }

 private:
  std::string new_name() {
    char text[33];
    (void)std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(random_()),
                        static_cast<unsigned long long>(random_()));
    return text;
  }

  Status add_family(const table::RegionLayout& region, const FamilySchema& family,
                    const std::string& directory) {
    const auto paths = region.families.find(family.name);
    const auto logged = region.logged.find(family.name);
    const std::vector<table::StoreFilePath> none;
    const auto& listed = paths == region.families.end() ? none : paths->second;
    BLOOMERY_ASSIGN_OR_RETURN(
        const auto store,
        table::open_store(listed, file_options(state_.options()),
                          logged == region.logged.end() ? std::vector<table::LoggedFile>() : logged->second,
                          files_));
    BLOOMERY_ASSIGN_OR_RETURN(auto list, table::FileList::open(files_, directory, now()));
    std::vector<table::TrackedFile> tracked;
    for (const auto& file : store->files) {
      const auto path = std::ranges::find_if(
          listed, [&](const auto& each) { return each.path == file->path() && each.name == file->name; });
      const bool is_whole = path != listed.end() && !path->half && !path->is_recovered;
      const std::string name = is_whole ? table::parse_store_file_name(path->name)->file : new_name();
      const std::string target = message(directory, "/", name);
      BLOOMERY_RETURN_IF_ERROR(is_whole ? table::link_or_copy(files_, file->path(), target, copies_)
                                        : write_anew(file, family, target, path == listed.end()));
      note(file->sequence_id);
      BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files_.facts(target));
      tracked.push_back({.name = name, .size_bytes = facts.size_bytes});
    }
    BLOOMERY_RETURN_IF_ERROR(table::sync_directory(files_, directory));
    return list.update(std::move(tracked), now());
  }

  // Writes the cells of a half, or of edits that logs have, which are as new as their newest mvcc.
  Status write_anew(const table::StoreFilePointer& file, const FamilySchema& family, const std::string& path,
                    bool is_logged) {
    std::int64_t sequence = file->sequence_id;
    if (is_logged) {
      sequence = 0;
      BLOOMERY_RETURN_IF_ERROR(for_each_cell(file, "", "", [&](const Cell& cell) {
        return sequence = std::max(sequence, cell.mvcc), Status();
      }));
      note(sequence);
    }
    return write_rows(files_, file, family, {.path = path, .sequence = sequence, .now_ms = now()});
  }

  void note(std::int64_t sequence) {
    sequence_ = std::max(sequence_, static_cast<std::uint64_t>(std::max<std::int64_t>(sequence, 0)));
  }
  std::int64_t now() const { return state_.environment().clock->now_ms(); }

  const StoreState& state_;
  FileSystem& files_;
  const TableSchema& schema_;
  const table::TableLayout& source_;
  std::mt19937_64 random_;
  bool copies_;
  std::uint64_t sequence_ = 0;
};

struct StagedClone {
  TableSchema schema = {};
  std::string mark = {};
  std::uint64_t sequence = 0;
};

// Finds the files of the source, and reads what only its logs have.
Result<Table> open_source(const StoreState& state, const CloneSource& source, const std::string& root,
                          bool reads_logs) {
  TableOptions options{.reads_logs = reads_logs, .memory = state.options().memory};
  options.files = &state.files().file_system();
  if (source.snapshot.empty()) {
    return Table::open_table(root, source.table, options);
  }
  BLOOMERY_RETURN_IF_ERROR(table::check_snapshot_name(source.snapshot));
  return Table::open_snapshot(root, source.snapshot, options);
}

// Writes the clone to .tmp. `mark` and `seed` are new.
Result<StagedClone> stage_clone(StoreState& state, const CloneSource& source, const std::string& root,
                                const table::TableName& name, bool reads_logs, const std::string& mark,
                                std::uint64_t seed) {
  BLOOMERY_ASSIGN_OR_RETURN(const Table opened, open_source(state, source, root, reads_logs));
  const table::TableLayout& layout = table::TableAccess::layout_of(opened);
  if (source.warnings != nullptr && reads_logs) {  // else memory was flushed, and no log has more
    *source.warnings = layout.warnings;
  }
  StagedClone staged{.mark = mark};
  BLOOMERY_ASSIGN_OR_RETURN(staged.schema, schema_of_clone(layout.schema, name));
  BLOOMERY_ASSIGN_OR_RETURN(const SplitKeys splits, splits_of(layout));
  CloneFiles clone(state, staged.schema, layout, seed, source.copies);
  BLOOMERY_RETURN_IF_ERROR(table::stage_copy(
      state.files().file_system(), state.files().root(), staged.schema, splits,
      state.new_region_id(name, splits), mark,
      [&](std::size_t region, const std::string& directory) { return clone.fill(region, directory); }));
  staged.sequence = clone.sequence();
  return staged;
}

Status expect_new(const StoreState& state, const table::TableName& name) {
  return state.table(name.text()) == nullptr
             ? Status()
             : Status(Error::invalid_argument(name.text(), "expected a new table, found one")
                          .with_errno(EEXIST));
}

// Of change_tables().
Status publish_clone(StoreState& state, const StagedClone& staged, const table::TableName& name) {
  BLOOMERY_RETURN_IF_ERROR(expect_new(state, name));
  BLOOMERY_RETURN_IF_ERROR(make_namespace(state.files(), name.name_space));
  BLOOMERY_RETURN_IF_ERROR(state.files().add_descriptor(name, table::write_table_schema_file(staged.schema)));
  BLOOMERY_RETURN_IF_ERROR(
      table::publish_copy(state.files().file_system(), state.files().root(), name, staged.mark));
  state.raise_sequence(staged.sequence);
  return open_new(state, name);
}

// Returns true if the source is a root of this store.
Result<bool> is_own(const StoreState& state, const CloneSource& source) {
  if (source.root.empty()) {
    return true;
  }
  FileSystem& files = state.files().file_system();
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts theirs, files.facts(source.root));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts ours, files.facts(state.files().root()));
  return theirs.is_same_file(ours);
}

}  // namespace

Status write_rows(FileSystem& files, const table::StoreFilePointer& file, const FamilySchema& family,
                  const WrittenRows& rows) {
  BLOOMERY_ASSIGN_OR_RETURN(HFileWriteOptions options, table::write_options_of(family));
  BLOOMERY_ASSIGN_OR_RETURN(
      HFileWriter writer, begin_store_file(files, rows.path, std::move(options), rows.sequence, rows.now_ms));
  BLOOMERY_RETURN_IF_ERROR(
      for_each_cell(file, rows.start, rows.end, [&](const Cell& cell) { return writer.append(cell); }));
  return writer.finish();
}

Status snapshot_table(StoreState& state, std::string_view text, std::string_view name) {
  BLOOMERY_RETURN_IF_ERROR(state.check_open());
  BLOOMERY_RETURN_IF_ERROR(table::check_snapshot_name(name));
  BLOOMERY_ASSIGN_OR_RETURN(const table::TableName parsed, table::TableName::parse(text));
  const auto table = state.table(parsed.text());
  if (table == nullptr) {
    return no_table(state, text);
  }
  return state.flush(table->regions, [&]() -> Status {
    if (table->regions.front()->is_dropped) {
      return dropped_meanwhile(text);
    }
    const table::RootDirectory root = state.files().directory();
    const auto snapshot = table::Snapshot::of({.name = std::string(name),
                                               .table = parsed,
                                               .creation_time = state.environment().clock->now_ms(),
                                               .version = 2},
                                              manifest_of(*table));
    const Status written = table::write_snapshot(root, root, snapshot, false);
    if (!written && written.error().errno_value() != EEXIST) {
      (void)table::finish_interrupted_snapshots(root);  // the next open() does what this cannot
    }
    return written;
  });
}

Result<std::vector<SnapshotInfo>> list_snapshots(const table::RootDirectory& root) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto names, root.snapshots());
  std::vector<SnapshotInfo> snapshots;
  for (const std::string& name : names) {
    BLOOMERY_ASSIGN_OR_RETURN(const table::Snapshot snapshot, table::read_snapshot(root, name));
    snapshots.push_back({.name = name,
                         .table = snapshot.description.table.text(),
                         .created_ms = snapshot.description.creation_time});
  }
  return snapshots;
}

Status delete_snapshot(StoreState& state, std::string_view name) {
  const std::lock_guard lock(state.flush_mutex());
  BLOOMERY_RETURN_IF_ERROR(state.health());
  return table::drop_snapshot(state.files().directory(), std::string(name));
}

Result<std::string> clone_table(StoreState& state, const CloneSource& source, std::string_view new_name) {
  BLOOMERY_RETURN_IF_ERROR(state.health());
  BLOOMERY_ASSIGN_OR_RETURN(const table::TableName name, table::TableName::parse(new_name));
  BLOOMERY_RETURN_IF_ERROR(table::check_table_name(name));
  BLOOMERY_RETURN_IF_ERROR(expect_new(state, name));
  if (source.table.empty() == source.snapshot.empty()) {
    return Error::invalid_argument("source", "expected a table or a snapshot, found both or none");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_of_this_store, is_own(state, source));
  std::string mark;
  std::uint64_t seed = 0;
  const auto take_mark = [&] {  // has the flush mutex
    mark = state.files().new_name();
    seed = std::stoull(state.files().new_name().substr(0, 16), nullptr, 16);
  };
  Result<StagedClone> staged = StagedClone();
  Status made;
  if (is_of_this_store && !source.table.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const table::TableName of, table::TableName::parse(source.table));
    const auto table = state.table(of.text());
    if (table == nullptr) {
      return no_table(state, source.table);
    }
    made = state.flush(table->regions, [&]() -> Status {
      if (table->regions.front()->is_dropped) {
        return dropped_meanwhile(source.table);
      }
      take_mark();
      staged = stage_clone(state, source, state.files().root(), name, false, mark, seed);
      return staged ? Status() : Status(staged.error());
    });
  } else {
    {
      const std::lock_guard lock(state.flush_mutex());
      take_mark();
    }
    const std::string& root = source.root.empty() ? state.files().root() : source.root;
    staged = stage_clone(state, source, root, name, true, mark, seed);
    made = staged ? Status() : Status(staged.error());
  }
  if (!made) {
    return made.error();
  }
  const Status published =
      state.change_tables([&](std::uint64_t) { return publish_clone(state, *staged, name); });
  if (!published) {
    table::drop_copy(state.files().file_system(), state.files().root(), name, mark);
    return published.error();
  }
  return name.text();
}

}  // namespace bloomery::store
