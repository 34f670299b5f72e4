#include "cli/dialect_choice.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/file.h"
#include "base/spread_magic.h"
#include "cli/suggestion.h"
#include "filter/native/native_header.h"

namespace bloomery::cli {
namespace {

// Whether the file begins as our own filters do, so that their code opens it. The files of a spread build are
// ours too; that code says what they are.
Result<bool> is_native(const std::string& path) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  std::array<std::byte, kNativeMagic.size()> begin = {};
  if (facts.size_bytes < begin.size()) {
    return false;
  }
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(0, begin));
  const std::string_view front(reinterpret_cast<const char*>(begin.data()), begin.size());
  return front == kNativeMagic || !spread_file_hint(front).empty();
}

// A check of --dialect: returns what is wrong with a name that no dialect has.
std::string refuse_unknown_dialect(const std::string& text, const std::string& names) {
  if (describe_dialect(text)) {
    return {};
  }
  const std::string name = text.substr(0, text.find(':'));
  std::vector<std::string> known;
  for (const DialectDescription& dialect : dialects()) {
    known.emplace_back(dialect.name);
  }
  const std::optional<std::string> meant = probably_meant(name, known);
  return "expected one of " + names + "; found '" + name + "'" +
         (meant ? "; did you mean " + *meant + "?" : "");
}

}  // namespace

void DialectChoice::add_to(CLI::App& verb) {
  std::string names;
  for (const DialectDescription& dialect : dialects()) {
    names += (names.empty() ? "" : ", ") + std::string(dialect.name);
  }
  verb.add_option("--dialect", given_,
                  "NAME[:OPTION], of a filter that another system made or is to read: " + names)
      ->check([names](const std::string& text) { return refuse_unknown_dialect(text, names); });
}

void DialectChoice::add_database_to(CLI::App& verb) {
  verb.add_option("--column-family", column_family_,
                  "the only column family of a RocksDB database to ask; all of them unless given")
      ->type_name("NAME");
  verb.add_option("--prefix-extractor", prefix_extractor_,
                  "fixed:N, capped:N or noop: what RocksDB's filters of prefixes have of a key, where a file "
                  "does not tell");
}

Result<DatabaseOptions> DialectChoice::for_database(const std::string& path) const {
  const std::string system = given_.substr(0, given_.find(':'));
  if (!given_.empty() && system != "leveldb" && system != "rocksdb") {
    return Error::invalid_argument(
        path, "a directory: expected the dialect leveldb, rocksdb or cassandra, found '" + given_ + "'");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory limit, memory());
  return DatabaseOptions{
      .column_family = column_family_, .prefix_extractor = prefix_extractor_, .memory = limit};
}

Status DialectChoice::check_no_database(const std::string& path) const {
  if (!column_family_.empty()) {
    return Error::invalid_argument(path, "expected the directory of a database, as --column-family says");
  }
  if (!prefix_extractor_.empty()) {
    return Error::invalid_argument(path,
                                   "expected a table or database of RocksDB, as --prefix-extractor says");
  }
  return {};
}

Result<std::optional<std::string>> DialectChoice::with_prefix(std::optional<std::string> dialect,
                                                              const std::string& path) const {
  const bool takes_prefix = dialect && (*dialect == "rocksdb" || *dialect == "rocksdb:table");
  if (!column_family_.empty() || !takes_prefix) {
    BLOOMERY_RETURN_IF_ERROR(check_no_database(path));
  }
  return prefix_extractor_.empty() ? dialect : std::optional("rocksdb:table,prefix=" + prefix_extractor_);
}

Result<std::optional<std::string>> DialectChoice::of_file(const std::string& path) const {
  BLOOMERY_ASSIGN_OR_RETURN(std::optional<std::string> dialect, named_or_recognised(path));
  return with_prefix(std::move(dialect), path);
}

Result<std::optional<std::string>> DialectChoice::named_or_recognised(const std::string& path) const {
  BLOOMERY_ASSIGN_OR_RETURN(const bool native, is_native(path));
  if (native && !given_.empty()) {
    return Error::invalid_argument(
        path, "expected a filter of " + given_ + ", as --dialect names it, found one of ours");
  }
  if (native) {
    return std::optional<std::string>();
  }
  if (!given_.empty()) {
    return std::optional(given_);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<RecognisedDialect> found, recognise_dialects(path));
  if (found.empty()) {
    return Error(
        ErrorCode::kCorruption, path,
        "expected a filter of ours, or of a dialect that can be recognised, found a file that begins like "
        "none; some have to be named (--dialect)");
  }
  if (found.size() == 1 && found.front().recognition == Recognition::kCertain) {
    return std::optional(found.front().name);
  }
  std::string candidates;
  for (const RecognisedDialect& candidate : found) {
    candidates += (candidates.empty() ? "" : " or ") + candidate.name;
  }
  return Error::invalid_argument(
      path,
      "expected a filter of ours, or the name of its dialect, since the bytes do not tell: it may be "
      "of " +
          candidates + " (--dialect)");
}

Status DialectChoice::refuse(const std::string& path, const std::string& why) const {
  const Result<std::optional<std::string>> dialect = of_file(path);
  if (dialect && *dialect) {
    return Error::invalid_argument(path, "a filter of the dialect " + **dialect + ": " + why);
  }
  return dialect ? Status() : Status(dialect.error());
}

std::optional<DialectDescription> describe_dialect(std::string_view dialect) {
  for (const DialectDescription& known : dialects()) {
    if (known.name == dialect.substr(0, dialect.find(':'))) {
      return known;
    }
  }
  return std::nullopt;
}

Error cannot_do(const Error& error) {
  return error.code() == ErrorCode::kUnsupported ? error.with_code(ErrorCode::kInvalidArgument) : error;
}

}  // namespace bloomery::cli
