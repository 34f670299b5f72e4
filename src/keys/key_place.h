// The place of the key in a line. Unlike the KeyTreatment, it may differ between files.
//
//   split        a line is                                             fields are
//   kDelimiter   text with a delimiter byte between fields (cut)        the text between two delimiters
//   kBlanks      text with runs of blanks and tabs between (awk)        runs of other characters
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

// Decides about a line that lacks a field of the key.
enum class MissingField {
  kKeep,   // the field counts as empty
  kSkip,   // the line is left out, as if it were absent from the input
  kError,  // the input is refused at that line
};

// Decides about a line that is malformed, or whose key is not of its form.
enum class BadLine { kError, kSkip };

// Decides about an entry of a block list that is a public suffix, such as co.uk.
enum class PublicSuffix { kRefuse, kTake };

// Rules for the entries of block lists.
struct EntryRules {
  HostBits host_bits = HostBits::kRefuse;
  PublicSuffix public_suffix = PublicSuffix::kRefuse;
};

// Returns true if a line is a comment: it is blank, or its first nonblank byte is one of `marks`. Without
// marks no line is a comment.
inline bool is_comment(std::string_view line, std::string_view marks) {
  if (marks.empty()) {
    return false;
  }
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || marks.find(line[first]) != std::string_view::npos;
}

struct KeyPlace {
  FieldList fields = {};  // empty means the entire line, unless `column` or `json_path` says otherwise
  char delimiter = '\t';
  bool crlf = false;  // a CR before the line's end is part of the line's end
  Split split = Split::kDelimiter;
  std::string column = {};  // the name of the field in each file's header line; empty for none
  JsonPath json_path = {};
  MissingField missing = MissingField::kKeep;
  BadLine bad = BadLine::kError;
  Digest digest = Digest::kNone;  // the key is this digest of the text, with the bytes of the form hex
  EntryRules entries = {};
  std::string comments = {};  // lines that begin with one of these bytes are left out (is_comment)

  bool has_header() const { return !column.empty(); }
  bool has_fields() const { return !fields.empty() || has_header() || split == Split::kJson; }
  // Returns the number of parts of a key: 1 for an entire line, a column or a JSON value.
  std::uint16_t parts() const { return part_count(fields); }
  // Returns true if a line may be left out.
  bool may_skip() const {
    return missing == MissingField::kSkip || bad == BadLine::kSkip || !comments.empty();
  }
};

}  // namespace bloomery
