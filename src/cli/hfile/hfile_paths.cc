#include "cli/hfile/hfile_paths.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include <fmt/core.h>
#include <system_error>

#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "hash/ascii_text.h"
#include "hfile/recognition.h"

namespace bloomery::cli {
namespace {

namespace fs = std::filesystem;

// Returns true if the name has the form of HBase's store files: at least 32 hexadecimal digits, followed by
// _SeqId_N_ if the file was bulk loaded. Links and references to half files have other names.
bool is_store_file_name(std::string_view name) {
  constexpr std::size_t kDigits = 32;
  constexpr std::string_view kLoaded = "_SeqId_";
  const std::size_t end = std::min(name.find_first_not_of("0123456789abcdef"), name.size());
  std::string_view rest = name.substr(end);
  if (end < kDigits || rest.empty()) {
    return end >= kDigits;
  }
  if (!rest.starts_with(kLoaded) || !rest.ends_with('_')) {
    return false;
  }
  rest = rest.substr(kLoaded.size(), rest.size() - kLoaded.size() - 1);
  return !rest.empty() && std::ranges::all_of(rest, is_ascii_digit);
}

// Returns the regular files of a directory and its subdirectories, ordered by path.
Result<std::vector<std::string>> files_below(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator at(directory, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code gone;
    if (at->is_regular_file(gone)) {
      files.push_back(at->path().string());
    }
  }
  if (error) {
    return Error::io(directory, "read directory", error.value());
  }
  std::ranges::sort(files);
  return files;
}

Status add_directory(const std::string& directory, HFilePaths& found) {
  found.has_directory = true;
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<std::string> files, files_below(directory));
  const std::size_t before = found.files.size();
  for (const std::string& file : files) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_one, hfile::looks_like_hfile(file));
    if (is_one || is_store_file_name(fs::path(file).filename().string())) {
      found.files.push_back({.path = file, .is_damaged = !is_one});
    } else if (found.passed_over++ == 0) {
      found.first_passed_over = file;
    }
  }
  if (found.files.size() > before) {
    return {};
  }
  return Error::invalid_argument(
      directory, fmt::format("expected HFiles in the directory or below it, found none among {}",
                             show_count_of(files.size(), "file")));
}

}  // namespace

Status HFilePath::check() const {
  return is_damaged
             ? Status(Error::corruption(
                   path, 0,
                   "expected an HFile, as its name says, found neither its first block nor its trailer"))
             : Status();
}

Result<HFilePaths> find_hfiles(const std::vector<std::string>& names) {
  HFilePaths found;
  for (const std::string& name : names) {
    std::error_code unknown;
    if (fs::is_directory(name, unknown)) {
      BLOOMERY_RETURN_IF_ERROR(add_directory(name, found));
    } else {
      found.files.push_back({.path = name});
    }
  }
  return found;
}

void tell_of_passed_over(std::string_view verb, const HFilePaths& found) {
  if (found.passed_over == 1) {
    warn(verb, fmt::format("{} is no HFile and was passed over", found.first_passed_over));
  } else if (found.passed_over != 0) {
    warn(verb, fmt::format("{} and {} more are no HFiles and were passed over", found.first_passed_over,
                           show_count(found.passed_over - 1)));
  }
}

}  // namespace bloomery::cli
