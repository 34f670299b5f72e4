#include "cli/wal/wal_paths.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <system_error>

#include "base/file.h"
#include "base/message.h"
#include "hash/ascii_text.h"
#include "wal/log_header.h"

namespace bloomery::cli {
namespace {

namespace fs = std::filesystem;

// A directory of logs is named after a server: host,port,start, while it is recovered with "-splitting".
bool has_name_of_log(const fs::path& file) {
  const std::string folder = file.parent_path().filename().string();
  const std::string name = file.filename().string();
  if (name.empty() || name.front() == '.') {
    return false;
  }
  if (folder == "recovered.edits") {
    return std::ranges::all_of(name, is_ascii_digit);
  }
  return std::ranges::count(folder, ',') == 2 && name.find("%2C") != std::string::npos;
}

bool begins_as_log(const std::string& path) {
  FileSystem& files = FileSystem::real();
  std::array<std::byte, wal::kLogMagic.size()> front{};
  const auto file = files.open(path, OpenFor::kReading);
  const auto read = file ? files.read_at(*file, 0, front) : Result<std::size_t>(0);
  const std::string_view text(reinterpret_cast<const char*>(front.data()), read ? *read : 0);
  return text == wal::kLogMagic;
}

Status add_logs_below(const std::string& directory, std::vector<std::string>& logs) {
  std::error_code error;
  fs::recursive_directory_iterator at(directory, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code gone;
    if (at->is_regular_file(gone) && (has_name_of_log(at->path()) || begins_as_log(at->path().string()))) {
      logs.push_back(at->path().string());
    }
  }
  return error ? Status(Error::io(directory, "read directory", error.value())) : Status();
}

Status add_directory_of_logs(const std::string& directory, std::vector<std::string>& logs) {
  std::vector<std::string> found;
  std::error_code unknown;
  const std::string wals = message(directory, "/WALs");
  if (fs::is_directory(wals, unknown)) {
    BLOOMERY_RETURN_IF_ERROR(add_logs_below(wals, found));
    if (const std::string data = message(directory, "/data"); fs::is_directory(data, unknown)) {
      BLOOMERY_RETURN_IF_ERROR(add_logs_below(data, found));
    }
  } else {
    BLOOMERY_RETURN_IF_ERROR(add_logs_below(directory, found));
  }
  if (found.empty()) {
    return Error::invalid_argument(directory, "expected logs in the directory or below it, found none");
  }
  std::ranges::sort(found);
  logs.insert(logs.end(), found.begin(), found.end());
  return {};
}

}  // namespace

Result<std::vector<std::string>> find_logs(const std::vector<std::string>& names) {
  std::vector<std::string> logs;
  for (const std::string& name : names) {
    std::error_code unknown;
    if (fs::is_directory(name, unknown)) {
      BLOOMERY_RETURN_IF_ERROR(add_directory_of_logs(name, logs));
    } else {
      logs.push_back(name);
    }
  }
  return logs;
}

}  // namespace bloomery::cli
