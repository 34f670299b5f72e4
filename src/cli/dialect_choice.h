// `--dialect`: decides which files are filters of other systems, and of which system.
//
//   1. A file with the signature of Bloomery's own filters is one of these. --dialect is then an error.
//   2. Any other file has the dialect that the option names.
//   3. Without the option, a file has a dialect only if its bytes certainly belong to exactly one.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/dialects/cassandra_directory.h"
#include "bloomery/dialects/database.h"
#include "bloomery/dialects/dialects.h"
#include "cli/file_memory_option.h"
#include "cli/option_parser.h"
#include "dialects/dialect_rows.h"

namespace bloomery::cli {

class DialectChoice {
 public:
  // Adds the option to a verb.
  void add_to(CLI::App& verb);
  // Adds `--file-memory`, for a verb that opens filters.
  void add_memory_to(CLI::App& verb) { memory_.add_to(verb); }

  // Adds `--column-family` and `--prefix-extractor`, for a verb that opens databases.
  void add_database_to(CLI::App& verb);

  // Adds `--unproven`, for a verb that queries filters.
  void add_unproven_to(CLI::App& verb);
  // Returns true if a filter without a checksum and without a proof may only answer maybe.
  bool needs_proofs() const { return unproven_ == "maybe"; }

  // Returns the options for the database directory `path`. Errors: kInvalidArgument, also if --dialect names
  // a dialect that is no database.
  Result<DatabaseOptions> for_database(const std::string& path) const;
  // Returns true if the directory `path` is one of Cassandra's sstables: if --dialect names Cassandra, or if
  // it is not given and the directory has files named like sstables.
  bool names_sstables(const std::string& path) const;
  // Opens that directory. Errors: also kInvalidArgument for --dialect with a version, because every sstable's
  // file name contains its version.
  Result<CassandraDirectory> open_sstables(const std::string& path) const;
  // Errors: kInvalidArgument if `path` is no database but an option of databases was given.
  Status check_no_database(const std::string& path) const;

  // Returns NAME[:OPTION] as given; empty without the option.
  const std::string& given() const { return given_; }
  // Returns the dialect as given; an unknown one without the option.
  NamedDialect named() const { return named_dialect(given_); }
  // Errors: kInvalidArgument.
  Result<FileMemory> memory() const { return memory_.parse(); }

  // Returns the dialect with which to open `path`, or nothing for one of our own filters. The dialect
  // includes `--prefix-extractor`. Errors:
  //
  //   kInvalidArgument    the bytes are ambiguous; the message names the candidates
  //   kCorruption         no dialect that can be recognised matches the bytes
  //   kNotFound, kIo      the file cannot be read
  Result<std::optional<std::string>> of_file(const std::string& path) const;

  // Returns kInvalidArgument with the text `why` if `path` is a filter of a dialect.
  Status refuse(const std::string& path, const std::string& why) const;

 private:
  Result<std::optional<std::string>> named_or_recognised(const std::string& path) const;
  Result<std::optional<std::string>> with_prefix(std::optional<std::string> dialect,
                                                 const std::string& path) const;

  std::string given_;
  std::string column_family_;
  std::string prefix_extractor_;
  std::string unproven_ = "trust";
  FileMemoryOption memory_;
};

// Turns kUnsupported into kInvalidArgument: an operation that a dialect lacks is a wrong command, not a bad
// file.
Error cannot_do(const Error& error);

}  // namespace bloomery::cli
