#include "bloomery/table/cell_request.h"

#include <utility>

namespace bloomery {
namespace {

// Returns the first row after all rows with the prefix; empty if there is none.
std::string row_behind_prefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') {
    prefix.pop_back();
  }
  if (!prefix.empty()) {
    prefix.back() = static_cast<char>(prefix.back() + 1);
  }
  return prefix;
}

}  // namespace

// A reversed scan begins before row_behind_prefix(), or at the last row if there is none, and its last row is
// the prefix itself.
void ScanRequest::set_prefix(std::string prefix, bool reversed) {
  is_reversed = reversed;
  start = prefix;
  stop = row_behind_prefix(std::move(prefix));
  if (is_reversed) {
    std::swap(start, stop);
  }
  includes_start = !is_reversed || start.empty();
  includes_stop = is_reversed;
}

}  // namespace bloomery
