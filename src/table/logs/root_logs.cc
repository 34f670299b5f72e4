#include "table/logs/root_logs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/file.h"
#include "base/message.h"
#include "table/layout/disk_calls.h"
#include "hash/ascii_text.h"

namespace bloomery::table {
namespace {

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

}  // namespace

Status append_server_logs(const RootDirectory& root, std::vector<std::string>& logs) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto servers, list_if_there(root.files(), root.logs()));
  for (const DirectoryEntry& server : servers) {
    if (server.is_directory) {
      BLOOMERY_RETURN_IF_ERROR(
          append_logs(root.files(), message(root.logs(), "/", server.name), is_log_of_tables, logs));
    }
  }
  return {};
}

Status append_region_logs(FileSystem& files, const std::string& region, std::vector<std::string>& logs) {
  return append_logs(files, region + "/recovered.edits", is_log_of_region, logs);
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
