#include "table/layout/snapshot_directory.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <set>
#include <utility>

#include "base/byte_text.h"
#include "base/message.h"
#include "table/layout/disk_calls.h"
#include "table/layout/hbase_messages_writer.h"
#include "table/layout/legal_names.h"
#include "table/layout/store_listing.h"

namespace bloomery::table {
namespace {

constexpr const char* kDescriptionFile = "/.snapshotinfo";
constexpr const char* kManifestFile = "/data.manifest";
constexpr const char* kUnfinished = ".hbase-snapshot/.tmp";

std::string unfinished_snapshot(const RootDirectory& root, const std::string& name) {
  return message(root.path(), "/", kUnfinished, "/", name);
}

// Calls `see` for each file that the snapshot names, also of the parents of splits.
Status for_each_file(const Snapshot& snapshot,
                     const std::function<Status(const StoreFilePlace&, const std::string& family)>& see) {
  for (const ManifestRegion& region : snapshot.manifest.regions) {
    const std::string region_name = region.region.encoded_name();
    for (const ManifestFamily& family : region.families) {
      for (const ManifestFile& file : family.files) {
        const auto place = target_of(snapshot.description.table, region_name, file.name);
        if (!place) {
          return Error::corruption(snapshot.description.name, 0, "the name of a store file",
                                   message("'", escape_bytes(file.name), "'"));
        }
        BLOOMERY_RETURN_IF_ERROR(see(*place, family.name));
      }
    }
  }
  return {};
}

// Gives the file a name in the archive of `to`, unless it has it already.
Status keep_file(FileSystem& files, const std::string& source, const std::string& target, bool copies) {
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, exists_in(files, target));
  if (!is_there) {
    return link_or_copy(files, source, target, copies);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts wanted, files.facts(source));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts found, files.facts(target));
  return wanted.size_bytes == found.size_bytes
             ? Status()
             : Status(Error::corruption(target, 0, message("a file of ", wanted.size_bytes, " bytes"),
                                        message(found.size_bytes, " bytes")));
}

Status keep_files(const RootDirectory& from, const RootDirectory& to, const Snapshot& snapshot, bool copies) {
  std::set<std::string> folders;
  BLOOMERY_RETURN_IF_ERROR(
      for_each_file(snapshot, [&](const StoreFilePlace& place, const std::string& family) -> Status {
        BLOOMERY_ASSIGN_OR_RETURN(const std::string source, from.find(place, family));
        const std::string target = to.archive_place(place, family);
        const std::string folder = target.substr(0, target.rfind('/'));
        if (folders.insert(folder).second) {
          BLOOMERY_RETURN_IF_ERROR(
              make_directories(to.files(), to.path(), folder.substr(to.path().size() + 1)));
        }
        return keep_file(to.files(), source, target, copies);
      }));
  for (const std::string& folder : folders) {
    BLOOMERY_RETURN_IF_ERROR(sync_directory(to.files(), folder));
  }
  return {};
}

Result<std::set<std::string>> kept_files(const RootDirectory& root) {
  std::set<std::string> kept;
  BLOOMERY_ASSIGN_OR_RETURN(const auto names, root.snapshots());
  for (const std::string& name : names) {
    BLOOMERY_ASSIGN_OR_RETURN(const Snapshot snapshot, read_snapshot(root, name));
    BLOOMERY_RETURN_IF_ERROR(
        for_each_file(snapshot, [&](const StoreFilePlace& place, const std::string& family) -> Status {
          kept.insert(root.archive_place(place, family));
          return {};
        }));
  }
  return kept;
}

// Removes files below the folder that are not kept. HBase's back references (.links-FILE) keep a file, too.
Status remove_others(FileSystem& files, const std::string& folder, const std::set<std::string>& kept) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, list_if_there(files, folder));
  const auto has_links = [&](const std::string& name) {
    return std::ranges::any_of(entries, [&](const auto& entry) { return entry.name == ".links-" + name; });
  };
  for (const DirectoryEntry& entry : entries) {
    const std::string path = message(folder, "/", entry.name);
    if (entry.is_directory && !entry.name.starts_with('.')) {
      BLOOMERY_RETURN_IF_ERROR(remove_others(files, path, kept));
      (void)files.remove_directory(path);  // unless it has files
    } else if (!entry.is_directory && !kept.contains(path) && !has_links(entry.name)) {
      BLOOMERY_RETURN_IF_ERROR(files.remove(path));
    }
  }
  return {};
}

Status clean_archive(const RootDirectory& root) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto kept, kept_files(root));
  return remove_others(root.files(), root.path() + "/archive/data", kept);
}

}  // namespace

Snapshot Snapshot::of(SnapshotDescription description, SnapshotManifest manifest) {
  Snapshot snapshot{.description = std::move(description), .manifest = std::move(manifest)};
  snapshot.description_bytes = write_snapshot_description(snapshot.description);
  snapshot.manifest_bytes = write_snapshot_manifest(snapshot.manifest);
  return snapshot;
}

Result<Snapshot> read_snapshot(const RootDirectory& root, const std::string& name) {
  const std::string path = root.snapshot(name);
  Snapshot snapshot;
  BLOOMERY_ASSIGN_OR_RETURN(snapshot.description_bytes,
                            read_small_file(root.files(), path + kDescriptionFile, std::uint64_t{64} << 20));
  BLOOMERY_ASSIGN_OR_RETURN(
      snapshot.description,
      in_file(parse_snapshot_description(snapshot.description_bytes), path + kDescriptionFile));
  if (snapshot.description.version != 2) {
    return Error::unsupported(
        path + kDescriptionFile, 0,
        message("expected a snapshot of version 2, found ", snapshot.description.version));
  }
  BLOOMERY_ASSIGN_OR_RETURN(snapshot.manifest_bytes, read_small_file(root.files(), path + kManifestFile));
  BLOOMERY_ASSIGN_OR_RETURN(snapshot.manifest,
                            in_file(parse_snapshot_manifest(snapshot.manifest_bytes), path + kManifestFile));
  return snapshot;
}

Status write_snapshot(const RootDirectory& from, const RootDirectory& to, const Snapshot& snapshot,
                      bool copies) {
  const std::string& name = snapshot.description.name;
  FileSystem& files = to.files();
  BLOOMERY_RETURN_IF_ERROR(check_snapshot_name(name));
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, exists_in(files, to.snapshot(name)));
  if (is_there) {
    return Error::invalid_argument(name, "expected a new snapshot, found one of this name")
        .with_errno(EEXIST);
  }
  const std::string unfinished = unfinished_snapshot(to, name);
  BLOOMERY_RETURN_IF_ERROR(remove_tree(files, unfinished));
  // The first step: what this directory has tells an interrupted snapshot.
  BLOOMERY_RETURN_IF_ERROR(make_directories(files, to.path(), message(kUnfinished, "/", name)));
  BLOOMERY_RETURN_IF_ERROR(keep_files(from, to, snapshot, copies));
  BLOOMERY_RETURN_IF_ERROR(write_new_file(files, unfinished + kDescriptionFile, snapshot.description_bytes));
  BLOOMERY_RETURN_IF_ERROR(write_new_file(files, unfinished + kManifestFile, snapshot.manifest_bytes));
  BLOOMERY_RETURN_IF_ERROR(sync_directory(files, unfinished));
  return move_directory(files, unfinished, to.snapshot(name));
}

Status drop_snapshot(const RootDirectory& root, const std::string& name) {
  FileSystem& files = root.files();
  BLOOMERY_RETURN_IF_ERROR(check_snapshot_name(name));
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, exists_in(files, root.snapshot(name)));
  if (!is_there) {
    return none_at(message(root.path(), ": ", name), "snapshot", root.snapshots());
  }
  const std::string unfinished = unfinished_snapshot(root, name);
  BLOOMERY_RETURN_IF_ERROR(make_directories(files, root.path(), kUnfinished));
  BLOOMERY_RETURN_IF_ERROR(remove_tree(files, unfinished));
  BLOOMERY_RETURN_IF_ERROR(move_directory(files, root.snapshot(name), unfinished));
  BLOOMERY_RETURN_IF_ERROR(clean_archive(root));
  return remove_tree(files, unfinished);
}

Status finish_interrupted_snapshots(const RootDirectory& root) {
  FileSystem& files = root.files();
  const std::string folder = message(root.path(), "/", kUnfinished);
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_snapshots, exists_in(files, root.path() + "/.hbase-snapshot"));
  if (!has_snapshots) {
    return {};
  }
  // A process that was killed leaves names that only the operating system has.
  BLOOMERY_RETURN_IF_ERROR(files.sync_directory_of(root.path() + "/.hbase-snapshot"));
  BLOOMERY_RETURN_IF_ERROR(sync_directory(files, root.path() + "/.hbase-snapshot"));
  BLOOMERY_ASSIGN_OR_RETURN(const auto unfinished, list_if_there(files, folder));
  if (unfinished.empty()) {
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(sync_directory(files, folder));
  BLOOMERY_RETURN_IF_ERROR(clean_archive(root));
  return remove_tree(files, folder);
}

}  // namespace bloomery::table
