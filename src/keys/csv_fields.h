// Cuts a CSV record into its fields, as RFC 4180 says, with any byte but the quote as the delimiter.
//
//   a,"b,c","say ""yes""",   ->   a | b,c | say "yes" | (empty)
//
// A record is one line. A quote that is open at the line's end is malformed, and so is a quote inside a field
// that does not begin with one, and text behind a closing quote. The whole line is checked, also behind the
// last field that is wanted: otherwise a record that goes on in the next line would pass, and its rest would
// be taken for a record. One fault is forgiven there: quotes that are not doubled in a quoted field, as file names in
// lists of the NSRL have them ("5.25" label.doc"). Such a field ends at a quote that a delimiter or the line's end
// follows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

// Fills `fields` with the first `most` fields of `line`, or all if it has fewer. They are views of the line,
// or of `decoded` if they had doubled quotes. Errors: kInvalidArgument for a malformed line, naming the field.
Status split_csv(std::string_view line, char delimiter, std::uint32_t most, std::string& decoded,
                 std::vector<std::string_view>& fields);

}  // namespace bloomery
