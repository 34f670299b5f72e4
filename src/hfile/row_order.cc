#include "bloomery/hfile/row_order.h"

#include <cstddef>
#include <optional>

namespace bloomery {
namespace {

constexpr char kComma = ',';

// The fields of a row of hbase:meta. A missing field sorts before an empty one.
struct MetaRow {
  std::string_view table = {};
  std::optional<std::string_view> start_key = {};
  std::optional<std::string_view> id = {};

  std::strong_ordering operator<=>(const MetaRow&) const = default;
};

MetaRow parts_of(std::string_view row) {
  const std::size_t first = row.find(kComma);
  if (first == std::string_view::npos) {
    return {.table = row};
  }
  const std::string_view table = row.substr(0, first);
  const std::size_t last = row.rfind(kComma);
  if (last == first) {
    return {.table = table, .start_key = row.substr(first + 1)};
  }
  return {.table = table, .start_key = row.substr(first + 1, last - first - 1), .id = row.substr(last + 1)};
}

}  // namespace

std::strong_ordering compare_meta_rows(std::string_view a, std::string_view b) {
  return parts_of(a) <=> parts_of(b);
}

}  // namespace bloomery
