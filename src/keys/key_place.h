// The place of the key in a line. Unlike the KeyTreatment it may differ from file to file.
//
//   split        a line is                                             fields are
//   kDelimiter   text with a delimiter byte between fields (cut)        what stands between two delimiters
//   kBlanks      text with runs of blanks and tabs between (awk)        what is neither blank nor tab
//   kCsv         a record of RFC 4180                                   unquoted text
//   kJson        a JSON document                                        the value at `json_path`
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/hash/network.h"
#include "keys/digest.h"
#include "keys/field_list.h"
#include "keys/json_path.h"

namespace bloomery {

enum class Split { kDelimiter, kBlanks, kCsv, kJson };

// Says what happens to a line that lacks a field of the key.
enum class MissingField {
  kKeep,   // the field is taken as empty
  kSkip,   // the line is left out, as if it were not in the input
  kError,  // the input is refused there
};

// Says what happens to a line that is malformed, or whose key is not of its form.
enum class BadLine { kError, kSkip };

// Says what becomes of an entry of a block list that is a public suffix, such as co.uk.
enum class PublicSuffix { kRefuse, kTake };

// Rules for the entries of block lists.
struct EntryRules {
  HostBits host_bits = HostBits::kRefuse;
  PublicSuffix public_suffix = PublicSuffix::kRefuse;
};

// Returns whether a line is a comment: its first byte that is no blank is one of `marks`, or it has none. Without marks no
// line is a comment.
inline bool is_comment(std::string_view line, std::string_view marks) {
  if (marks.empty()) {
    return false;
  }
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || marks.find(line[first]) != std::string_view::npos;
}

struct KeyPlace {
  FieldList fields = {};  // empty means the whole line, unless `column` or `json_path` says otherwise
  char delimiter = '\t';
  bool crlf = false;  // a CR before the line's end is part of the line's end
  Split split = Split::kDelimiter;
  std::string column = {};  // the field under this name in the header line of each file; empty: there is none
  JsonPath json_path = {};
  MissingField missing = MissingField::kKeep;
  BadLine bad = BadLine::kError;
  Digest digest = Digest::kNone;  // the key is this digest of the text, which other files spell in hex
  EntryRules entries = {};
  std::string comments = {};  // lines that begin with one of these bytes are left out (is_comment)

  bool has_header() const { return !column.empty(); }
  bool has_fields() const { return !fields.empty() || has_header() || split == Split::kJson; }
  // Returns how many parts a key has: 1 for a whole line, a column or a JSON value.
  std::uint16_t parts() const { return part_count(fields); }
  // Returns whether a line may be left out.
  bool may_skip() const {
    return missing == MissingField::kSkip || bad == BadLine::kSkip || !comments.empty();
  }
};

}  // namespace bloomery
