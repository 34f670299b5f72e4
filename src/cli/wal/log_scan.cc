#include "cli/wal/log_scan.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/byte_text.h"
#include "base/file.h"

namespace bloomery::cli {
namespace {

void count_entry(const wal::LogEntry& entry, LogScan& scan) {
  ++scan.entries;
  scan.cells += entry.cells.size();
  scan.markers += entry.is_marker() ? 1U : 0U;
  ++scan.regions[fmt::format("{}/{}", escape_bytes(entry.table), escape_bytes(entry.region))];
  scan.first_time = std::min(scan.first_time.value_or(entry.write_time), entry.write_time);
  scan.last_time = std::max(scan.last_time.value_or(entry.write_time), entry.write_time);
}

}  // namespace

Result<LogScan> scan_log(const std::string& path, const std::optional<wal::LogMark>& mark,
                         const FileMemory& memory, const wal::EntryUse& use) {
  const wal::LogReadOptions options{
      .kind = wal::log_kind_of(path), .memory = memory, .mark = mark, .despite_header = true};
  BLOOMERY_ASSIGN_OR_RETURN(wal::LogReader reader, wal::LogReader::open(FileSystem::real(), path, options));
  LogScan scan{.size_bytes = reader.size_bytes()};
  auto damage = wal::read_past_damage(reader, [&](const wal::LogEntry& entry) {
    count_entry(entry, scan);
    return use(entry);
  });
  if (!damage) {
    return in_file(Result<LogScan>(damage.error()), path);
  }
  scan.damage = *std::move(damage);
  scan.header = reader.header();
  scan.end = reader.end();
  scan.link = reader.link();
  return scan;
}

std::string describe_end(const LogScan& scan) {
  const std::string grown = scan.end.has_grown ? "; the log grows" : "";
  switch (scan.end.kind) {
    case wal::LogEndKind::kClosed:
      return "closed";
    case wal::LogEndKind::kOpen:
      return fmt::format("not closed, ends after an entry at byte {}{}", scan.end.offset, grown);
    case wal::LogEndKind::kTorn:
      return fmt::format("torn at byte {}: {}{}", scan.end.offset, scan.end.detail, grown);
  }
  return "";
}

}  // namespace bloomery::cli
