// Reads a log from its beginning to its end, past damage, and counts what it has.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "wal/log_damage.h"

namespace bloomery::cli {

struct LogScan {
  wal::LogHeader header = {};
  wal::LogEnd end = {};
  std::vector<wal::LogDamage> damage = {};
  std::uint64_t size_bytes = 0;
  std::uint64_t entries = 0;
  std::uint64_t markers = 0;
  std::uint64_t cells = 0;
  std::map<std::string, std::uint64_t> regions = {};  // "table/region" with the number of entries
  std::optional<std::uint64_t> first_time = {};       // the least write time
  std::optional<std::uint64_t> last_time = {};
  std::uint32_t link = 0;  // of the last record of a sealed log

  bool is_sealed() const { return header.seal.has_value(); }
};

// Reads the log at `path`. With `mark` it must be intact up to there. Errors: those of opening a log, of
// reading it, and of `use`; damage of the entries, or of the header, is no error here.
Result<LogScan> scan_log(const std::string& path, const std::optional<wal::LogMark>& mark,
                         const FileMemory& memory, const wal::EntryUse& use);

// Returns one line about the end, for example "closed" or "torn at byte 81: ...".
std::string describe_end(const LogScan& scan);

}  // namespace bloomery::cli
