// Checks that two filters can be merged: compares them field by field and names every difference.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

// Returns `other` as a filter of the same class. Errors: kInvalidArgument if the class differs, which names
// both dialects, or if `other` is `mine` itself, whose count of keys would double.
template <typename Filter>
Result<const Filter*> same_dialect(const Filter& mine, const DialectFilter& other) {
  const auto* const same = dynamic_cast<const Filter*>(&other);
  if (same == nullptr) {
    return Error::invalid_argument("merge",
                                   "dialect: expected " + mine.dialect() + ", found " + other.dialect());
  }
  if (same == &mine) {
    return Error::invalid_argument("merge", "expected another filter, found the same one");
  }
  return same;
}

// Collects the differences between two filters as the text of one error.
class Differences {
 public:
  template <typename Number>
  void compare(const std::string& what, Number expected, Number found) {
    if (expected != found) {
      text_ += (text_.empty() ? "" : "; ") + what + ": expected " + std::to_string(expected) + ", found " +
               std::to_string(found);
    }
  }
  Status status() const { return text_.empty() ? Status() : Error::invalid_argument("merge", text_); }

 private:
  std::string text_;
};

}  // namespace bloomery
