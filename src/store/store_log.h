// The log of a store: one sealed log at a time, and the older ones whose edits are not yet all in files.
//
//   WALs/SERVER/SERVER.NUMBER     the numbers ascend with the age of the logs
//   .bloomery/MARK                how far the newest log is synced
//
// Entries are collected in a buffer. write() hands it to the operating system, sync() to the disk. A log that
// is full is closed with its trailer and synced before the next one begins, whose header names its last link.
// So only the newest log can have a torn end.
//
// After an error every call returns it: what the disk has is unknown, and nothing is written again. Threads:
// one at a time, the leader of the commit queue.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "hfile/byte_writer.h"
#include "store/environment.h"
#include "wal/log_entry.h"
#include "wal/log_marker.h"
#include "wal/log_writer.h"

namespace bloomery::store {

struct OldLog {
  std::string path = {};
  std::uint64_t last_sequence = 0;  // the greatest sequence id of its entries
};

struct LogPlace {
  std::string directory = {};  // exists
  std::string server = {};
  std::string mark = {};  // the mark file
  std::uint64_t log_bytes = 0;
  wal::MarkSync mark_sync = wal::MarkSync::kWithinASecond;
};

class StoreLog {
 public:
  // Begins a log after `old`, whose last link is `link`.
  static Result<std::unique_ptr<StoreLog>> begin(const Environment& environment, LogPlace place,
                                                 std::vector<OldLog> old, std::uint32_t link);

  // Errors: kInvalidArgument; kCapacity. The log is unchanged then, and goes on.
  Status append(const wal::LogEntry& entry);
  Status write();
  // Writes, and waits for the disk. Then writes the mark, and syncs it if it is due.
  Status sync();
  // Syncs a mark that is a second old, and closes a log that is full.
  Status tend();
  // Returns true if the mark on the disk is not the newest.
  bool has_unsynced_mark() const { return marker_.due_ms().has_value(); }
  // Removes the old logs without an edit after this sequence id.
  Status remove_settled(std::uint64_t sequence);
  // Syncs, and closes the log with its trailer.
  Status close();

  std::size_t old_logs() const { return old_.size(); }
  // The greatest sequence id of the oldest log, if there is an old one.
  std::optional<std::uint64_t> oldest_log() const {
    return old_.empty() ? std::nullopt : std::optional(old_.front().last_sequence);
  }
  std::uint64_t written_bytes() const { return written_; }

 private:
  StoreLog(const Environment& environment, LogPlace place, std::vector<OldLog> old, wal::LogMarker marker)
      : environment_(environment),
        place_(std::move(place)),
        old_(std::move(old)),
        marker_(std::move(marker)) {}
  Status begin_log(std::uint32_t link);
  Status try_write();
  Status try_sync();
  Status try_close();
  Status try_tend();
  Status settle(Status status);

  Environment environment_;
  LogPlace place_;
  std::vector<OldLog> old_;  // from the oldest on
  wal::LogMarker marker_;
  std::uint64_t number_ = 0;
  std::string path_;
  File file_;
  hfile::ByteWriter buffer_;
  std::optional<wal::LogWriter> writer_;
  std::uint64_t written_ = 0;  // bytes of the file
  std::uint64_t synced_ = 0;
  std::uint64_t last_sequence_ = 0;
  Status outcome_;  // the first error
};

// Returns the logs of the directory in their order. Errors: kIo.
Result<std::vector<std::string>> logs_in(FileSystem& files, const std::string& directory);

}  // namespace bloomery::store
