#include "cli/replaced_file.h"

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "base/message.h"
#include "bloomery/dialects/dialects.h"
#include "bloomery/filter/leased_filter.h"
#include "cli/file_front.h"
#include "dialects/dialect_rows.h"
#include "keys/file_beginnings.h"

namespace bloomery::cli {
namespace {

// Returns the first bytes of the file; none if it is missing, empty or not regular.
Result<FileFront> front_of(const std::string& path) {
  constexpr std::uint64_t kMostBytes = 4096;
  const Result<FileFacts> facts = FileSystem::real().facts(path);
  return facts && facts->is_regular ? FileFront::read(path, kMostBytes) : FileFront();
}

// Returns true if the bytes look like text: no control characters other than blanks and line ends.
bool is_text(std::string_view front) {
  return std::ranges::none_of(front, [](char character) {
    return static_cast<unsigned char>(character) < 0x20 && character != '\n' && character != '\r' &&
           character != '\t' && character != '\f';
  });
}

bool is_ours(const FileFront& front, const std::string& path) {
  return front.begins_as_ours() || LeasedFilter::is_one(path);
}

// Describes a file that is certainly no filter, for example a text or an HFile. Returns an empty text if it
// may be a filter.
std::string other_than_filter(std::string_view front, const std::vector<RecognisedDialect>& dialects) {
  for (const Dialect& dialect : dialect_rows()) {
    if (dialect.holds_data && front.starts_with(dialect.magic.bytes)) {
      const std::string_view kind = kind_by_beginning(front);
      return std::string(kind.empty() ? dialect.magic.kind : kind);
    }
  }
  const bool certain = !dialects.empty() && dialects.front().recognition == Recognition::kCertain;
  if (certain && dialects.front().name.ends_with(":table")) {
    return "a table of a database";
  }
  if (!certain && is_text(front)) {
    return "a text";
  }
  return {};
}

// Returns true if the file opens as a filter of some dialect. A dialect that opens any bytes is tried only if
// it is named.
bool opens_as_filter(const std::string& path, std::string_view dialect) {
  std::vector<std::string> names;
  if (!dialect.empty()) {
    names.emplace_back(dialect);
  }
  for (const Dialect& known : dialect_rows()) {
    if (!known.opens_any_bytes) {
      names.emplace_back(known.description.name);
    }
    for (const std::string_view option : known.raw_options) {
      names.push_back(message(known.description.name, ":", option));
    }
  }
  return std::ranges::any_of(
      names, [&](const std::string& name) { return static_cast<bool>(open_dialect(path, name)); });
}

}  // namespace

Status check_filter_may_replace(const std::string& path, std::string_view dialect) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileFront front, front_of(path));
  if (front.bytes.empty() || is_ours(front, path)) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<RecognisedDialect> dialects, recognise_dialects(path));
  std::string found = other_than_filter(front.bytes, dialects);
  if (found.empty() && (!dialects.empty() || opens_as_filter(path, dialect))) {
    return {};
  }
  if (found.empty()) {
    found = kind_by_beginning(front.bytes);
  }
  return Error::invalid_argument(
      path, "expected a filter or an empty file, which is all that --force replaces, found " +
                (found.empty() ? std::string("a file of another kind") : found) + ": remove it first");
}

Status check_lines_may_replace(const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileFront front, front_of(path));
  if (front.bytes.empty()) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<RecognisedDialect> dialects, recognise_dialects(path));
  const bool certain = !dialects.empty() && dialects.front().recognition == Recognition::kCertain;
  if (is_ours(front, path) || certain) {
    return Error::invalid_argument(
        path,
        "expected a file of lines, which is all that --force replaces here, found a filter: remove it first");
  }
  return {};
}

}  // namespace bloomery::cli
