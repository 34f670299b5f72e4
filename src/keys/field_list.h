// The fields of a line that form its key: `-k 2`, `-k 1,3`, `-k 2-4`, `-k 3-`, counted from one, in
// the order given.
//
// An open range selects all existing fields from its start on. One field is the key itself. Several fields
// form a composite, each after its length. field_reader.h defines a field.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

struct FieldRange {
  std::uint32_t first = 1;  // counted from one
  std::uint32_t last = 1;   // kToTheEnd for an open range

  friend bool operator==(const FieldRange&, const FieldRange&) = default;
};

inline constexpr std::uint32_t kToTheEnd = 0xffffffff;
inline constexpr std::uint32_t kMaxFields = 10000;

using FieldList = std::vector<FieldRange>;

// Errors: kInvalidArgument, which quotes the text.
Result<FieldList> parse_field_list(std::string_view text);

// Returns the number of parts of a key with these fields: 1 if no fields are given (the entire line), and
// kVariableParts with an open range.
std::uint16_t part_count(const FieldList& fields);

}  // namespace bloomery
