// Writes a log that is not compressed. For the same entries its bytes are those of HBase, but for the seals.
//
// Calls: the constructor writes the header, then append() and at most one close(). The bytes are appended to
// a buffer, which the caller writes to a file and clears between calls, as it needs.
//
// Not here: syncing, rolling, the mark (log_mark.h).
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/base/result.h"
#include "hfile/byte_writer.h"
#include "wal/log_entry.h"
#include "wal/log_header.h"

namespace bloomery::wal {

class LogWriter {
 public:
  // Appends to `out`, which must outlive the writer. A header with a seal makes a sealed log; `previous` of
  // that seal is the last link of the log before, or 0. The header must not say that the log is compressed.
  explicit LogWriter(hfile::ByteWriter& out, const LogHeader& header = {});

  // Errors: kInvalidArgument if a field is too long for its place, or region or table is empty. Nothing is
  // appended then.
  Status append(const LogEntry& entry);
  // Appends the trailer.
  void close();

  std::uint64_t entries() const { return entries_; }
  // The link of the last entry, or of the header, or 0 if the log is not sealed.
  std::uint32_t link() const { return link_.value_or(0); }

 private:
  hfile::ByteWriter& out_;
  hfile::ByteWriter key_;
  std::optional<std::uint32_t> link_;
  std::uint64_t entries_ = 0;
};

}  // namespace bloomery::wal
