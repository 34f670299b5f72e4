// The files of one family in one region, kept as HBase's FILE tracker keeps them: the manifest of a flush and
// a compaction. tracker_list.h has the layout of FAMILY/.filelist.
//
//   open(): picks N, greater than that of any list      update(): f1.N, then f2.N, then f1.N, ...
//
// Each update is one atomic step. It writes the complete list under the name `.new`, syncs it, renames it to
// the other of f1.N and f2.N and syncs the directory. The list before is removed afterwards. So after a crash
// at any point the old or the new list is read, and neither can be torn. HBase writes f1.N and f2.N in place:
// HDFS shows a truncated file after a crash, which is skipped. A local disk may show a file of full length
// with wrong bytes, and HBase refuses a family with such a list. The name `.new` is skipped by HBase.
//
// Timestamps and numbers increase even if the clock goes back. Threads: one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "table/layout/hbase_messages.h"

namespace bloomery::table {

class FileList {
 public:
  // Loads the newest list of the family in `directory` (TABLE/REGION/FAMILY), which must exist, and removes
  // older ones. Makes .filelist if it is missing. Keeps a reference to `files`. Errors: those of
  // find_tracker_lists(); kCorruption for a truncated list, which update() never leaves.
  static Result<FileList> open(FileSystem& files, const std::string& directory, std::int64_t now_ms);

  // In the order of the list.
  const std::vector<TrackedFile>& tracked() const { return newest_.files; }
  // Replaces the list. The caller has synced the files and their directory. After an error nobody knows which
  // list a crash would leave, so every later update() returns that error. Errors: kIo; kCapacity for a list
  // above 16 MiB.
  Status update(std::vector<TrackedFile> tracked, std::int64_t now_ms);

 private:
  FileList(FileSystem& files, std::string folder) : files_(&files), folder_(std::move(folder)) {}

  Status write(const TrackedFiles& list);

  FileSystem* files_;
  std::string folder_;
  TrackedFiles newest_;
  std::string name_;          // of the newest list's file
  std::uint64_t number_ = 0;  // N
  bool is_second_next_ = false;
  Status outcome_;  // the first error
};

}  // namespace bloomery::table
