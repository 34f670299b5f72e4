#include "cli/resume_record.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <sstream>
#include <string_view>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/file_conflicts.h"
#include "filter/native/native_header.h"

namespace bloomery::cli {
namespace {

constexpr std::array<std::string_view, 3> kWithoutEffect = {"--force", "--summary", "--no-summary"};

// Returns the text on one line, with a line end as "\n" and a backslash as "\\".
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    line += c == '\\' ? "\\\\" : c == '\n' ? "\\n" : std::string(1, c);
  }
  return line;
}

Result<std::string> input_line(const std::string& name) {
  struct stat facts {};
  const int found = name == "-" ? ::fstat(STDIN_FILENO, &facts) : ::stat(name.c_str(), &facts);
  if (found != 0) {
    return Error::io(name, "look at", errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    return "input: " + on_one_line(name) + ", a stream\n";
  }
  return fmt::format("input: {}, file {} of device {}, {} bytes, changed at {}.{:09}\n", on_one_line(name),
                     facts.st_ino, facts.st_dev, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
}

}  // namespace

Result<std::string> resume_record(const BuildPlan& plan, const HashSpec& hash) {
  std::string record = "bloomery build --resume: 1\n";
  for (const std::string& word : command_words()) {
    if (std::ranges::find(kWithoutEffect, word) == kWithoutEffect.end()) {
      record += "word: " + on_one_line(word) + "\n";
    }
  }
  std::error_code unknown;
  record += "output: " + on_one_line(std::filesystem::absolute(plan.output, unknown).string()) + "\n";
  for (const std::string& name : or_standard_input(plan.files)) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string line, input_line(name));
    record += line;
  }
  return record +
         fmt::format("hash: {}, seed {}, key {:016x}\n", hash_name(hash.id), hash.seed, key_id_of(hash));
}

std::string record_difference(const std::string& wanted, const std::string& found) {
  std::istringstream wanted_lines(wanted);
  std::istringstream found_lines(found);
  std::string want;
  std::string have;
  for (;;) {
    const bool more = static_cast<bool>(std::getline(wanted_lines, want));
    const bool other = static_cast<bool>(std::getline(found_lines, have));
    if (!more && !other) {
      return "expected the same record, found another";
    }
    if (more != other || want != have) {
      return fmt::format("expected '{}', found '{}'", more ? want : "the end", other ? have : "the end");
    }
  }
}

}  // namespace bloomery::cli
