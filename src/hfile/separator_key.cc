#include "hfile/separator_key.h"

#include <algorithm>

namespace bloomery::hfile {
namespace {

// Returns the shortest text that sorts after `before` and ends where `before` first differs from `first`.
// Precondition: before < first.
std::string text_between(std::string_view before, std::string_view first) {
  const auto differing = static_cast<std::size_t>(std::ranges::mismatch(before, first).in1 - before.begin());
  std::string between(before.substr(0, differing));
  // The byte of `before` is not ff, since `first` has a larger one at this position.
  between += differing == before.size() ? '\0' : static_cast<char>(before[differing] + 1);
  return between;
}

}  // namespace

void append_separator_key(std::string& out, const CellKey& before, const CellKey& first) {
  if (before.row != first.row) {
    append_flat_key(out, first_on_row(text_between(before.row, first.row)));
  } else if (before.family == first.family && before.qualifier != first.qualifier) {
    append_flat_key(
        out, first_on_column(first.row, first.family, text_between(before.qualifier, first.qualifier)));
  } else {
    append_flat_key(out, first);
  }
}

}  // namespace bloomery::hfile
