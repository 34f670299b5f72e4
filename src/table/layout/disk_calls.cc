#include "table/layout/disk_calls.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/message.h"

namespace bloomery::table {
namespace {

bool has_no_links(const Status& linked) {
  const int errno_value = linked.error().errno_value();
  return errno_value == EXDEV || errno_value == EPERM || errno_value == EMLINK || errno_value == EOPNOTSUPP ||
         errno_value == ENOSYS;
}

Status copy_file(FileSystem& files, const std::string& from, const std::string& to) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  BLOOMERY_ASSIGN_OR_RETURN(const File source, files.open(from, OpenFor::kReading));
  BLOOMERY_RETURN_IF_ERROR(remove_if_there(files, to));
  BLOOMERY_ASSIGN_OR_RETURN(File target, files.open(to, OpenFor::kCreatingExclusively));
  BLOOMERY_RETURN_IF_ERROR(files.set_permissions(target, new_file_permissions()));
  std::vector<std::byte> bytes(kStep);
  for (std::uint64_t offset = 0;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count, files.read_at(source, offset, bytes));
    if (count == 0) {
      BLOOMERY_RETURN_IF_ERROR(target.sync());
      return target.close();
    }
    BLOOMERY_RETURN_IF_ERROR(target.write_all(std::span(bytes).first(count)));
    offset += count;
  }
}

}  // namespace

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

Status move_directory(FileSystem& files, const std::string& from, const std::string& to) {
  BLOOMERY_RETURN_IF_ERROR(files.rename_to_new(from, to));
  BLOOMERY_RETURN_IF_ERROR(files.sync_directory_of(to));
  return files.sync_directory_of(from);
}

Status link_or_copy(FileSystem& files, const std::string& from, const std::string& to, bool copies) {
  if (!copies) {
    const Status linked = files.link(from, to);
    if (linked) {
      BLOOMERY_ASSIGN_OR_RETURN(const File file, files.open(to, OpenFor::kReading));
      return files.sync(file);  // who wrote it may not have
    }
    if (!has_no_links(linked)) {
      return linked;
    }
  }
  const std::string temporary = to + "~";
  const Status copied = copy_file(files, from, temporary);
  if (!copied) {
    (void)files.remove(temporary);
    return copied;
  }
  return files.rename_to_new(temporary, to);
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
