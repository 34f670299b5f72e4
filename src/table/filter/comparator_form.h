// Comparators: they compare their own value with bytes of a cell.
//
// compare() has the sign of "own value minus cell". Substring and regex only tell equal (0) from different
// (1). Source: HBase 2.6, ByteArrayComparable and its classes.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/error.h"
#include "bloomery/table/filter.h"

namespace bloomery::table {

class ComparatorForm {
 public:
  ComparatorForm() = default;
  ComparatorForm(const ComparatorForm&) = delete;
  ComparatorForm& operator=(const ComparatorForm&) = delete;
  virtual ~ComparatorForm() = default;

  // The first error of a comparison is stored in `failure`.
  virtual int compare(std::string_view cell, std::optional<Error>& failure) const = 0;
  // Returns the name and the value, without quotes: "binary:abc".
  virtual std::string text() const = 0;
  // Returns true if the comparator only tells equal from different.
  virtual bool is_equality_only() const { return false; }
};

// Compares unsigned bytes: -1, 0 or 1.
int compare_bytes(std::string_view a, std::string_view b);

// Returns true if the cell's bytes satisfy the condition.
bool satisfies(CompareOperator op, const Comparator& comparator, std::string_view cell,
               std::optional<Error>& failure);

}  // namespace bloomery::table
