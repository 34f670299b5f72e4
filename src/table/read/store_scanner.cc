#include "table/read/store_scanner.h"

#include <limits>
#include <utility>

#include "table/read/neighbour_rows.h"

namespace bloomery::table {

StoreScanner::StoreScanner(const FamilyQuestion& question, std::shared_ptr<const OpenStore> store,
                           const std::vector<StoreFilePointer>& files, const RegionReading& reading)
    : question_(question),
      store_(std::move(store)),
      reading_(reading),
      matcher_(question, reading.filter),
      merge_(files, reading.is_reversed, reading.watch) {}

void StoreScanner::plan_row(const RowBound& row, std::span<const FileUse> uses) {
  planned_ = &row;
  planned_uses_ = uses;
}

Status StoreScanner::start_planned() {
  if (planned_ == nullptr) {
    return {};
  }
  const RowBound& row = *std::exchange(planned_, nullptr);
  is_in_row_ = false;
  has_ended_ = false;
  is_one_row_ = true;
  const LazyGet lazy{.row = row.row,
                     .family = question_.family->name,
                     .columns = &question_.columns,
                     .asks_filter = question_.family->uses_bloom_filters && question_.columns.size() > 1};
  merge_.set_read_point(question_.read_point);
  return merge_.start(row, planned_uses_, lazy);
}

Status StoreScanner::next_row() {
  is_in_row_ = false;
  return merge_.next_row();
}

Status StoreScanner::seek_row(const std::string& row) {
  return is_at_end() ? Status() : merge_.seek(first_on_row(row));
}

inline Status StoreScanner::include(const Cell& cell, RowResult* result) {
  ++included_;
  if (reading_.filter == nullptr) {
    return append(cell, result);
  }
  Cell answered = cell;
  reading_.filter->transform(answered);
  return append(answered, result);
}

inline Status StoreScanner::append(const Cell& cell, RowResult* result) {
  if (result == nullptr || included_ <= question_.offset) {
    return {};
  }
  if (question_.family->has_mob && MobValues::is_reference(cell)) {
    return append_large(cell, *result);
  }
  result->append(cell);
  return {};
}

// Appends the cell with its MOB value. If the value is damaged and the scan skips damage, the row is a gap.
Status StoreScanner::append_large(const Cell& cell, RowResult& result) {
  const Status appended = reading_.mob->append(cell, result);
  if (!appended && reading_.watch != nullptr && is_damage(appended.error())) {
    const std::string row(cell.key.row);
    reading_.watch->reached = RowGap{.first = row, .end = row_behind(row), .error = appended.error()};
  }
  return appended;
}

Status StoreScanner::next_column() {
  const CellKey key = merge_.cell().key;
  if (key.qualifier.empty()) {
    return merge_.next();
  }
  const std::string* const wanted = matcher_.wanted_column();
  const FlatKey target(wanted != nullptr && *wanted > key.qualifier
                           ? first_on_column(key.row, key.family, *wanted)
                           : last_on_column(key.row, key.family, key.qualifier));
  return merge_.seek(target.key());
}

// Moves to the filter's hint. If the hint is not after the cell, or in a reversed scan is in the same row,
// moves to the next cell.
Status StoreScanner::follow_hint() {
  const CellKey& key = merge_.cell().key;
  const auto hint = reading_.filter->hint(key);
  const bool is_ahead = hint && (reading_.is_reversed ? hint->key().row < key.row : key < hint->key());
  return is_ahead ? merge_.seek_in_direction(hint->key()) : merge_.next();
}

inline Status StoreScanner::take_step(Match match) {
  switch (match) {
    case Match::kInclude:
    case Match::kSkip:
      return merge_.next();
    case Match::kIncludeAndNextColumn:
    case Match::kNextColumn:
      return next_column();
    case Match::kIncludeAndNextRow:
    case Match::kNextRow:
      has_ended_ = is_one_row_;
      return is_one_row_ ? Status() : merge_.next_row();
    case Match::kHint:
      return follow_hint();
    case Match::kEnd:
      has_ended_ = true;
      return {};
  }
  return {};
}

Status StoreScanner::read_row(RowResult* result, std::size_t most) {
  if (!is_in_row_) {
    is_in_row_ = true;
    row_number_ = merge_.row_number();
    included_ = 0;
    matcher_.start_row();
  }
  while (is_at_begun_row()) {
    if (merge_.is_at_gap()) {
      return merge_.next();
    }
    const Cell& cell = merge_.cell();
    Match match = matcher_.match(cell);
    if (reading_.filter != nullptr && reading_.failure->has_value()) {
      return **reading_.failure;
    }
    const bool is_included = match <= Match::kIncludeAndNextRow;
    if (is_included) {
      BLOOMERY_RETURN_IF_ERROR(include(cell, result));
      const bool is_last = question_.max_cells && included_ > question_.offset &&
                           included_ >= std::uint64_t{*question_.max_cells} + question_.offset;
      match = is_last ? Match::kNextRow : match;
    }
    BLOOMERY_RETURN_IF_ERROR(take_step(match));
    if (is_included && result != nullptr && result->size() >= most) {
      break;
    }
  }
  is_in_row_ = is_at_begun_row();
  // Like HBase, asks the filter after the row whether it is done, before the next row resets it:
  // ColumnCountGetFilter ends the scan there.
  has_ended_ = has_ended_ || (!is_in_row_ && reading_.filter != nullptr && reading_.filter->is_done());
  return {};
}

}  // namespace bloomery::table
