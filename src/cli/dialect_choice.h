// `--dialect`: which files are filters of other systems, and of which.
//
// A file that begins as Bloomery's own filters do is one of them, whatever is asked. Any other is of the
// dialect that is named; where none is, of the one that its bytes are certainly of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "bloomery/base/result.h"
#include "bloomery/dialects/dialects.h"
#include "cli/file_memory_option.h"

namespace bloomery::cli {

class DialectChoice {
 public:
  // Adds the option to a verb.
  void add_to(CLI::App& verb);
  // Adds `--file-memory`, for a verb that opens filters.
  void add_memory_to(CLI::App& verb) { memory_.add_to(verb); }

  // As it was given: NAME[:OPTION]; empty when it was not.
  const std::string& given() const { return given_; }
  // Errors: kInvalidArgument.
  Result<FileMemory> memory() const { return memory_.parse(); }

  // The dialect to open `path` as; nothing for a filter of ours. Errors: kInvalidArgument, naming the
  // candidates, where the bytes do not tell; kCorruption where they are of none that is recognised;
  // kNotFound, kIo.
  Result<std::optional<std::string>> of_file(const std::string& path) const;

  // Errors: kInvalidArgument where `path` is of a dialect: "guava: WHY".
  Status refuse(const std::string& path, const std::string& why) const;

 private:
  std::string given_;
  FileMemoryOption memory_;
};

// Returns the row of "guava:mitz64"; nothing for a name that is not known.
std::optional<DialectDescription> describe_dialect(std::string_view dialect);

// An error of something that a dialect cannot do: wrong use, where opening a file calls it damage.
Error cannot_do(const Error& error);

}  // namespace bloomery::cli
