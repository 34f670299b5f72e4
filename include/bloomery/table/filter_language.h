// Reads a filter from text in HBase's filter language.
//
// Example:
//    const auto filter =
//        parse_filter("PrefixFilter('row') AND (KeyOnlyFilter() OR ValueFilter(=, 'binary:v'))");
//    std::cout << (filter ? filter->to_string() : filter.error().to_string()) << "\n";
//
//   filter     = NAME(argument, ...) | SKIP filter | WHILE filter | filter AND filter | filter OR filter
//              | (filter)
//   argument   = 'bytes' (two quotes are one) | integer | true | false | operator
//   operator   = < <= = != >= >
//
// SKIP and WHILE bind more tightly than AND, and AND more tightly than OR. Comparators are quoted:
// 'binary:...', 'binaryprefix:...', 'substring:...', 'regexstring:...'. Arguments are separated by commas or
// spaces, as in HBase.
//
// In addition to HBase's 19 names there are two that its language does not have:
//
//   FuzzyRowFilter('key', 'mask', ...)                        a mask has bytes 0 and 1, or the digits
//   MultiRowRangeFilter('start', true, 'stop', false, ...)    true if the end is included
//
// Bytes are literal. A backslash has no meaning: callers who want \xHH convert it before.
#pragma once

#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/table/filter.h"

namespace bloomery {

// Errors: kInvalidArgument, with the byte offset in the text and what was expected and found; kUnsupported,
// by name, for what a filter or comparator cannot do.
Result<Filter> parse_filter(std::string_view text);

}  // namespace bloomery
