#include "bloomery/table/split_keys.h"

#include <algorithm>

#include "base/byte_text.h"
#include "base/message.h"
#include "bloomery/hfile/cell.h"

namespace bloomery {

Status SplitKeys::append(std::string_view row) {
  if (row.empty()) {
    return Error::invalid_argument("", "split key: expected a row, found an empty line");
  }
  if (row.size() > kLongestRow) {
    return Error::invalid_argument(
        "", message("split key: expected at most ", kLongestRow, " bytes, found ", row.size()));
  }
  if (!keys_.empty() && row <= keys_.back()) {
    return Error::invalid_argument("", message("split key: expected one behind '", escape_bytes(keys_.back()),
                                               "', found '", escape_bytes(row), "'"));
  }
  keys_.emplace_back(row);
  return {};
}

std::size_t SplitKeys::region_of(std::string_view row, std::size_t from) const {
  const auto next = std::upper_bound(keys_.begin() + static_cast<std::ptrdiff_t>(from), keys_.end(), row);
  return static_cast<std::size_t>(next - keys_.begin());
}

}  // namespace bloomery
