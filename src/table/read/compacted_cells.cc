#include "table/read/compacted_cells.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace bloomery::table {
namespace {

// Of files that do not say it, no put is known to be young.
std::int64_t earliest_put_of(const std::vector<StoreFilePointer>& files) {
  constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (const auto& file : files) {
    const auto found = file->file != nullptr ? file->file->info().int64_of("EARLIEST_PUT_TS")
                                             : Result<std::optional<std::int64_t>>(std::nullopt);
    earliest = std::min(earliest, found && *found ? **found : kUnknown);
  }
  return earliest;
}

}  // namespace

CompactedCells::CompactedCells(const std::vector<StoreFilePointer>& files, const FamilySchema& family,
                               bool is_major, std::int64_t now)
    : merge_(files, false, nullptr), matcher_(family, is_major, now, earliest_put_of(files)) {}

Status CompactedCells::start(std::uint64_t read_point) {
  merge_.set_read_point(read_point);
  BLOOMERY_RETURN_IF_ERROR(merge_.start({}));
  row_ = merge_.row_number();
  return {};
}

bool CompactedCells::is_kept() {
  if (merge_.row_number() != row_) {
    row_ = merge_.row_number();
    matcher_.start_row();
    skips_column_ = false;
  }
  skips_column_ = skips_column_ && cell().key.qualifier == skipped_column_;
  // HBase passes the rest of the column with its markers, which may hide cells of other files; and among the
  // cells of the column without a qualifier are the markers of the family.
  if (skips_column_ && !is_marker(cell().key.type)) {
    return false;
  }
  const Match match = matcher_.match(cell());
  if (match == Match::kNextColumn) {
    skips_column_ = true;
    skipped_column_ = cell().key.qualifier;
  }
  return match == Match::kInclude;
}

}  // namespace bloomery::table
