// Reads a filter from text in HBase's filter language.
//
// Example:
//    const auto filter = parse_filter("PrefixFilter('row') AND (KeyOnlyFilter() OR ValueFilter(=, 'binary:v'))");
//    std::cout << (filter ? filter->to_string() : filter.error().to_string()) << "\n";
//
//   filter     = NAME(argument, ...) | SKIP filter | WHILE filter | filter AND filter | filter OR filter
//              | (filter)
//   argument   = 'bytes' (two quotes are one) | whole number | true | false | operator
//   operator   = < <= = != >= >
//
// SKIP and WHILE bind before AND, and AND before OR. Comparators are quoted: 'binary:...', 'binaryprefix:...',
// 'substring:...', 'regexstring:...'. Arguments are separated by commas or spaces, as in HBase.
//
// Beside HBase's 19 names there are two that its language does not have:
//
//   FuzzyRowFilter('key', 'mask', ...)                        bytes of a mask are 0 and 1, as such or as digits
//   MultiRowRangeFilter('start', true, 'stop', false, ...)    whether each end is included
//
// Bytes stand for themselves. A backslash has no meaning: callers who want \xHH convert it before.
#pragma once

#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/table/filter.h"

namespace bloomery {

// Errors: kInvalidArgument, with the place in the text and what was expected and found; kUnsupported for what
// a filter or comparator cannot do, by name.
Result<Filter> parse_filter(std::string_view text);

}  // namespace bloomery
