#include "table/layout/store_listing.h"

#include <utility>

#include "base/byte_text.h"
#include "base/directory.h"
#include "base/message.h"
#include "table/layout/tracker_list.h"

namespace bloomery::table {
namespace {

// Returns the names of the family's files from the lists in `folder`.
Result<std::vector<std::string>> tracked_names(FileSystem& files, const std::string& folder) {
  BLOOMERY_ASSIGN_OR_RETURN(const TrackerLists lists, find_tracker_lists(files, folder));
  std::vector<std::string> names;
  for (const TrackedFile& file : lists.newest.files) {
    names.push_back(file.name);
  }
  return names;
}

// Returns the names of the family's files from the directory itself. HBase warns about an empty store file
// and reads the table without it. HBase never writes one, so its cells are lost: it is a fault for callers
// that list faults, otherwise a warning.
Result<std::vector<std::string>> listed_names(FileSystem& files, const std::string& folder,
                                              std::vector<std::string>& warnings,
                                              std::vector<Error>* faults) {
  const auto entries = files.list(folder);
  if (!entries) {
    return entries.error().code() == ErrorCode::kNotFound ? std::vector<std::string>()
                                                          : Result<std::vector<std::string>>(entries.error());
  }
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.is_directory) {
      continue;
    }
    const auto name = parse_store_file_name(entry.name);
    if (name && (entry.size != 0 || name->link)) {
      names.push_back(entry.name);
    } else if (name) {
      const std::string path = message(folder, "/", entry.name);
      if (faults != nullptr) {
        faults->push_back(emptied_file(path));
      } else {
        warnings.push_back(message(path, " has 0 bytes: its cells are lost and not in the answer"));
      }
    } else if (entry.size != 0 && entry.name.find('-') == std::string::npos &&
               !entry.name.ends_with("_del") && !entry.name.ends_with(".crc")) {
      warnings.push_back(message(folder, "/", entry.name, " is no store file and was left out"));
    }
  }
  return names;
}

std::string tracker_of(const FamilySchema& family) {
  const std::string& name = family.file_tracker;
  if (name == "DEFAULT" || name.ends_with(".DefaultStoreFileTracker")) {
    return "DEFAULT";
  }
  return name == "FILE" || name.ends_with(".FileBasedStoreFileTracker") ? "FILE" : name;
}

}  // namespace

bool is_table_fault(const Error& error) {
  return error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kCorruption;
}

Error emptied_file(const std::string& path) {
  return Error::corruption(path, 0, "a store file", "0 bytes (its cells are lost)");
}

std::optional<StoreFilePlace> target_of(const TableName& table, const std::string& region,
                                        const std::string& name) {
  const auto parsed = parse_store_file_name(name);
  if (!parsed) {
    return std::nullopt;
  }
  return parsed->link ? *parsed->link
                      : StoreFilePlace{table, parsed->referred_region.value_or(region), parsed->file};
}

Result<StoreFilePath> find_store_file(const StoreDirectoryPlace& place, const std::string& family,
                                      const std::string& name, std::optional<FileHalf> half) {
  const std::string listed = place.root.live_place({place.table, place.region, name}, family);
  const auto parsed = parse_store_file_name(name);
  if (!parsed) {
    return Error::corruption(listed, 0, "the name of a store file", message("'", escape_bytes(name), "'"));
  }
  StoreFilePath file{.name = name, .half = std::move(half), .sequence_id = parsed->sequence_id};
  if (parsed->referred_region && !file.half) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string bytes,
                              read_small_file(place.root.files(), listed, std::uint64_t{1} << 20));
    BLOOMERY_ASSIGN_OR_RETURN(file.half, in_file(parse_reference_file(bytes), listed));
  }
  auto path = place.root.find(*target_of(place.table, place.region, name), family);
  if (!path) {
    return path.error().code() == ErrorCode::kNotFound
               ? Error(ErrorCode::kNotFound, listed, path.error().detail())
               : path.error();
  }
  file.path = std::move(*path);
  return file;
}

Status add_found(Result<StoreFilePath> found, std::vector<StoreFilePath>& files, std::vector<Error>* faults) {
  if (found) {
    files.push_back(std::move(found.value()));
    return {};
  }
  if (faults == nullptr || !is_table_fault(found.error())) {
    return found.error();
  }
  faults->push_back(found.error());
  return {};
}

Result<std::vector<StoreFilePath>> list_store(const StoreDirectoryPlace& place, const FamilySchema& family,
                                              std::vector<std::string>& warnings,
                                              std::vector<Error>* faults) {
  const std::string folder = message(place.root.table(place.table), "/", place.region, "/", family.name);
  const std::string tracker = tracker_of(family);
  FileSystem& disk = place.root.files();
  if (tracker != "DEFAULT" && tracker != "FILE") {
    return Error::unsupported(
        folder, 0,
        message("expected the store-file tracker DEFAULT or FILE, found '", escape_bytes(tracker), "'"));
  }
  const Result<std::vector<std::string>> names = tracker == "FILE"
                                                     ? tracked_names(disk, folder + "/.filelist")
                                                     : listed_names(disk, folder, warnings, faults);
  std::vector<StoreFilePath> files;
  if (!names) {
    if (faults == nullptr || !is_table_fault(names.error())) {
      return names.error();
    }
    faults->push_back(names.error());
    return files;
  }
  for (const std::string& name : *names) {
    BLOOMERY_RETURN_IF_ERROR(add_found(find_store_file(place, family.name, name, {}), files, faults));
  }
  return files;
}

}  // namespace bloomery::table
