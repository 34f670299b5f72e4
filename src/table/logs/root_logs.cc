#include "table/logs/root_logs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/message.h"
#include "hash/ascii_text.h"
#include "table/layout/disk_calls.h"

namespace bloomery::table {
namespace {

constexpr std::string_view kMarkEnd = ".mark";

bool is_log_of_tables(const DirectoryEntry& entry) {
  constexpr std::array<std::string_view, 3> kOthers = {".meta", ".crc", ".mark"};
  return !entry.is_directory && entry.size > 0 && !entry.name.starts_with('.') &&
         std::ranges::none_of(kOthers, [&](std::string_view end) { return entry.name.ends_with(end); });
}

bool is_log_of_region(const DirectoryEntry& entry) {
  return !entry.is_directory && entry.size > 0 && std::ranges::all_of(entry.name, is_ascii_digit);
}

// Appends the paths of the entries of `folder` that are logs.
template <typename IsLog>
Status append_logs(FileSystem& files, const std::string& folder, IsLog is_log,
                   std::vector<std::string>& logs) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, list_if_there(files, folder));
  for (const DirectoryEntry& entry : entries) {
    if (is_log(entry)) {
      logs.push_back(message(folder, "/", entry.name));
    }
  }
  return {};
}

// Returns true if the log of this mark is not among the logs in its directory, but must have bytes.
bool is_mark_alone(const DirectoryEntry& mark, const std::vector<DirectoryEntry>& entries,
                   const RootDirectory& root, const std::string& log) {
  const std::string name = log.substr(log.rfind('/') + 1);
  if (mark.size == 0 || !is_log_of_tables({.name = name, .size = 1})) {
    return false;
  }
  const auto found = std::ranges::lower_bound(entries, name, {}, &DirectoryEntry::name);
  return found == entries.end() || found->name != name ? !is_archived(root, log) : found->size == 0;
}

// Appends the logs that only their marks prove: empty ones, and those that are gone.
Status append_marked_logs(const RootDirectory& root, const std::string& server,
                          std::vector<std::string>& logs) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, list_if_there(root.files(), server));
  for (const DirectoryEntry& entry : entries) {
    if (!entry.is_directory && entry.name.ends_with(kMarkEnd)) {
      std::string log = message(server, "/", entry.name.substr(0, entry.name.size() - kMarkEnd.size()));
      if (is_mark_alone(entry, entries, root, log)) {
        logs.push_back(std::move(log));
      }
    }
  }
  return {};
}

}  // namespace

Status append_server_logs(const RootDirectory& root, std::vector<std::string>& logs) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto servers, list_if_there(root.files(), root.logs()));
  for (const DirectoryEntry& server : servers) {
    const std::string folder = message(root.logs(), "/", server.name);
    if (server.is_directory) {
      BLOOMERY_RETURN_IF_ERROR(append_logs(root.files(), folder, is_log_of_tables, logs));
      BLOOMERY_RETURN_IF_ERROR(append_marked_logs(root, folder, logs));
    }
  }
  return {};
}

Status append_region_logs(FileSystem& files, const std::string& region, std::vector<std::string>& logs) {
  return append_logs(files, region + "/recovered.edits", is_log_of_region, logs);
}

// Returns the mark of the store (docs/formats/store.md) that wrote the log, if it is the one of this log.
static Result<std::optional<wal::LogMark>> mark_of_store(FileSystem& files, const std::string& log) {
  const std::filesystem::path place(log);
  const std::string path = (place.parent_path().parent_path().parent_path() / ".bloomery/MARK").string();
  if (!exists(files, path)) {
    return std::optional<wal::LogMark>();
  }
  BLOOMERY_ASSIGN_OR_RETURN(wal::LogMark mark, wal::read_log_mark(files, path));
  return mark.log == place.filename().string() ? std::optional(std::move(mark)) : std::nullopt;
}

Result<std::optional<wal::LogMark>> read_mark_of(FileSystem& files, const std::string& log) {
  const std::string path = message(log, kMarkEnd);
  const auto facts = files.facts(path);
  if (!facts && facts.error().code() != ErrorCode::kNotFound) {
    return facts.error();
  }
  if (!facts || facts->size_bytes == 0) {
    return mark_of_store(files, log);
  }
  BLOOMERY_ASSIGN_OR_RETURN(wal::LogMark mark, wal::read_log_mark(files, path));
  const std::string name = log.substr(log.rfind('/') + 1);
  if (mark.log != name) {
    return Error::corruption(path, 0, message("a mark of the log ", name), message("one of ", mark.log));
  }
  return std::optional(std::move(mark));
}

bool is_archived(const RootDirectory& root, const std::string& log) {
  const std::filesystem::path path = log;
  std::string server = path.parent_path().filename().string();
  server = server.substr(0, server.rfind("-splitting"));
  const std::string old = root.path() + "/oldWALs/";
  return exists(root.files(), old + path.filename().string()) ||
         exists(root.files(), message(old, server, "/", path.filename().string()));
}

Result<std::int64_t> settled_sequence(FileSystem& files, const std::string& region) {
  std::int64_t greatest = 0;
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, list_if_there(files, region + "/recovered.edits"));
  for (const DirectoryEntry& entry : entries) {
    std::int64_t number = 0;
    const char* const end = entry.name.data() + entry.name.size();
    const auto parsed = std::from_chars(entry.name.data(), end, number);
    const std::string_view rest(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
    if (parsed.ec == std::errc() && (rest == ".seqid" || rest == "_seqid")) {
      greatest = std::max(greatest, number);
    }
  }
  return greatest;
}

}  // namespace bloomery::table
