#include "store/table_split.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/byte_text.h"
#include "base/message.h"
#include "bloomery/table/split_keys.h"
#include "store/table_changes.h"
#include "store/table_copies.h"
#include "table/layout/disk_calls.h"
#include "table/layout/file_list.h"
#include "table/layout/hbase_messages_writer.h"
#include "table/layout/table_directory.h"

namespace bloomery::store {
namespace {

// Returns the borders of the regions and the new ones.
Result<SplitKeys> borders_of(const StoreTableState& table, std::span<const std::string> rows) {
  std::vector<std::string> all(rows.begin(), rows.end());
  for (const auto& region : table.regions) {
    if (!region->info().start.empty()) {
      all.push_back(region->info().start);
    }
  }
  std::ranges::sort(all);
  const auto twice = std::ranges::adjacent_find(all);
  if (rows.empty() || twice != all.end()) {
    return Error::invalid_argument(
        "rows", rows.empty() ? "expected a row to split at, found none"
                             : message("expected rows at which no region begins, each once, found '",
                                       escape_bytes(twice->substr(0, 140)), "'"));
  }
  SplitKeys borders;
  for (const std::string& row : all) {
    if (const Status appended = borders.append(row); !appended) {
      return Error::invalid_argument("row", appended.error().detail());
    }
  }
  return borders;
}

// Fills the new regions from the old ones' files.
class SplitFiles {
 public:
  SplitFiles(StoreState& state, const StoreTableState& table, const SplitKeys& borders)
      : state_(state), table_(table), schema_(*table.schema.load()), borders_(borders) {}

  // Adds the files that were not there when it was called before.
  Status fill(std::size_t region, const std::string& directory) {
    directories_[region] = directory;
    const std::string start(region == 0 ? std::string_view() : borders_.start_of(region));
    const bool is_last = region + 1 == borders_.region_count();
    const std::string end(is_last ? std::string_view() : borders_.start_of(region + 1));
    for (const RegionFamily& family : table_.region_of(start).families()) {
      std::vector<table::StoreFilePointer> added;
      for (const table::StoreFilePointer& file : family.files->files) {
        if (!file->is_empty() && has_rows(*file, start, end) && done_.emplace(region, file.get()).second) {
          added.push_back(file);
        }
      }
      if (!added.empty()) {
        BLOOMERY_RETURN_IF_ERROR(add(added, family.name, directory + "/" + family.name, start, end));
      }
    }
    return {};
  }
  Status fill_again() {
    for (const auto& [region, directory] : directories_) {
      BLOOMERY_RETURN_IF_ERROR(fill(region, directory));
    }
    return {};
  }

 private:
  static bool is_within(const table::StoreFile& file, const std::string& start, const std::string& end) {
    return file.rows && file.rows->first >= start && (end.empty() || file.rows->second < end);
  }
  static bool has_rows(const table::StoreFile& file, const std::string& start, const std::string& end) {
    return !file.rows || (file.rows->second >= start && (end.empty() || file.rows->first < end));
  }

  Status add(const std::vector<table::StoreFilePointer>& added, const std::string& family,
             const std::string& directory, const std::string& start, const std::string& end) {
    FileSystem& files = state_.files().file_system();
    const std::int64_t now = state_.environment().clock->now_ms();
    BLOOMERY_ASSIGN_OR_RETURN(auto list, table::FileList::open(files, directory, now));
    std::vector<table::TrackedFile> tracked = list.tracked();
    for (const table::StoreFilePointer& file : added) {
      const bool is_linked = is_within(*file, start, end);
      const std::string name = is_linked ? file->name : state_.files().new_name();
      const std::string target = message(directory, "/", name);
      BLOOMERY_RETURN_IF_ERROR(is_linked ? table::link_or_copy(files, file->path(), target, false)
                                         : write_rows(files, file, *schema_.find(family),
                                                      {.path = target,
                                                       .sequence = file->sequence_id,
                                                       .now_ms = now,
                                                       .start = start,
                                                       .end = end}));
      BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(target));
      tracked.push_back({.name = name, .size_bytes = facts.size_bytes});
    }
    BLOOMERY_RETURN_IF_ERROR(table::sync_directory(files, directory));
    return list.update(std::move(tracked), now);
  }

  StoreState& state_;
  const StoreTableState& table_;
  TableSchema schema_;
  const SplitKeys& borders_;
  std::map<std::size_t, std::string> directories_;
  std::set<std::pair<std::size_t, const table::StoreFile*>> done_;
};

// Of change_tables(): writes what is in memory, and gives the new table the old one's place.
Status publish_split(StoreState& state, const StoreTableState& table, SplitFiles& split,
                     const table::TableName& name, const std::string& mark, std::uint64_t sequence) {
  for (const auto& region : table.regions) {
    BLOOMERY_RETURN_IF_ERROR(state.write_memory(*region, sequence));
  }
  BLOOMERY_RETURN_IF_ERROR(split.fill_again());
  const std::string descriptor = table::write_table_schema_file(*table.schema.load());
  BLOOMERY_RETURN_IF_ERROR(state.files().add_descriptor(name, descriptor));
  BLOOMERY_RETURN_IF_ERROR(
      table::replace_by_copy(state.files().file_system(), state.files().root(), name, mark));
  for (const auto& region : table.regions) {
    state.drop(*region);
  }
  return open_instead(state, name);
}

}  // namespace

Status split_table(StoreState& state, std::string_view text, std::span<const std::string> rows) {
  BLOOMERY_RETURN_IF_ERROR(state.health());
  BLOOMERY_ASSIGN_OR_RETURN(const table::TableName name, table::TableName::parse(text));
  const auto table = state.table(name.text());
  if (table == nullptr) {
    return no_table(state, text);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const SplitKeys borders, borders_of(*table, rows));
  return state.flush(table->regions, [&]() -> Status {
    if (table->regions.front()->is_dropped) {
      return no_table(state, text);
    }
    FileSystem& files = state.files().file_system();
    const std::string& root = state.files().root();
    const std::string mark = state.files().new_name();
    SplitFiles split(state, *table, borders);
    BLOOMERY_RETURN_IF_ERROR(table::stage_copy(
        files, root, *table->schema.load(), borders, state.new_region_id(name, borders), mark,
        [&](std::size_t region, const std::string& directory) { return split.fill(region, directory); }));
    const Status published = state.change_tables_alone(
        [&](std::uint64_t sequence) { return publish_split(state, *table, split, name, mark, sequence); });
    if (!published) {
      table::drop_copy(files, root, name, mark);
    }
    return published;
  });
}

}  // namespace bloomery::store
