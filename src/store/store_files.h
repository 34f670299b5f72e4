// What a store's root has that HBase does not know, and the names of its new files.
//
//   .bloomery/STORE    the version, the store's id, and the checksums of descriptors, which have none in HBase
//   .bloomery/LOCK     locked while a process has the store open
//   .bloomery/MARK     how far the newest log is synced (wal/log_mark.h)
//
//   STORE     lines: "bloomery store 1" | "id HEX" | "created MS" | "sum CRC PATH"* | "end CRC", a CRC-32C of
//             the lines before. It is replaced atomically.
//
// A descriptor is summed before it appears, so a sum may have no file, but no file lacks its sum.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "table/layout/root_directory.h"

namespace bloomery::store {

class StoreFiles {
 public:
  // Makes an empty root. `path` is a directory without entries, or does not exist in an existing one. Errors:
  // kInvalidArgument with EEXIST if there is something; kIo.
  static Status create(FileSystem& files, const std::string& path, std::int64_t now_ms, std::uint64_t seed);
  // Locks the store. Errors: kInvalidArgument if no store made the root; kUnsupported for a later version;
  // kCorruption; kIo with EWOULDBLOCK if another process has it open.
  static Result<StoreFiles> open(FileSystem& files, const std::string& path, std::uint64_t seed);

  FileSystem& file_system() const { return *files_; }
  const std::string& root() const { return root_; }
  table::RootDirectory directory() const { return table::RootDirectory(root_, files_); }
  std::string mark() const { return root_ + "/.bloomery/MARK"; }
  // The name of the log's server: HOST,PORT,STARTCODE as in HBase.
  std::string server() const;
  std::string logs() const { return root_ + "/WALs/" + server(); }

  // Returns 32 random hex digits, the name of a new store file.
  std::string new_name();

  // Stores the checksum of a file that will appear at this path, relative to the root.
  void add_sum(const std::string& path, std::string_view bytes);
  // Removes the sums of all files below the path.
  void remove_sums(std::string_view path);
  // Writes STORE anew.
  Status save();
  // Errors: kCorruption if the file of the root has another checksum, or none.
  Status check_sum(const std::string& path, std::string_view bytes) const;

 private:
  StoreFiles(FileSystem& files, std::string root, std::uint64_t seed)
      : files_(&files), root_(std::move(root)), random_(seed) {}
  std::string text() const;
  Status parse(const std::string& text);

  FileSystem* files_;
  std::string root_;
  std::mt19937_64 random_;
  File lock_;
  std::string id_;
  std::uint64_t created_ms_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> sums_;
};

}  // namespace bloomery::store
