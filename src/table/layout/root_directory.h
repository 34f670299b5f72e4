// The directories of an HBase root, and files in them.
//
//   data/NS/TABLE/REGION/FAMILY/FILE       live
//   archive/data/...                       same layout, files that compactions and deletions removed
//   .tmp/data/...                          same layout, tables that are being made or dropped
//   mobdir/data/...                        same layout, large objects
//   .hbase-snapshot/NAME                   a snapshot
//   WALs/SERVER/LOG                        edits that files may not have yet
//
// A link's target is searched in data, archive, .tmp and mobdir, in this order: files move to the archive at
// any time. Source: HBase 2.6, HFileLink and HFileArchiveUtil.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "table/layout/hbase_messages.h"
#include "table/layout/store_file_name.h"

namespace bloomery::table {

class RootDirectory {
 public:
  // Null: the machine's own files.
  explicit RootDirectory(std::string path, FileSystem* files = nullptr)
      : path_(std::move(path)), files_(&FileSystem::or_real(files)) {}

  const std::string& path() const { return path_; }
  FileSystem& files() const { return *files_; }
  std::string table(const TableName& table) const;
  std::string snapshot(const std::string& name) const { return path_ + "/.hbase-snapshot/" + name; }
  std::string logs() const { return path_ + "/WALs"; }

  // Return the names of live tables and snapshots: "ns:table", "table" in the namespace default; sorted.
  // Errors: kNotFound if there is no such root; kIo.
  Result<std::vector<std::string>> tables() const;
  Result<std::vector<std::string>> snapshots() const;

  // Returns the first path at which the file exists, in the order of data, archive, .tmp and mobdir. Errors:
  // kNotFound, with these folders; kIo.
  Result<std::string> find(const StoreFilePlace& place, const std::string& family) const;
  // Return the file's path in data or in archive, whether it exists there or not.
  std::string live_place(const StoreFilePlace& place, const std::string& family) const;
  std::string archive_place(const StoreFilePlace& place, const std::string& family) const;

 private:
  std::string path_;
  FileSystem* files_;
};

// Returns the error for a table or snapshot that is not at `path`. It names the existing ones.
Error none_at(const std::string& path, std::string_view kind, const Result<std::vector<std::string>>& there);

// Reads an entire small file. Errors: kNotFound; kIo; kCapacity above `most` bytes.
Result<std::string> read_small_file(FileSystem& files, const std::string& path,
                                    std::uint64_t most = std::uint64_t{1} << 30);

// Returns true if the path names a file or a directory that can be reached.
bool exists(FileSystem& files, const std::string& path);

}  // namespace bloomery::table
