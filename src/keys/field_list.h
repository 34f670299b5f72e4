// Which fields of a line make its key: `-k 2`, `-k 1,3`, `-k 2-4`, `-k 3-`, one-based, in the order written.
//
// An open range takes what there is. One field is the key itself; several make a composite, each behind its
// length. Not here: what a field is (field_reader.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

struct FieldRange {
  std::uint32_t first = 1;  // one-based
  std::uint32_t last = 1;   // kToTheEnd for an open range

  friend bool operator==(const FieldRange&, const FieldRange&) = default;
};

inline constexpr std::uint32_t kToTheEnd = 0xffffffff;
inline constexpr std::uint32_t kMaxFields = 10000;

using FieldList = std::vector<FieldRange>;

// Errors: kInvalidArgument, showing the text.
Result<FieldList> parse_field_list(std::string_view text);

// Returns how many parts a key of these fields has: 1 for none given (the whole line), kVariableParts with an
// open range.
std::uint16_t part_count(const FieldList& fields);

}  // namespace bloomery
