#include "table/layout/disk_calls.h"

#include <cerrno>
#include <cstddef>
#include <span>

#include "base/message.h"

namespace bloomery::table {
Result<std::vector<DirectoryEntry>> list_if_there(FileSystem& files, const std::string& path) {
  auto entries = files.list(path);
  return !entries && entries.error().code() == ErrorCode::kNotFound ? std::vector<DirectoryEntry>()
                                                                    : std::move(entries);
}

Result<bool> exists_in(FileSystem& files, const std::string& path) {
  const Result<FileFacts> facts = files.facts(path);
  if (!facts && facts.error().code() != ErrorCode::kNotFound) {
    return facts.error();
  }
  return facts.has_value();
}

Status make_directory(FileSystem& files, const std::string& path) {
  const Status made = files.make_directory(path);
  return !made && made.error().errno_value() == EEXIST ? Status() : made;
}

Status sync_directory(FileSystem& files, const std::string& path) {
  return files.sync_directory_of(path + "/.");
}

Status make_directories(FileSystem& files, const std::string& root, std::string_view below) {
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = below.find('/', end + 1);
    const std::string path = message(root, "/", below.substr(0, end));
    BLOOMERY_RETURN_IF_ERROR(make_directory(files, path));
    BLOOMERY_RETURN_IF_ERROR(files.sync_directory_of(path));
  }
  return {};
}

Status remove_tree(FileSystem& files, const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, list_if_there(files, path));
  for (const DirectoryEntry& entry : entries) {
    const std::string inner = message(path, "/", entry.name);
    const Status removed = files.remove(inner);  // also a symbolic link to a directory
    if (!removed) {
      BLOOMERY_RETURN_IF_ERROR(entry.is_directory ? remove_tree(files, inner) : removed);
    }
  }
  const Status removed = files.remove_directory(path);
  return !removed && removed.error().code() == ErrorCode::kNotFound ? Status() : removed;
}

Status remove_if_there(FileSystem& files, const std::string& path) {
  const Status removed = files.remove(path);
  return !removed && removed.error().code() == ErrorCode::kNotFound ? Status() : removed;
}

Status write_new_file(FileSystem& files, const std::string& path, std::string_view bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kCreatingExclusively));
  BLOOMERY_RETURN_IF_ERROR(files.set_permissions(file, new_file_permissions()));
  BLOOMERY_RETURN_IF_ERROR(file.write_all(std::as_bytes(std::span(bytes))));
  BLOOMERY_RETURN_IF_ERROR(file.sync());
  return file.close();
}

Status replace_file(FileSystem& files, const std::string& temporary, const std::string& path,
                    std::string_view bytes) {
  BLOOMERY_RETURN_IF_ERROR(remove_if_there(files, temporary));
  BLOOMERY_RETURN_IF_ERROR(write_new_file(files, temporary, bytes));
  BLOOMERY_RETURN_IF_ERROR(files.rename(temporary, path));
  return files.sync_directory_of(path);
}

}  // namespace bloomery::table
