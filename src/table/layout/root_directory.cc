#include "table/layout/root_directory.h"

#include <algorithm>
#include <cerrno>

#include "base/message.h"

namespace bloomery::table {
namespace {

// Returns the names of the folders in `path` that do not begin with a dot, sorted; none if `path` does not
// exist.
Result<std::vector<std::string>> folders_in(FileSystem& files, const std::string& path) {
  std::vector<std::string> names;
  const auto entries = files.list(path);
  if (!entries && entries.error().code() == ErrorCode::kNotFound) {
    return names;
  }
  if (!entries) {
    return entries.error();
  }
  for (const DirectoryEntry& entry : *entries) {
    if (entry.is_directory && !entry.name.starts_with('.')) {
      names.push_back(entry.name);
    }
  }
  return names;
}

// Errors: kNotFound unless the folder looks like an HBase root.
Status check_is_root(const RootDirectory& root) {
  if (exists(root.files(), root.path() + "/data") || exists(root.files(), root.path() + "/.hbase-snapshot")) {
    return {};
  }
  return Error(ErrorCode::kNotFound, root.path(),
               "expected an HBase root directory, with data or .hbase-snapshot, found none");
}

std::string below(const TableName& table) {
  return message("data/", table.name_space, "/", table.name);
}

std::string below(const StoreFilePlace& place, const std::string& family) {
  return message(below(place.table), "/", place.region, "/", family, "/", place.file);
}

}  // namespace

std::string RootDirectory::table(const TableName& table) const {
  return message(path_, "/", below(table));
}

std::string RootDirectory::live_place(const StoreFilePlace& place, const std::string& family) const {
  return message(path_, "/", below(place, family));
}

std::string RootDirectory::archive_place(const StoreFilePlace& place, const std::string& family) const {
  return message(path_, "/archive/", below(place, family));
}

Result<std::vector<std::string>> RootDirectory::tables() const {
  BLOOMERY_RETURN_IF_ERROR(check_is_root(*this));
  std::vector<std::string> tables;
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<std::string> name_spaces, folders_in(*files_, path_ + "/data"));
  for (const std::string& name_space : name_spaces) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                              folders_in(*files_, path_ + "/data/" + name_space));
    for (const std::string& name : names) {
      tables.push_back(TableName{.name_space = name_space, .name = name}.text());
    }
  }
  std::ranges::sort(tables);
  return tables;
}

Result<std::vector<std::string>> RootDirectory::snapshots() const {
  BLOOMERY_RETURN_IF_ERROR(check_is_root(*this));
  return folders_in(*files_, path_ + "/.hbase-snapshot");
}

Result<std::string> RootDirectory::find(const StoreFilePlace& place, const std::string& family) const {
  const std::string name = below(place, family);
  for (const char* const folder : {"/", "/archive/", "/.tmp/", "/mobdir/"}) {
    std::string path = message(path_, folder, name);
    const auto facts = files_->facts(path);
    if (facts && facts->is_regular) {
      return path;
    }
    if (!facts && facts.error().code() != ErrorCode::kNotFound && facts.error().errno_value() != ENOTDIR) {
      return facts.error();
    }
  }
  return Error(ErrorCode::kNotFound, path_,
               message("expected the store file ", name,
                       " here or below archive, .tmp or mobdir, found none (was it removed?)"));
}

Error none_at(const std::string& path, std::string_view kind, const Result<std::vector<std::string>>& there) {
  if (!there) {
    return there.error();
  }
  constexpr std::size_t kMostNames = 20;
  std::string names;
  for (std::size_t i = 0; i < std::min(there->size(), kMostNames); ++i) {
    names += (i == 0 ? "" : ", ") + (*there)[i];
  }
  names += there->size() > kMostNames ? ", ..." : "";
  return Error(ErrorCode::kNotFound, path,
               message("expected a ", kind, "; there ", there->empty() ? "is none" : "are " + names));
}

Result<std::string> read_small_file(FileSystem& files, const std::string& path, std::uint64_t most) {
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if (facts.size_bytes > most) {
    return Error::capacity(path,
                           message("expected a file of at most ", most, " bytes, found ", facts.size_bytes));
  }
  std::string bytes(static_cast<std::size_t>(facts.size_bytes), '\0');
  BLOOMERY_RETURN_IF_ERROR(
      file.read_exactly_at(0, {reinterpret_cast<std::byte*>(bytes.data()), bytes.size()}));
  return bytes;
}

bool exists(FileSystem& files, const std::string& path) {
  return files.facts(path).has_value();
}

}  // namespace bloomery::table
