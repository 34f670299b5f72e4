#include "table/store_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>

#include <system_error>

#include "hfile/recognition.h"

namespace bloomery::table {
namespace {

namespace fs = std::filesystem;

// Returns every file below the directory, sorted.
Result<std::vector<std::string>> all_files(const std::string& path) {
  std::error_code code;
  std::vector<std::string> files;
  fs::recursive_directory_iterator at(path, code);
  for (; !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
    std::error_code unknown;
    if (at->is_directory(unknown)) {
      if (at->path().filename().string().starts_with('.')) {
        at.disable_recursion_pending();
      }
    } else {
      files.push_back(at->path().string());
    }
  }
  if (code) {
    return Error::io(path, "read", code.value());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

// The files of one directory are taken for one store.
Result<FoundFiles> find_hfiles(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) {
    return Error::io(path, "open", ENOENT);
  }
  if (status.type() != fs::file_type::directory) {
    return Error::invalid_argument(path, "expected a directory of HFiles, found another file");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<std::string> files, all_files(path));
  FoundFiles found;
  std::map<std::string, std::vector<std::string>> stores;
  for (const std::string& file : files) {
    const Result<bool> is_one = hfile::looks_like_hfile(file);
    if (!is_one) {
      found.errors.push_back(is_one.error());
    } else if (*is_one) {
      stores[fs::path(file).parent_path().string()].push_back(file);
    } else {
      found.others.push_back(file);
    }
  }
  for (auto& [directory, of_store] : stores) {
    found.stores.push_back({directory, std::move(of_store)});
  }
  return found;
}

}  // namespace bloomery::table
