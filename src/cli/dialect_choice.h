// `--dialect`: says which files are filters of other systems, and of which system.
//
//   1. A file with the signature of Bloomery's own filters is one of them. The option is then an error.
//   2. Any other file has the dialect that the option names.
//   3. Without the option, it has the only dialect that its bytes certainly are.
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

  // Returns the options for the database directory `path`. Errors: kInvalidArgument, also for a dialect
  // that is not a database.
  Result<DatabaseOptions> for_database(const std::string& path) const;
  // Errors: kInvalidArgument if an option of databases was given for `path`, which is no database.
  Status check_no_database(const std::string& path) const;

  // Returns NAME[:OPTION] as given; empty if it was not given.
  const std::string& given() const { return given_; }
  // Errors: kInvalidArgument.
  Result<FileMemory> memory() const { return memory_.parse(); }

  // Returns the dialect to open `path` with; empty for a filter of ours. It includes `--prefix-extractor`.
  // Errors:
  //
  //   kInvalidArgument    the bytes are ambiguous; the message names the candidates
  //   kCorruption         the bytes match no dialect that can be recognised
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

// Returns the description of a dialect such as "guava:mitz64"; empty for an unknown name.
std::optional<DialectDescription> describe_dialect(std::string_view dialect);

// Turns kUnsupported into kInvalidArgument: an operation that a dialect lacks is wrong use here, not a
// damaged file.
Error cannot_do(const Error& error);

}  // namespace bloomery::cli
