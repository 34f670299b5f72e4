// The genuine logs of tests/golden/hbase-wal, and a log that a test holds in memory.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/codec/golden_archive.h"
#include "tests/hfile/memory_files.h"
#include "wal/log_reader.h"

namespace bloomery {

inline const std::map<std::string, std::string>& golden_logs() {
  static const std::map<std::string, std::string> files = golden_archive("hbase-wal/logs");
  return files;
}

// Calls visit(path, bytes) for the logs whose path begins with `folder`.
template <typename Visit>
void for_each_golden_log(std::string_view folder, Visit visit) {
  std::size_t count = 0;
  for (const auto& [path, bytes] : golden_logs()) {
    if (path.starts_with(folder) && !path.ends_with("/")) {
      visit(path, bytes);
      ++count;
    }
  }
  EXPECT_GT(count, 0u) << folder;
}

// Opens the bytes that `files` holds.
inline Result<wal::LogReader> opened_log(MemoryFiles& files, const std::string& path,
                                         wal::LogReadOptions options = {}) {
  options.kind = wal::log_kind_of(path);
  return wal::LogReader::open(files, path, options);
}

// Reads all entries, calls use(entry) for each, and returns the error, or nothing.
template <typename Use>
std::optional<Error> read_all(wal::LogReader& reader, Use use) {
  for (;;) {
    const Result<bool> found = reader.next();
    if (!found) {
      return found.error();
    }
    if (!*found) {
      return std::nullopt;
    }
    use(reader.entry());
  }
}

}  // namespace bloomery
