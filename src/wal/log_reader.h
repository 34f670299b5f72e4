// Reads a write-ahead log of HBase 2.4 to 3, entry by entry, in bounded memory.
//
// How a log ends, and what an entry that cannot be read means:
//
//   at the end of the entries                              outcome
//   a trailer                                              kClosed
//   nothing                                                kOpen: no word tells if more was written
//   bytes that are no entry, and no entry after them       kTorn: the writer was interrupted
//   bytes that are no entry, then an entry or a trailer    an error: damage
//   bytes that are no entry, below the mark                an error: damage
//
// In a sealed log (log_seal.h) "an entry" is one whose link is correct. An entry whose link is correct but
// whose previous link is not that of the record before is an error, too: entries are missing, repeated or
// exchanged. In a log without seals an entry is what parses completely; nothing vouches for its bytes, as in
// HBase. A compressed log cannot be searched, so there every end inside of an entry, and every rest of zeros,
// is kTorn, and other bytes are an error.
//
// After an error skip_damage() continues with the next entry. A log that grows while it is read ends at the
// size that it had when it was opened; LogEnd::has_grown then says so.
//
// Example:
//    BLOOMERY_ASSIGN_OR_RETURN(LogReader log, LogReader::open(FileSystem::real(), path, {}));
//    for (;;) {
//      BLOOMERY_ASSIGN_OR_RETURN(const bool found, log.next());
//      if (!found) break;
//      use(log.entry());        // views, until the next call
//    }
//
// Threads: one at a time. Not here: which edits are already in a table's files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "wal/compressed_entry.h"
#include "wal/log_entry.h"
#include "wal/log_header.h"
#include "wal/log_mark.h"
#include "wal/log_window.h"

namespace bloomery::wal {

struct LogReadOptions {
  LogKind kind = LogKind::kServerLog;
  // A larger entry is an error, unless it is in the buffer already. The buffer has at most so many bytes, and
  // half a megabyte.
  std::uint64_t max_entry_bytes = std::uint64_t{256} << 20;
  FileMemory memory = {};
  // The log is intact up to its length, or damaged. Its name is not compared.
  std::optional<LogMark> mark = std::nullopt;
  // A damaged header is the error of the first next(), and not of open(). The log is then read as one that is
  // not compressed.
  bool despite_header = false;
  // The link that the header of the next log names: what follows the record of this link is a torn end,
  // whatever it is.
  std::optional<std::uint32_t> ends_at_link = std::nullopt;
  // What follows the mark, and is no entry after its neighbour, is a torn end, even if entries follow it: an
  // interrupted system may have written any part of what was not synced.
  bool is_torn_after_mark = false;
};

// Returns kRecoveredEdits for a file in a directory of that name.
LogKind log_kind_of(const std::string& path);

enum class LogEndKind { kClosed, kOpen, kTorn };

struct LogEnd {
  LogEndKind kind = LogEndKind::kOpen;
  std::uint64_t offset = 0;  // of the first byte after the last entry
  std::string detail = {};   // of kTorn: what was expected there
  bool has_grown = false;    // the file is larger than when it was opened
};

class LogReader {
 public:
  // Errors: those of read_log_header(), kIo, kNotFound, kCapacity. A log that ends inside of its header has
  // no entries and is torn.
  static Result<LogReader> open(FileSystem& files, const std::string& path, const LogReadOptions& options);

  const LogHeader& header() const { return header_; }
  bool is_sealed() const { return header_.seal.has_value(); }
  bool is_compressed() const { return header_.is_compressed.value_or(false); }
  const std::optional<LogTrailer>& trailer() const { return trailer_; }
  std::uint64_t size_bytes() const { return window_->size(); }

  // Reads the next entry. Returns false at the end. Errors: kCorruption with the offset; kIo; kCapacity.
  Result<bool> next();
  // The entry that next() read.
  const LogEntry& entry() const { return entry_; }
  // The number of entries that were read, and the link of the last one, or of the header.
  std::uint64_t entries() const { return entries_; }
  std::uint32_t link() const { return link_; }
  // The first byte that is not read yet.
  std::uint64_t position() const { return position_; }

  // After an error of next(): moves to the next entry that can be read, or to the trailer. Returns false if
  // there is none.
  bool skip_damage();
  // After next() returned false: how the log ended.
  const LogEnd& end() const { return end_; }

 private:
  // The outcome of an attempt to read an entry.
  enum class Attempt { kEntry, kCut, kBad };

  LogReader() = default;
  Status read_header(const LogReadOptions& options, const std::shared_ptr<MemoryBudget>& budget);
  Status use_header(HeaderRead read, const LogReadOptions& options,
                    const std::shared_ptr<MemoryBudget>& budget);
  Status read_trailer();
  Result<Attempt> try_entry(std::uint64_t offset);
  Attempt bad(std::size_t at, const char* expected);
  bool grow_cells(class EntryBytes& in);
  const char* read_cells(class EntryBytes& in, std::uint64_t count);
  const char* read_parts(class EntryBytes& in);
  bool may_begin_entry(std::span<const std::byte> bytes) const;
  Result<bool> find_entry(std::uint64_t from);
  Result<bool> rest_is_torn();
  Status check_chain();
  Status check_mark(std::uint64_t from, std::uint64_t to);
  bool may_be_torn() const;
  bool is_mark_of_trailer(const LogMark& mark) const;
  Result<bool> end_here(LogEndKind kind, std::string detail);
  Result<bool> end_of_entries();
  Result<bool> no_entry(Attempt attempt);
  Error end_after(const Error& error);
  Error problem_error(Attempt attempt) const;

  FileSystem* files_ = nullptr;
  LogKind kind_ = LogKind::kServerLog;
  std::unique_ptr<LogWindow> window_;
  std::optional<Error> header_error_;
  LogHeader header_;
  std::optional<LogTrailer> trailer_;
  std::optional<LogMark> mark_;
  bool is_torn_after_mark_ = false;
  std::optional<std::uint32_t> ends_at_link_;
  std::unique_ptr<CompressedEntry> compressed_;
  LogEntry entry_;
  MemoryShare cells_memory_;
  std::optional<Seal> entry_seal_;  // of the entry that was tried last
  std::uint64_t entries_end_ = 0;   // where the trailer begins, or the size
  std::uint64_t position_ = 0;
  std::uint64_t entries_ = 0;
  std::uint32_t link_ = 0;
  std::uint64_t problem_at_ = 0;  // of the entry that was tried last
  const char* problem_ = "";
  bool is_too_large_ = false;
  std::optional<std::uint64_t> resume_;  // after an error: where the next entry is
  bool has_skipped_ = false;             // some bytes
  bool begins_chain_ = false;            // the next entry follows skipped bytes
  bool has_ended_ = false;
  LogEnd end_;
};

}  // namespace bloomery::wal
