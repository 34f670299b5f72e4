// The rows at which a table's regions begin, but for the first, and in which region a row is.
//
//   region 0 | key 0, region 1 | key 1, region 2 | ...        a key is the first row that its region can have
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::cli {

class SplitKeys {
 public:
  // No keys: one region.
  SplitKeys() = default;
  // A file of one escaped row a line. Errors: kInvalidArgument with the line that is empty, not behind the
  // one before, too long for a row or badly escaped, and for a file without keys; those of reading it.
  static Result<SplitKeys> read(const std::string& file);

  std::size_t region_count() const { return keys_.size() + 1; }
  // Of the row, which is not before region `from`.
  std::size_t region_of(std::string_view row, std::size_t from = 0) const;
  // The first row that a region behind the first can have.
  std::string_view start_of(std::size_t region) const { return keys_[region - 1]; }

 private:
  std::vector<std::string> keys_;
};

}  // namespace bloomery::cli
