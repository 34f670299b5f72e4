// The rows at which the regions of a table begin, except the first region, and the region of a row.
//
//   region 0 | key 0, region 1 | key 1, region 2 | ...
//
// Key i is the first row that region i + 1 can have.
//
// Example:
//    SplitKeys splits;
//    Status appended = splits.append("m");
//    const std::size_t region = splits.region_of("row 1");   // 1
//
// Files of keys are read elsewhere. Threads: const calls may run together.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

class SplitKeys {
 public:
  // Without keys there is one region.
  SplitKeys() = default;

  // Appends the next key. Errors: kInvalidArgument, without a subject, for a key that is empty, too long for
  // a row, or not after the key before it.
  Status append(std::string_view row);

  std::size_t region_count() const { return keys_.size() + 1; }
  // Returns the region of a row. Precondition: the row is not before region `from`.
  std::size_t region_of(std::string_view row, std::size_t from = 0) const;
  // Returns the first row that a region can have. Precondition: it is not the first region.
  std::string_view start_of(std::size_t region) const { return keys_[region - 1]; }

 private:
  std::vector<std::string> keys_;
};

}  // namespace bloomery
