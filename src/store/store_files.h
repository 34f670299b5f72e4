// What a store's root has that HBase does not know, and the names of its new files.
//
//   .bloomery/STORE    the version, the store's id, and the checksums of descriptors: HBase keeps none
//   .bloomery/LOCK     locked while a process has the store open
//   .bloomery/MARK     how far the newest log is synced (wal/log_mark.h)
//
//   STORE     lines: "bloomery store 1" | "id HEX" | "created MS" | "descriptor CRC TABLE"* | "end CRC", a
//             CRC-32C of the lines before. It is replaced atomically.
//
// A descriptor is summed before it appears. So a table has two sums while it is altered, and a sum may have
// no table, but no descriptor lacks its sum.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "table/layout/root_directory.h"

namespace bloomery::store {

class StoreFiles {
 public:
  // Makes an empty root. `path` is a directory without entries, or does not exist in an existing one, or is
  // what a call that was interrupted has left. Errors: kInvalidArgument with EEXIST if there is something;
  // kIo, with EWOULDBLOCK if another process is at it.
  static Status create(FileSystem& files, const std::string& path, std::int64_t now_ms, std::uint64_t seed);
  // Locks the store. Errors: kInvalidArgument if no store made the root; kUnsupported for a later version;
  // kCorruption; kIo with EWOULDBLOCK if another process has it open.
  static Result<StoreFiles> open(FileSystem& files, const std::string& path, std::uint64_t seed);

  // As open(), if STORE is damaged: the id is new, and the descriptors that are there have their checksums.
  // Writes STORE if `saves`.
  static Result<StoreFiles> open_anew(FileSystem& files, const std::string& path, std::int64_t now_ms,
                                      std::uint64_t seed, bool saves);

  FileSystem& file_system() const { return *files_; }
  const std::string& root() const { return root_; }
  table::RootDirectory directory() const { return table::RootDirectory(root_, files_); }
  std::string mark() const { return root_ + "/.bloomery/MARK"; }
  // The name of the log's server: HOST,PORT,STARTCODE as in HBase.
  std::string server() const;
  std::string logs() const { return root_ + "/WALs/" + server(); }

  // Lets another process open the store.
  void unlock() { lock_ = File(); }

  // Returns 32 random hex digits, the name of a new store file.
  std::string new_name();

  // Adds the checksum of a descriptor that will appear, the one of the table's directory, and writes STORE.
  Status add_descriptor(const table::TableName& table, std::string_view bytes);
  // Keeps only this descriptor's checksum, or none if there are no bytes, and writes STORE.
  Status keep_descriptor(const table::TableName& table, std::string_view bytes);
  // Errors: kCorruption if the table's descriptor has another checksum.
  Status check_descriptor(const table::TableName& table) const;

 private:
  StoreFiles(FileSystem& files, std::string root, std::uint64_t seed)
      : files_(&files), root_(std::move(root)), random_(seed) {}
  Status lock();
  Status save();
  std::string text() const;
  Status parse(const std::string& text);

  FileSystem* files_;
  std::string root_;
  std::mt19937_64 random_;
  File lock_;
  std::string id_;
  std::uint64_t created_ms_ = 0;
  std::set<std::pair<std::string, std::uint32_t>> sums_;  // of a table's descriptors
};

}  // namespace bloomery::store
