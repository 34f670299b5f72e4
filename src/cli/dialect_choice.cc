#include "cli/dialect_choice.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/message.h"
#include "cli/file_front.h"
#include "cli/suggestion.h"
#include "filter/native/native_header.h"

namespace bloomery::cli {
namespace {

// Returns true if the magic number is that of our filters except for at most two damaged bytes.
bool is_nearly_native(const FileFront& front) {
  constexpr std::size_t kDamagedBytes = 2;
  std::size_t others = kNativeMagic.size();
  for (std::size_t i = 0; i < std::min(front.bytes.size(), kNativeMagic.size()); ++i) {
    others -= std::size_t{front.bytes[i] == kNativeMagic[i]};
  }
  return others <= kDamagedBytes;
}

// Returns true if the text is UTF-8. A character that is cut at the end is accepted unless the text is the
// entire file. Unlike base/utf8.h, it accepts Java's encoding of surrogates.
bool is_lax_utf8(std::string_view text, bool is_whole) {
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead >= 0x80 && (lead < 0xc2 || lead > 0xf4)) {
      return false;
    }
    if (size > text.size()) {
      return !is_whole;
    }
    const auto is_next = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    if (!std::ranges::all_of(text.substr(1, size - 1), is_next)) {
      return false;
    }
    text.remove_prefix(size);
  }
  return true;
}

// Returns true if the bytes look like lines of text. Fewer than 16 bytes must be an entire file that ends
// with a newline, since the few bytes of a small filter may all be printable.
bool looks_like_lines(const FileFront& front) {
  constexpr std::size_t kEnough = 16;
  const bool is_whole = front.bytes.size() == front.file_bytes;
  const auto is_of_text = [](char c) {
    return static_cast<unsigned char>(c) >= ' ' ? c != '\x7f' : c == '\n' || c == '\r' || c == '\t';
  };
  return (front.bytes.size() >= kEnough || (is_whole && front.bytes.ends_with('\n'))) &&
         std::ranges::all_of(front.bytes, is_of_text) && is_lax_utf8(front.bytes, is_whole);
}

// Returns an error if the file is certainly no filter of any dialect. The error is not kCorruption, because
// such a file is not damaged.
std::optional<Error> no_filter(const std::string& path, const FileFront& front, bool can_be_forced) {
  const std::string remedy = can_be_forced ? " (the option `forced` opens it all the same)" : "";
  if (front.file_bytes == 0 && front.is_regular) {
    return Error::invalid_argument(path, "expected a filter, found a file of 0 bytes" + remedy);
  }
  if (!front.bytes.empty() && looks_like_lines(front)) {
    return Error::invalid_argument(
        path,
        "expected a filter, found what looks like lines of text: FILTER comes before the files of keys" +
            remedy);
  }
  return std::nullopt;
}

// Returns the names of the dialects that are `wanted`, with commas between them.
template <typename Wanted>
std::string names_where(Wanted wanted) {
  std::string names;
  for (const Dialect& dialect : dialect_rows()) {
    if (wanted(dialect)) {
      names += (names.empty() ? "" : ", ") + std::string(dialect.description.name);
    }
  }
  return names;
}

std::string names_of(DialectDirectory kind) {
  return names_where([kind](const Dialect& dialect) { return dialect.directory == kind; });
}

// Checks the value of --dialect. Returns an error text if no dialect has this name.
std::string refuse_unknown_dialect(const std::string& text, const std::string& names) {
  if (named_dialect(text).is_known()) {
    return {};
  }
  const std::string name = text.substr(0, text.find(':'));
  std::vector<std::string> known;
  for (const Dialect& dialect : dialect_rows()) {
    known.emplace_back(dialect.description.name);
  }
  return "expected one of " + names + "; found '" + name + "'" + did_you_mean(name, known);
}

}  // namespace

void DialectChoice::add_to(CLI::App& verb) {
  const std::string names = names_where([](const Dialect&) { return true; });
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

void DialectChoice::add_unproven_to(CLI::App& verb) {
  verb.add_option(
          "--unproven", unproven_,
          "trust (default) or maybe: with maybe, a filter of a format without a checksum answers maybe "
          "to every line, unless `verify --record` proved it and neither it nor its data changed since")
      ->type_name("HOW")
      ->check(CLI::IsMember({"trust", "maybe"}));
}

Result<DatabaseOptions> DialectChoice::for_database(const std::string& path) const {
  if (!given_.empty() && named().row->directory != DialectDirectory::kDatabase) {
    return Error::invalid_argument(
        path, "a directory: expected the dialect " + names_of(DialectDirectory::kDatabase) + " or " +
                  names_of(DialectDirectory::kSSTables) + ", found '" + given_ + "'");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory limit, memory());
  return DatabaseOptions{
      .column_family = column_family_, .prefix_extractor = prefix_extractor_, .memory = limit};
}

bool DialectChoice::names_sstables(const std::string& path) const {
  return given_.empty() ? CassandraDirectory::looks_like_one(path)
                        : named().row->directory == DialectDirectory::kSSTables;
}

Result<CassandraDirectory> DialectChoice::open_sstables(const std::string& path) const {
  if (given_.find(':') != std::string::npos) {
    return Error::invalid_argument(
        path, "a directory: expected the dialect cassandra without a version, found '" + given_ + "'");
  }
  BLOOMERY_RETURN_IF_ERROR(check_no_database(path));
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory limit, memory());
  return CassandraDirectory::open(path, limit);
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
  const NamedDialect opened = named_dialect(dialect ? std::string_view(*dialect) : std::string_view());
  const std::string_view prefix = opened.row->prefix_option;
  const bool takes_prefix =
      !prefix.empty() && (opened.option.empty() || opened.option == prefix.substr(0, prefix.find(',')));
  if (!column_family_.empty() || !takes_prefix) {
    BLOOMERY_RETURN_IF_ERROR(check_no_database(path));
  }
  return prefix_extractor_.empty()
             ? dialect
             : std::optional(message(opened.row->description.name, ":", prefix, prefix_extractor_));
}

Result<std::optional<std::string>> DialectChoice::of_file(const std::string& path) const {
  BLOOMERY_ASSIGN_OR_RETURN(std::optional<std::string> dialect, named_or_recognised(path));
  return with_prefix(std::move(dialect), path);
}

Result<std::optional<std::string>> DialectChoice::named_or_recognised(const std::string& path) const {
  constexpr std::uint64_t kFrontBytes = 512;
  BLOOMERY_ASSIGN_OR_RETURN(const FileFront front, FileFront::read(path, kFrontBytes));
  const bool native = front.begins_as_ours();
  if (native && !given_.empty()) {
    return Error::invalid_argument(
        path, "expected a filter of " + given_ + ", as --dialect names it, found one of ours");
  }
  if (native) {
    return std::optional<std::string>();
  }
  const bool can_be_forced = !given_.empty() && named().row->has_columns == nullptr;
  const std::optional<Error> other = no_filter(path, front, can_be_forced);
  if (other && !(can_be_forced && given_.ends_with("forced"))) {
    return *other;
  }
  if (!given_.empty()) {
    return std::optional(given_);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<RecognisedDialect> found, recognise_dialects(path));
  if (found.empty() && is_nearly_native(front)) {
    return Error::corruption(path, 0, "the first bytes of a filter of ours", "others that are nearly these");
  }
  if (found.empty()) {
    return Error::invalid_argument(
        path,
        "expected a filter of ours, or of a dialect that can be recognised, found a file that begins like "
        "none: it is of another library, or has to be named (--dialect)");
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

Error cannot_do(const Error& error) {
  return error.code() == ErrorCode::kUnsupported ? error.with_code(ErrorCode::kInvalidArgument) : error;
}

}  // namespace bloomery::cli
