// A sealed log of small entries, which a test damages.
#pragma once

#include <string>
#include <vector>

#include "wal/log_writer.h"

namespace bloomery {

// The texts of an entry: LogEntry has views.
struct OwnedEntry {
  std::string row;
  std::string value;
  std::uint64_t sequence_id = 0;

  wal::LogEntry entry() const {
    wal::LogEntry made{.region = "0123456789abcdef0123456789abcdef",
                       .table = "t",
                       .sequence_id = sequence_id,
                       .write_time = 1700000000000 + sequence_id};
    made.cells.push_back({.key = {row, "f", "q", 1700000000000, CellType::kPut}, .value = value});
    return made;
  }
};

inline std::vector<OwnedEntry> owned_entries(std::size_t count, const std::string& word = "value") {
  std::vector<OwnedEntry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    entries.push_back({"row-" + std::to_string(i), word + "-" + std::to_string(i), i + 1});
  }
  return entries;
}

struct SealedLog {
  std::string bytes;
  std::vector<std::size_t> ends;     // of the header and of each entry
  std::vector<std::uint32_t> links;  // of these
};

enum class Closing { kOpen, kClosed };

inline SealedLog sealed_log(const std::vector<OwnedEntry>& entries, Closing closing,
                            std::uint32_t previous = 0) {
  wal::LogHeader header;
  header.seal = wal::Seal{.previous = previous};
  hfile::ByteWriter out;
  wal::LogWriter writer(out, header);
  SealedLog log;
  const auto note = [&] {
    log.ends.push_back(out.size());
    log.links.push_back(writer.link());
  };
  note();
  for (const OwnedEntry& entry : entries) {
    (void)writer.append(entry.entry());
    note();
  }
  if (closing == Closing::kClosed) {
    writer.close();
  }
  log.bytes = out.text();
  return log;
}

}  // namespace bloomery
