#include "cli/file_conflicts.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/link_target.h"
#include "bloomery/filter/leased_filter.h"
#include "cli/file_front.h"
#include "filter/native/native_header.h"

namespace bloomery::cli {
namespace {

std::vector<std::string>& given_words() {
  static std::vector<std::string> words;
  return words;
}

struct FileId {
  dev_t device;
  ino_t inode;
  bool operator==(const FileId&) const = default;
};

// Returns nothing for a missing file, and for one that is not regular.
std::optional<FileId> id_of(const std::string& name, int standard_stream) {
  struct stat facts {};
  const int found = name == "-" ? ::fstat(standard_stream, &facts) : ::stat(name.c_str(), &facts);
  if (found != 0 || !S_ISREG(facts.st_mode)) {
    return std::nullopt;
  }
  return FileId{facts.st_dev, facts.st_ino};
}

// Returns true if a file begins like one of our filters or is a leased file. A file that is not regular is
// not read.
bool begins_as_filter(const std::string& name) {
  if (name == "-" || !id_of(name, STDIN_FILENO)) {
    return false;
  }
  const Result<FileFront> front = FileFront::read(name, kNativeMagic.size());
  return (front && front->bytes == kNativeMagic) || LeasedFilter::is_one(name);
}

// The identity of a file that a run writes or reads. A file that does not exist yet is identified by its
// folder and name.
struct FilePlace {
  FileId id;
  std::string name;  // empty if the file exists
  bool operator==(const FilePlace&) const = default;
};

// Returns nothing if the file exists and is not regular, or if its folder does not exist.
std::optional<FilePlace> file_place_of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) {
    return S_ISREG(facts.st_mode) ? std::optional(FilePlace{{facts.st_dev, facts.st_ino}, ""}) : std::nullopt;
  }
  const std::filesystem::path target = link_target(path);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (::stat(folder.c_str(), &facts) != 0) {
    return std::nullopt;
  }
  return FilePlace{{facts.st_dev, facts.st_ino}, target.filename().string()};
}

// Returns the words up to the next option: the files that an option would swallow if it accepted several.
std::span<const std::string> files_behind(std::span<const std::string> words) {
  const auto end = std::ranges::find_if(
      words, [](const std::string& word) { return word.size() > 1 && word.front() == '-'; });
  return words.first(static_cast<std::size_t>(end - words.begin()));
}

std::string joined_words(std::span<const std::string> words, std::string_view before) {
  std::string text;
  for (const std::string& word : words) {
    text += fmt::format(" {}{}", before, word);
  }
  return text;
}

}  // namespace

const std::vector<std::string>& command_words() {
  return given_words();
}

Status check_output_is_no_input(const std::string& output, std::span<const std::string> inputs) {
  const std::optional<FileId> written = id_of(output, STDOUT_FILENO);
  for (const std::string& name : inputs) {
    if (written && id_of(name, STDIN_FILENO) == written) {
      return Error::invalid_argument(
          output == "-" ? "standard output" : output,
          fmt::format("expected a file that is not read too, found the input {}; nothing was changed",
                      name == "-" ? "standard input" : name));
    }
  }
  return {};
}

Status check_output_is_no_key_file(const std::string& output, const std::string& key_file) {
  std::optional<FilePlace> written;
  if (output != "-") {
    written = file_place_of(output);
  } else if (const std::optional<FileId> stream = id_of(output, STDOUT_FILENO)) {
    written = FilePlace{*stream, ""};
  }
  if (written && file_place_of(key_file) == written) {
    return Error::invalid_argument(
        output == "-" ? "standard output" : output,
        fmt::format("expected another file than the key file, which would be lost, found {}; nothing was "
                    "changed",
                    key_file));
  }
  return {};
}

Status check_not_swapped(const std::string& filter, std::span<const std::string> files) {
  if (!id_of(filter, STDIN_FILENO) || begins_as_filter(filter)) {
    return {};
  }
  const auto swapped = std::ranges::find_if(files, begins_as_filter);
  return swapped == files.end()
             ? Status()
             : Status(Error::invalid_argument(
                   filter,
                   fmt::format("expected a filter: FILTER comes first, then the files of lines; found the "
                               "filter behind it, {}",
                               *swapped)));
}

Status check_is_not_standard_output(std::string_view option, const std::string& output) {
  const std::optional<FileId> written = id_of(output, STDOUT_FILENO);
  if (written && written == id_of("-", STDOUT_FILENO)) {
    return Error::invalid_argument(
        std::string(option),
        fmt::format("expected another file than that of standard output, found {}; nothing was changed",
                    output));
  }
  return {};
}

std::span<const std::string> or_standard_input(const std::vector<std::string>& files) {
  static const std::vector<std::string> standard_input = {"-"};
  return files.empty() ? standard_input : files;
}

void set_given_words(std::span<char* const> words) {
  given_words().assign(words.begin(), words.end());
}

Status check_one_file_each(std::string_view option, std::string_view meaning, std::string_view otherwise) {
  const std::vector<std::string>& words = given_words();
  const auto end = std::ranges::find(words, "--");
  for (auto at = std::find(words.begin(), end, option); at != end; at = std::find(at + 1, end, option)) {
    const std::span<const std::string> files = files_behind({at + 1, end});
    if (files.size() < 2 || files.front() == "-") {  // the shell never expands a pattern to "-"
      continue;
    }
    const std::span<const std::string> others = files.subspan(1);
    return Error::invalid_argument(
        std::string(option),
        fmt::format(
            "expected one file, found {} more behind it; write either '{} {} --{}' ({}: {}; {}:{}) or '{}' "
            "({}: all {})",
            others.size(), option, files.front(), joined_words(others, ""), meaning, files.front(), otherwise,
            joined_words(others, ""), joined_words(files, std::string(option) + " ").substr(1), meaning,
            files.size()));
  }
  return {};
}

}  // namespace bloomery::cli
