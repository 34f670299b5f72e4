// Calls on directories and small files that those who write a table's directories need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/directory.h"
#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery::table {

// Returns the entries sorted by name; none if there is no such directory. Errors: kIo.
Result<std::vector<DirectoryEntry>> list_if_there(FileSystem& files, const std::string& path);
Result<bool> exists_in(FileSystem& files, const std::string& path);
// Makes the directory unless it exists. Does not sync.
Status make_directory(FileSystem& files, const std::string& path);
// Makes the directory `below` ROOT and those above it, where they are missing. Syncs the directory of each.
Status make_directories(FileSystem& files, const std::string& root, std::string_view below);
// Syncs a directory: the names in it.
Status sync_directory(FileSystem& files, const std::string& path);
// Removes a directory with all that it has, or nothing if there is none. Follows no symbolic links. Does not
// sync.
Status remove_tree(FileSystem& files, const std::string& path);
// Removes a file, or nothing if there is none. Does not sync.
Status remove_if_there(FileSystem& files, const std::string& path);

// Renames a directory, so that after a crash it has one name or the other and never none.
Status move_directory(FileSystem& files, const std::string& from, const std::string& to);

// Gives the file a second name by a hard link. Where there can be none (another file system, or one without
// links), or if `copies`, it copies the file as `to`~ and renames the copy. What `to` names is complete and
// synced, but not its directory. Errors: kIo, with EEXIST if `to` names a file.
Status link_or_copy(FileSystem& files, const std::string& from, const std::string& to, bool copies);

// Writes a new file and syncs it, but not its directory. Errors: kIo, with EEXIST if the file exists.
Status write_new_file(FileSystem& files, const std::string& path, std::string_view bytes);
// Writes the file as `temporary`, syncs it, renames it to `path` and syncs that directory. After a crash the
// file is complete, or `path` is as it was. A leftover at `temporary` is removed.
Status replace_file(FileSystem& files, const std::string& temporary, const std::string& path,
                    std::string_view bytes);

}  // namespace bloomery::table
