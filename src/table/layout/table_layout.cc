#include "table/layout/table_layout.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "base/byte_text.h"
#include "base/file.h"
#include "base/message.h"
#include "hfile/recognition.h"
#include "table/layout/disk_calls.h"
#include "table/layout/region_order.h"
#include "table/layout/snapshot_directory.h"
#include "table/layout/store_listing.h"
#include "table/layout/table_descriptor.h"
#include "table/logs/root_logs.h"
#include "table/store_files.h"

namespace bloomery::table {
namespace {

namespace fs = std::filesystem;

// Turns faults between regions into warnings if the options accept them, into entries of layout.faults if the
// options list faults, and otherwise into an error.
Status take_faults(const std::vector<std::string>& faults, const std::string& path,
                   const TableOptions& options, TableLayout& layout) {
  if (faults.empty()) {
    return {};
  }
  if (options.lists_faults && !options.accepts_region_faults) {
    for (const std::string& fault : faults) {
      layout.faults.emplace_back(ErrorCode::kCorruption, path, fault);
    }
    return {};
  }
  if (!options.accepts_region_faults) {
    return Error(
        ErrorCode::kCorruption, path,
        message("expected regions that meet without holes and overlaps, found a fault: ", faults.front(),
                faults.size() > 1 ? message(" (and ", faults.size() - 1, " more)") : std::string()));
  }
  layout.warnings.insert(layout.warnings.end(), faults.begin(), faults.end());
  return {};
}

// Returns the list for faults of single files, or null if the first fault is an error.
std::vector<Error>* file_faults(const TableOptions& options, TableLayout& layout) {
  return options.lists_faults ? &layout.faults : nullptr;
}

bool is_region_name(std::string_view name) {
  return is_hex(name) && name.size() == 32;
}

struct FoundRegions {
  std::vector<RegionInfo> infos = {};
  std::vector<std::string> names = {};
  std::vector<bool> has_sequence = {};  // a .seqid

  std::size_t size() const { return infos.size(); }
  void take(FoundRegions& from, std::size_t i) {
    infos.push_back(std::move(from.infos[i]));
    names.push_back(std::move(from.names[i]));
    has_sequence.push_back(from.has_sequence[i]);
  }
};

// HBase makes the directory of a region, its .regioninfo, its files, and then its .seqid. Only then it
// counts. Until then the parents of a split or merge have every edit, since they were closed before.
std::string left_out_text(const std::string& region) {
  return message("region ", region, " was left out: what HBase did to make it was interrupted");
}

// Returns true if the .regioninfo is not written yet.
bool lacks_region_info(FileSystem& files, const std::string& region) {
  const Result<FileFacts> facts = files.facts(region + "/.regioninfo");
  return facts ? facts->size_bytes == 0 : facts.error().code() == ErrorCode::kNotFound;
}

// Reads the .regioninfo of the region with this encoded name.
Result<RegionInfo> read_region(FileSystem& files, const std::string& table, const TableName& name,
                               const std::string& region) {
  const std::string path = message(table, "/", region, "/.regioninfo");
  BLOOMERY_ASSIGN_OR_RETURN(const std::string bytes, read_small_file(files, path, std::uint64_t{1} << 20));
  BLOOMERY_ASSIGN_OR_RETURN(RegionInfo info, in_file(parse_region_info_file(bytes), path));
  if (info.table != name || info.encoded_name() != region) {
    return Error::corruption(path, 0, message("a region of table ", name.text(), " named ", region),
                             message("one of table ", info.table.text(), " named ", info.encoded_name()));
  }
  return info;
}

// Finds the regions of the table. Faults of single regions are added to `faults`, unless that is null.
Result<FoundRegions> find_regions(FileSystem& files, const std::string& table, const TableName& name,
                                  std::vector<Error>* faults, std::vector<std::string>& warnings) {
  FoundRegions found;
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, files.list(table));
  for (const DirectoryEntry& entry : entries) {
    if (!entry.is_directory || !is_region_name(entry.name)) {
      continue;
    }
    const std::string path = message(table, "/", entry.name);
    BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t settled, settled_sequence(files, path));
    if (settled == 0 && lacks_region_info(files, path)) {
      warnings.push_back(left_out_text(entry.name));
      continue;
    }
    Result<RegionInfo> info = read_region(files, table, name, entry.name);
    if (info) {
      found.infos.push_back(std::move(info.value()));
      found.names.push_back(entry.name);
      found.has_sequence.push_back(settled > 0);
    } else if (faults != nullptr && is_table_fault(info.error())) {
      faults->push_back(info.error());
    } else {
      return info.error();
    }
  }
  return found;
}

// Returns true for a region without a .seqid that was made of the other one.
bool is_unfinished_part(const FoundRegions& found, std::size_t child, std::size_t parent) {
  return !found.has_sequence[child] && found.has_sequence[parent] &&
         found.infos[parent].id < found.infos[child].id &&
         share_rows(found.infos[parent], found.infos[child]);
}

// Removes regions that an interrupted split or merge had not finished, and the other daughter of the split.
FoundRegions without_unfinished(FoundRegions found, std::vector<std::string>& warnings) {
  std::vector<bool> is_left_out(found.size());
  for (std::size_t child = 0; child < found.size(); ++child) {
    for (std::size_t parent = 0; parent < found.size() && !found.has_sequence[child]; ++parent) {
      for (std::size_t i = 0; i < found.size() && is_unfinished_part(found, child, parent); ++i) {
        const bool is_made_at_once = found.infos[i].id == found.infos[child].id;
        is_left_out[i] =
            is_left_out[i] || (is_made_at_once && share_rows(found.infos[parent], found.infos[i]));
      }
    }
  }
  FoundRegions kept;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (is_left_out[i]) {
      warnings.push_back(left_out_text(found.names[i]));
    } else {
      kept.take(found, i);
    }
  }
  return kept;
}

// Adds the files that log splitting made of a family's edits (hbase.wal.split.to.hfile). HBase moves them
// into the family's directory when it opens the region, and removes empty ones. If logs are left out, these
// files are left out, too.
Status add_recovered_files(FileSystem& from, const std::string& folder, const TableOptions& options,
                           std::vector<StoreFilePath>& files, std::vector<std::string>& warnings) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, list_if_there(from, folder));
  for (const DirectoryEntry& entry : entries) {
    if (entry.is_directory || entry.size == 0 || entry.name.starts_with('.')) {
      continue;
    }
    if (!options.reads_logs) {
      warnings.push_back(message(folder, " has files that are not in the answer"));
      return {};
    }
    files.push_back({.path = message(folder, "/", entry.name), .name = entry.name, .is_recovered = true});
  }
  return {};
}

void warn_of_unknown_families(FileSystem& files, const std::string& region, const TableSchema& schema,
                              std::vector<std::string>& warnings) {
  const auto entries = files.list(region);
  for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>()) {
    if (entry.is_directory && !entry.name.starts_with('.') && !entry.name.starts_with('_') &&
        entry.name != "recovered.edits" && schema.find(entry.name) == nullptr) {
      warnings.push_back(message(region, "/", entry.name, " is of no family of the table and was left out"));
    }
  }
}

RegionInfo whole_region(const TableName& name) {
  return {.table = name};
}

FamilySchema default_family(std::string name) {
  FamilySchema family;
  family.name = std::move(name);
  return family;
}

// Sets the schema of a layout without a descriptor: that of the options, or HBase's defaults for the
// families.
Status set_schema(TableLayout& layout, const TableOptions& options) {
  const RegionLayout& region = layout.regions.front();
  if (options.schema) {
    layout.schema = *options.schema;
    for (const auto& [family, files] : region.families) {
      if (layout.schema.find(family) == nullptr) {
        return Error::invalid_argument(files.front().path, message("expected a family of the schema, found '",
                                                                   escape_bytes(family), "'"));
      }
    }
    return {};
  }
  for (const auto& [family, files] : region.families) {
    layout.schema.families.push_back(default_family(family));
  }
  layout.warnings.emplace_back(
      "there is no table descriptor: all families have HBase's default settings, of one version and no TTL");
  return {};
}

Status add_file(RegionLayout& region, const std::string& family, const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  const auto parsed = parse_store_file_name(name);
  StoreFilePath file{.path = path, .name = name};
  if (parsed && !parsed->link && !parsed->referred_region) {
    file.sequence_id = parsed->sequence_id;
  }
  region.families[family].push_back(std::move(file));
  return {};
}

Result<TableLayout> layout_of_bulk_load(const std::string& path, const TableOptions& options) {
  FileSystem& disk = FileSystem::or_real(options.files);
  TableLayout layout;
  RegionLayout& region = layout.regions.emplace_back(RegionLayout{.info = whole_region({})});
  BLOOMERY_ASSIGN_OR_RETURN(const auto families, disk.list(path));
  for (const DirectoryEntry& family : families) {
    if (!family.is_directory || family.name.starts_with('.') || family.name.starts_with('_')) {
      continue;
    }
    const std::string folder = message(path, "/", family.name);
    BLOOMERY_ASSIGN_OR_RETURN(const auto files, disk.list(folder));
    for (const DirectoryEntry& file : files) {
      const std::string name = message(folder, "/", file.name);
      if (file.is_directory || file.name.starts_with('_') || file.name.starts_with('.')) {
        continue;
      }
      BLOOMERY_ASSIGN_OR_RETURN(const bool is_hfile, hfile::looks_like_hfile(name, disk));
      if (file.size == 0 && options.lists_faults) {
        layout.faults.push_back(emptied_file(name));
      } else if (is_hfile) {
        BLOOMERY_RETURN_IF_ERROR(add_file(region, family.name, name));
      } else {
        layout.warnings.push_back(message(name, " is no HFile and was left out"));
      }
    }
  }
  if (region.families.empty()) {
    return Error::invalid_argument(
        path,
        "expected the directory of a table, of a snapshot or of a bulk load (FAMILY/FILE), found no "
        ".tabledesc, no .snapshotinfo and no HFiles");
  }
  BLOOMERY_RETURN_IF_ERROR(in_file(set_schema(layout, options), path));
  return layout;
}

Result<std::string> family_of(const std::string& path, const TableOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto file,
                            hfile::open_hfile(path, {.files = options.files}, options.memory));
  if (file->index().root.entries.empty()) {
    return std::string();
  }
  const auto last = parse_flat_key(file->info().find("hfile.LASTKEY").value_or(std::string_view()));
  if (!last) {
    return Error::corruption(path, file->trailer().offset, "a key in hfile.LASTKEY", "other bytes");
  }
  return std::string(last->family);
}

// Symbolic links are followed on the machine's own file system only.
fs::path absolute_path(const std::string& path, const TableOptions& options) {
  std::error_code error;
  return options.files != nullptr ? fs::path(path).lexically_normal()
                                  : fs::weakly_canonical(fs::absolute(path, error), error);
}

bool is_missing(const Result<FileFacts>& facts) {
  return !facts && (facts.error().code() == ErrorCode::kNotFound || facts.error().errno_value() == ENOTDIR);
}

}  // namespace

Result<TableLayout> layout_of_table(const RootDirectory& root, const TableName& table,
                                    const TableOptions& options) {
  const std::string path = root.table(table);
  if (table == TableName{"hbase", "meta"}) {
    return Error::unsupported(
        path, 0,
        "expected a table with rows in the order of their bytes, found hbase:meta, whose "
        "rows have an order of their own (`bloomery hfile` reads its files)");
  }
  TableLayout layout{.name = table, .root = root};
  if (options.schema) {
    layout.schema = *options.schema;
  } else {
    BLOOMERY_ASSIGN_OR_RETURN(layout.schema, read_descriptor(root.files(), path));
  }
  BLOOMERY_RETURN_IF_ERROR(append_server_logs(root, layout.log_paths));
  BLOOMERY_ASSIGN_OR_RETURN(FoundRegions all, find_regions(root.files(), path, table,
                                                           file_faults(options, layout), layout.warnings));
  const FoundRegions found = without_unfinished(std::move(all), layout.warnings);
  const RegionOrder order = order_regions(found.infos);
  BLOOMERY_RETURN_IF_ERROR(take_faults(order.faults, path, options, layout));
  for (const std::size_t i : order.living) {
    RegionLayout& region =
        layout.regions.emplace_back(RegionLayout{.info = found.infos[i], .name = found.names[i]});
    const std::string folder = message(path, "/", region.name);
    BLOOMERY_RETURN_IF_ERROR(append_region_logs(root.files(), folder, layout.log_paths));
    for (const FamilySchema& family : layout.schema.families) {
      // Recovered files are listed first: they are moved to the others.
      std::vector<StoreFilePath> recovered;
      BLOOMERY_RETURN_IF_ERROR(add_recovered_files(root.files(),
                                                   message(folder, "/", family.name, "/recovered.hfiles"),
                                                   options, recovered, layout.warnings));
      auto& files = region.families[family.name];
      BLOOMERY_ASSIGN_OR_RETURN(files, list_store({root, table, region.name}, family, layout.warnings,
                                                  file_faults(options, layout)));
      files.insert(files.end(), recovered.begin(), recovered.end());
    }
    warn_of_unknown_families(root.files(), folder, layout.schema, layout.warnings);
  }
  return layout;
}

Result<TableLayout> layout_of_snapshot(const RootDirectory& root, const std::string& snapshot,
                                       const TableOptions& options) {
  const std::string path = root.snapshot(snapshot);
  const std::string manifest_path = path + "/data.manifest";
  BLOOMERY_ASSIGN_OR_RETURN(const Snapshot read, read_snapshot(root, snapshot));
  const SnapshotDescription& description = read.description;
  const SnapshotManifest& manifest = read.manifest;
  TableLayout layout{
      .schema = options.schema ? *options.schema : manifest.schema, .name = description.table, .root = root};
  std::vector<RegionInfo> infos;
  std::vector<std::size_t> living;
  for (const ManifestRegion& region : manifest.regions) {
    const bool is_mob = region.region.start == ".mob" && region.region.id == 0;
    if (!region.region.is_parent() && !is_mob) {
      living.push_back(infos.size());
    }
    infos.push_back(region.region);
  }
  std::ranges::sort(living, {}, [&](std::size_t i) { return infos[i].start; });
  BLOOMERY_RETURN_IF_ERROR(take_faults(faults_between(infos, living), manifest_path, options, layout));
  for (const std::size_t i : living) {
    RegionLayout& region =
        layout.regions.emplace_back(RegionLayout{.info = infos[i], .name = infos[i].encoded_name()});
    for (const ManifestFamily& family : manifest.regions[i].families) {
      if (layout.schema.find(family.name) == nullptr) {
        layout.warnings.push_back(message(manifest_path, ": family ", escape_bytes(family.name),
                                          " is not in the schema and was left out"));
        continue;
      }
      for (const ManifestFile& file : family.files) {
        BLOOMERY_RETURN_IF_ERROR(add_found(in_file(find_store_file({root, description.table, region.name},
                                                                   family.name, file.name, file.half),
                                                   manifest_path),
                                           region.families[family.name], file_faults(options, layout)));
      }
    }
  }
  if (description.time_to_live > 0 && description.creation_time > 0 && options.now_ms &&
      description.creation_time + description.time_to_live * 1000 < *options.now_ms) {
    layout.warnings.push_back(message(path, " has expired: HBase would refuse to restore it"));
  }
  return layout;
}

Result<TableLayout> layout_of_files(const std::vector<std::string>& files, const TableOptions& options) {
  TableLayout layout;
  RegionLayout& region = layout.regions.emplace_back(RegionLayout{.info = whole_region({})});
  for (const std::string& path : files) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string family, family_of(path, options));
    if (!family.empty()) {
      BLOOMERY_RETURN_IF_ERROR(add_file(region, family, path));
    }
  }
  BLOOMERY_RETURN_IF_ERROR(set_schema(layout, options));
  return layout;
}

Result<TableLayout> layout_of_directory(const std::string& path, const TableOptions& options) {
  FileSystem& files = FileSystem::or_real(options.files);
  const fs::path absolute = absolute_path(path, options);
  const Result<FileFacts> facts = files.facts(absolute.string());
  if (!facts || !facts->is_directory) {
    return is_missing(facts) ? Error::io(path, "open", ENOENT)
                             : Error::invalid_argument(path, "expected a directory, found another file");
  }
  if (exists(files, (absolute / ".tabledesc").string())) {
    const TableName name{absolute.parent_path().filename().string(), absolute.filename().string()};
    const fs::path root = absolute.parent_path().parent_path();
    if (root.filename() != "data") {
      return Error::invalid_argument(
          path, "expected a table's directory at its place, ROOT/data/NAMESPACE/TABLE, found it elsewhere");
    }
    return layout_of_table(RootDirectory(root.parent_path().string(), options.files), name, options);
  }
  if (exists(files, (absolute / ".snapshotinfo").string())) {
    if (absolute.parent_path().filename() != ".hbase-snapshot") {
      return Error::invalid_argument(
          path, "expected a snapshot at its place, ROOT/.hbase-snapshot/NAME, found it elsewhere");
    }
    return layout_of_snapshot(RootDirectory(absolute.parent_path().parent_path().string(), options.files),
                              absolute.filename().string(), options);
  }
  return layout_of_bulk_load(path, options);
}

}  // namespace bloomery::table
