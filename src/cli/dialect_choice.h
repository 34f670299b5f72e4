// `--dialect`: says which files are filters of other systems, and of which system.
//
//   1. A file that begins as Bloomery's own filters do is one of them. The option is then an error.
//   2. Any other file is of the dialect that the option names.
//   3. Without the option, it is of the only dialect that its bytes certainly are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/dialects/database.h"
#include "bloomery/dialects/dialects.h"
#include "cli/file_memory_option.h"
#include "cli/option_parser.h"

namespace bloomery::cli {

class DialectChoice {
 public:
  // Adds the option to a verb.
  void add_to(CLI::App& verb);
  // Adds `--file-memory`, for a verb that opens filters.
  void add_memory_to(CLI::App& verb) { memory_.add_to(verb); }

  // Adds `--column-family` and `--prefix-extractor`, for a verb that opens databases.
  void add_database_to(CLI::App& verb);

  // Returns the options for the database directory `path`. Errors: kInvalidArgument, also for a dialect that is
  // not of a database.
  Result<DatabaseOptions> for_database(const std::string& path) const;
  // Errors: kInvalidArgument if an option of databases was given for `path`, which is none.
  Status check_no_database(const std::string& path) const;

  // Returns NAME[:OPTION] as it was given; empty if it was not.
  const std::string& given() const { return given_; }
  // Errors: kInvalidArgument.
  Result<FileMemory> memory() const { return memory_.parse(); }

  // Returns the dialect to open `path` as; nothing for a filter of ours. `--prefix-extractor` becomes a part of
  // it. Errors:
  //
  //   kInvalidArgument    the bytes do not tell; the message names the candidates
  //   kCorruption         the bytes are of no dialect that can be recognised
  //   kNotFound, kIo      the file cannot be read
  Result<std::optional<std::string>> of_file(const std::string& path) const;

  // Returns kInvalidArgument with the text `why` if `path` is of a dialect.
  Status refuse(const std::string& path, const std::string& why) const;

 private:
  Result<std::optional<std::string>> named_or_recognised(const std::string& path) const;
  Result<std::optional<std::string>> with_prefix(std::optional<std::string> dialect,
                                                 const std::string& path) const;

  std::string given_;
  std::string column_family_;
  std::string prefix_extractor_;
  FileMemoryOption memory_;
};

// Returns the description of a dialect such as "guava:mitz64"; nothing for an unknown name.
std::optional<DialectDescription> describe_dialect(std::string_view dialect);

// Turns kUnsupported into kInvalidArgument: what a dialect cannot do is wrong use here, not a damaged file.
Error cannot_do(const Error& error);

}  // namespace bloomery::cli
