#include "base/directory.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <system_error>

namespace bloomery {

namespace fs = std::filesystem;

Result<std::vector<DirectoryEntry>> list_directory(const std::string& path) {
  std::error_code error;
  std::vector<DirectoryEntry> entries;
  fs::directory_iterator at(path, error);
  while (error == std::errc::interrupted) {
    at = fs::directory_iterator(path, error);
  }
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    DirectoryEntry entry{.name = at->path().filename().string(), .is_directory = at->is_directory(ignored)};
    const auto size = entry.is_directory ? 0 : at->file_size(ignored);
    entry.size = ignored ? 0 : size;
    entries.push_back(std::move(entry));
  }
  if (error) {
    return Error::io(path, "read directory", error.value());
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

}  // namespace bloomery
