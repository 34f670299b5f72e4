// What two filters must have in common to be merged: compared one by one, and all that differs is named.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

// Returns `other` as a filter of the same class. Errors: kInvalidArgument, naming both dialects, or where it
// is `mine` itself, whose count of keys would double.
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
