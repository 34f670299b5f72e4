// Splits a CSV record into its fields by RFC 4180, with any byte except the quote as the delimiter.
//
//   a,"b,c","say ""yes""",   ->   a | b,c | say "yes" | (empty)
//
// A record is one line. A line is malformed if a quote is open at its end, if a quote is inside a field that
// does not begin with one, or if text follows a closing quote. The entire line is checked, also after the
// last field that is needed: otherwise a record that continues on the next line would pass, and its rest
// would be read as a record. One fault is accepted there: quotes that are not doubled in a quoted field, as
// in the file names of NSRL lists ("5.25" label.doc"). Such a field ends at a quote before a delimiter or the
// line's end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

// Sets `fields` to the first `most` fields of `line`, or to all if it has fewer. They are views of the
// line, or of `decoded` if they had doubled quotes. Errors: kInvalidArgument for a malformed line,
// naming the field.
Status split_csv(std::string_view line, char delimiter, std::uint32_t most, std::string& decoded,
                 std::vector<std::string_view>& fields);

}  // namespace bloomery
