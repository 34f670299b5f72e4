// The rows at which a table's regions begin, but for the first, and in which region a row is.
//
//   region 0 | key 0, region 1 | key 1, region 2 | ...        a key is the first row that its region can have
//
// Not here: the file that has them as lines. Threads: everything const may run together.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

class SplitKeys {
 public:
  // No keys: one region.
  SplitKeys() = default;

  // The next key. Errors: kInvalidArgument without a subject for one that is empty, too long for a row or not
  // behind the one before.
  Status append(std::string_view row);

  std::size_t region_count() const { return keys_.size() + 1; }
  // Of the row, which is not before region `from`.
  std::size_t region_of(std::string_view row, std::size_t from = 0) const;
  // The first row that a region can have. Precondition: not the first region.
  std::string_view start_of(std::size_t region) const { return keys_[region - 1]; }

 private:
  std::vector<std::string> keys_;
};

}  // namespace bloomery
