#include "dialects/database_logs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include "base/directory.h"
#include "codec/sstable/log_records.h"
#include "codec/sstable/write_batch.h"
#include "dialects/whole_file.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// The end of the names of RocksDB's own timestamp comparators.
constexpr std::string_view kTimestamped = ".u64ts";
constexpr std::size_t kUsualTimestampBytes = 8;

struct FoundLog {
  std::uint64_t number;
  std::string path;
};

Result<std::vector<FoundLog>> find_logs(const std::string& folder, const sstable::LiveFiles& live) {
  std::vector<FoundLog> found;
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, list_directory(folder));
  for (const DirectoryEntry& entry : entries) {
    const auto number = number_in_name(entry.name, ".log");
    if (number && (*number >= live.first_log() || (*number == live.previous_log() && *number != 0))) {
      found.push_back({*number, (fs::path(folder) / entry.name).string()});
    }
  }
  return found;
}

// Returns the path of the newest OPTIONS file; empty if there is none.
Result<std::string> newest_options(const std::string& folder) {
  std::string newest;
  std::uint64_t highest = 0;
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, list_directory(folder));
  for (const DirectoryEntry& entry : entries) {
    constexpr std::string_view kFront = "OPTIONS-";
    const auto number =
        entry.name.starts_with(kFront) ? number_in_name(entry.name.substr(kFront.size()), "") : std::nullopt;
    if (number && (newest.empty() || *number > highest)) {
      newest = (fs::path(folder) / entry.name).string();
      highest = *number;
    }
  }
  return newest;
}

// Returns the log folder that RocksDB's options name; empty for the database's own folder.
Result<std::string> named_log_folder(const std::string& folder) {
  constexpr std::string_view kOption = "wal_dir=";
  BLOOMERY_ASSIGN_OR_RETURN(const std::string options, newest_options(folder));
  std::ifstream file(options);
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || !std::string_view(line).substr(begin).starts_with(kOption)) {
      continue;
    }
    std::string named;
    for (std::size_t i = begin + kOption.size(); i < line.size(); ++i) {
      i += std::size_t{line[i] == '\\' && i + 1 < line.size()};  // a backslash escapes the next character
      named += line[i];
    }
    return named;
  }
  return std::string();
}

// Adds the logs in the folder that RocksDB's options name, if it is another folder.
Status add_logs_elsewhere(const std::string& folder, const sstable::LiveFiles& live,
                          std::vector<FoundLog>& logs) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string named, named_log_folder(folder));
  std::error_code ignored;
  if (named.empty() || fs::equivalent(named, folder, ignored)) {
    return {};
  }
  if (!fs::is_directory(named, ignored)) {
    if (!logs.empty()) {
      return {};  // the database was moved together with its logs
    }
    return Error(ErrorCode::kNotFound, named,
                 "expected the write-ahead log of " + folder + ", as its OPTIONS file says, found no folder");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<FoundLog> more, find_logs(named, live));
  logs.insert(logs.end(), more.begin(), more.end());
  return {};
}

bool bytes_decide(std::string_view comparator) {
  if (comparator.ends_with(kTimestamped)) {
    comparator.remove_suffix(kTimestamped.size());
  }
  return comparator == sstable::kBytewiseComparator || comparator == "rocksdb.ReverseBytewiseComparator";
}

}  // namespace

std::optional<std::uint64_t> number_in_name(std::string_view name, std::string_view extension) {
  if (name.size() <= extension.size() || !name.ends_with(extension)) {
    return std::nullopt;
  }
  return number_from_text<std::uint64_t>(name.substr(0, name.size() - extension.size()));
}

// Reads one log after another.
class LogReading {
 public:
  LogReading(const std::map<std::uint64_t, std::string>& asked, std::shared_ptr<MemoryBudget> budget)
      : asked_(asked), keys_(std::make_shared<LogKeys>()) {
    keys_->memory_ = MemoryShare(std::move(budget));
  }

  Result<DatabaseLog> read(const FoundLog& log) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::shared_ptr<MappedFile> mapping, map_whole(log.path));
    const std::span<const std::byte> bytes = bytes_of_mapping(*mapping);
    DatabaseLog read{.name = fs::path(log.path).filename().string(), .size_bytes = bytes.size()};
    sstable::LogRecords records(bytes, log.number, log.path);
    const Status taken = take(records, log.path, read);
    BLOOMERY_RETURN_IF_ERROR(mapping->status());
    if (!taken) {
      return taken.error();
    }
    read.is_torn = records.is_torn();
    return read;
  }

  std::shared_ptr<const LogKeys> finish() {
    keys_->table_ = ExceptionTable::of(std::move(hashes_));
    return keys_;
  }

 private:
  Status take(sstable::LogRecords& records, const std::string& path, DatabaseLog& read) {
    while (true) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool more, records.next());
      if (!more) {
        return {};
      }
      const Status visited = sstable::visit_write_batch(
          records.record(), records.offset(), [&](std::uint32_t family, std::string_view key) -> Status {
            ++read.writes;
            return add(family, key, records);
          });
      if (!visited) {
        return visited.error().in_file(path);
      }
    }
  }

  Status add(std::uint32_t family, std::string_view key, const sstable::LogRecords& records) {
    const auto asked = asked_.find(family);
    if (asked == asked_.end()) {
      return {};
    }
    const auto stated = records.timestamp_bytes().find(family);
    const std::size_t usual = asked->second.ends_with(kTimestamped) ? kUsualTimestampBytes : 0;
    const std::size_t timestamp = stated != records.timestamp_bytes().end() ? stated->second : usual;
    if (timestamp > key.size()) {
      return Error::corruption("write batch", records.offset(),
                               "a key with a timestamp of " + std::to_string(timestamp) + " bytes",
                               std::to_string(key.size()) + " bytes");
    }
    keys_->may_be_any_ = keys_->may_be_any_ || !bytes_decide(asked->second);
    key.remove_suffix(timestamp);
    // A growing list is copied into one of twice the size, and the table has a bitmap.
    constexpr std::uint64_t kBytesPerKey = 2 * sizeof(Hash128) + 4;
    BLOOMERY_RETURN_IF_ERROR(keys_->memory_.add("keys of the log", kBytesPerKey));
    hashes_.push_back(hash_bytes(key, HashSpec()));
    return {};
  }

  const std::map<std::uint64_t, std::string>& asked_;
  std::shared_ptr<LogKeys> keys_;
  std::vector<Hash128> hashes_;
};

namespace {

// Checks that each required log that RocksDB's manifest lists exists and has its synced bytes.
Status check_written_logs(const std::string& folder, const sstable::LiveFiles& live,
                          const std::map<std::uint64_t, std::uint64_t>& sizes) {
  for (const auto& [number, synced] : live.written_logs()) {
    const auto found = sizes.find(number);
    if (number >= live.first_log() && (found == sizes.end() || found->second < synced)) {
      return Error(ErrorCode::kCorruption, folder,
                   "expected the log " + std::to_string(number) + " with " + std::to_string(synced) +
                       " bytes or more, as the manifest says, found " +
                       (found == sizes.end() ? "none" : std::to_string(found->second) + " bytes"));
    }
  }
  return {};
}

}  // namespace

Result<ReadLogs> read_logs(const std::string& folder, const sstable::LiveFiles& live,
                           const std::map<std::uint64_t, std::string>& asked, const FileMemory& memory) {
  BLOOMERY_ASSIGN_OR_RETURN(std::vector<FoundLog> found, find_logs(folder, live));
  BLOOMERY_RETURN_IF_ERROR(add_logs_elsewhere(folder, live, found));
  std::ranges::sort(found, {}, [](const FoundLog& log) { return std::pair(log.number, log.path); });
  std::uint64_t total = 0;
  for (const FoundLog& log : found) {
    BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, FileSystem::real().facts(log.path));
    total += facts.size_bytes;
  }
  LogReading reading(asked, MemoryBudget::of_file(memory, total));
  ReadLogs all;
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (const FoundLog& log : found) {
    BLOOMERY_ASSIGN_OR_RETURN(DatabaseLog read, reading.read(log));
    sizes[log.number] = std::max(sizes[log.number], read.size_bytes);
    all.logs.push_back(std::move(read));
  }
  BLOOMERY_RETURN_IF_ERROR(check_written_logs(folder, live, sizes));
  all.keys = reading.finish();
  return all;
}

}  // namespace bloomery
