#include "table/read/region_scanner.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/short_copy.h"
#include "table/read/neighbour_rows.h"

namespace bloomery::table {

Result<std::unique_ptr<RegionScanner>> RegionScanner::start(const std::vector<Store>& stores,
                                                            const std::optional<Filter>& filter, RowSpan span,
                                                            ScanOptions options, MobValues& mob) {
  std::unique_ptr<RegionScanner> scanner(new RegionScanner(std::move(span), std::move(options)));
  scanner->make_stores(stores, filter, mob);
  scanner->is_simple_ = !filter && stores.size() == 1 && !scanner->options_.before_row;
  BLOOMERY_RETURN_IF_ERROR(scanner->start_at(scanner->span_.start));
  return scanner;
}

std::unique_ptr<RegionScanner> RegionScanner::of_rows(const std::vector<Store>& stores,
                                                      const std::optional<Filter>& filter, MobValues& mob) {
  std::unique_ptr<RegionScanner> scanner(new RegionScanner({.includes_stop = true}, {}));
  scanner->make_stores(stores, filter, mob);
  return scanner;
}

void RegionScanner::make_stores(const std::vector<Store>& stores, const std::optional<Filter>& filter,
                                MobValues& mob) {
  const bool is_reversed = span_.is_reversed;
  if (filter) {
    filter_ = filter->form().start({.is_reversed = is_reversed, .failure = &failure_});
    has_row_filter_ = filter->form().has_row_filter();
  }
  const RegionReading reading{.filter = filter_.get(),
                              .failure = &failure_,
                              .mob = &mob,
                              .watch = options_.skipped == nullptr ? nullptr : &watch_,
                              .is_reversed = is_reversed};
  for (const Store& store : stores) {
    const bool is_needed = !filter || filter->form().is_essential(store.question->family->name);
    auto& to = is_needed ? needed_ : other_;
    to.push_back(std::make_unique<StoreScanner>(*store.question, store.store, store.files, reading));
    by_store_.push_back(to.back().get());
  }
}

Status RegionScanner::start_row(std::string_view row, const std::vector<std::span<const FileUse>>& uses) {
  span_.start.row = row;
  span_.stop = row;
  watch_.row = row;
  part_ = Part::kNone;
  has_ended_ = false;
  is_planned_ = true;
  for (std::size_t i = 0; i < by_store_.size(); ++i) {
    by_store_[i]->plan_row(span_.start, uses[i]);
  }
  return {};
}

// Starts the needed families at the planned row, until one has it.
Status RegionScanner::start_planned() {
  is_planned_ = false;
  for (const auto& store : needed_) {
    BLOOMERY_RETURN_IF_ERROR(store->start_planned());
    if (store->is_at_row(span_.start.row)) {
      break;
    }
  }
  return {};
}

RegionScanner::RegionScanner(RowSpan span, ScanOptions options)
    : span_(std::move(span)),
      options_(std::move(options)),
      most_(options_.batch.value_or(std::numeric_limits<std::uint32_t>::max())),
      watch_{.is_reversed = span_.is_reversed} {}

// Starts all families at the bound.
Status RegionScanner::start_at(const RowBound& bound) {
  watch_.row = bound.is_included    ? bound.row
               : watch_.is_reversed ? row_before(bound.row)
                                    : row_behind(bound.row);
  for (Stores* const stores : {&needed_, &other_}) {
    for (const auto& store : *stores) {
      BLOOMERY_RETURN_IF_ERROR(store->start(bound));
    }
  }
  return {};
}

SkippedRows skipped_rows(const RowGap& gap, const RowSpan& span) {
  std::string first = gap.is_of_whole_file ? std::string() : gap.first;
  std::string end = gap.end;
  std::string& near_stop = span.is_reversed ? first : end;
  if (!span.stop.empty()) {
    const std::string stop = span.is_reversed == span.includes_stop ? span.stop : row_behind(span.stop);
    const bool is_nearer = span.is_reversed ? near_stop < stop : near_stop.empty() || near_stop > stop;
    near_stop = is_nearer ? stop : near_stop;
  }
  RowRange rows{.start = std::move(first), .stop = std::move(end)};
  if (!rows.stop.empty() && rows.stop.back() == '\0') {
    rows.stop.pop_back();
    rows.includes_stop = true;
  }
  return {std::move(rows), gap.error};
}

// Lists the gap that stopped the scan, and continues after it.
Status RegionScanner::pass_over_gap(RowResult& result) {
  const RowGap gap = *std::exchange(watch_.reached, std::nullopt);
  options_.skipped->push_back(skipped_rows(gap, span_));
  result.clear();
  part_ = Part::kNone;
  if (filter_ != nullptr) {
    filter_->reset();
  }
  const std::string& edge = span_.is_reversed ? gap.first : gap.end;
  const std::string next = span_.is_reversed && !edge.empty() ? row_before(edge) : edge;
  has_ended_ = next.empty() || span_.is_behind(next);
  return has_ended_ ? Status() : start_at({next, true});
}

// Returns the store whose row comes first, or null at the end.
StoreScanner* RegionScanner::first() const {
  StoreScanner* first = nullptr;
  for (const auto& store : needed_) {
    if (!store->is_at_end() && (first == nullptr || (span_.is_reversed ? store->row() > first->row()
                                                                       : store->row() < first->row()))) {
      first = store.get();
    }
  }
  return first;
}

// Skips the rest of the row, and resets the filter. In a forward scan the filter still sees the row's cells.
Status RegionScanner::skip_row() {
  for (const auto& store : needed_) {
    if (store->is_at_row(watch_.row)) {
      BLOOMERY_RETURN_IF_ERROR(span_.is_reversed
                                   ? store->next_row()
                                   : store->read_row(nullptr, std::numeric_limits<std::size_t>::max()));
    }
  }
  if (filter_ != nullptr) {
    filter_->reset();
  }
  return {};
}

// Reads more of the row from these stores, until the row ends or the batch is full; in that case part_ is
// set. `at_row` is a store that the caller knows to be at the row, or null.
Status RegionScanner::read(Stores& stores, RowResult& result, Part part, const StoreScanner* at_row) {
  part_ = Part::kNone;
  for (const auto& store : stores) {
    if (store->is_planned() && !is_filter_done()) {
      BLOOMERY_RETURN_IF_ERROR(store->start_planned());
    }
    if (store.get() != at_row && !store->is_at_row(watch_.row)) {
      continue;
    }
    if (result.size() >= most_) {
      part_ = part;
      return {};
    }
    BLOOMERY_RETURN_IF_ERROR(store->read_row(&result, most_));
    if (store->is_in_row()) {
      part_ = part;
      return {};
    }
  }
  return {};
}

bool RegionScanner::drops_row(RowResult& result) {
  const bool was_empty = result.empty();
  if (filter_ == nullptr) {
    return was_empty;
  }
  if (has_row_filter_) {
    filter_->filter_cells(result.cells());
    return was_empty || (!result.empty() && filter_->drops_row());
  }
  return was_empty || filter_->drops_row();
}

// Reads the needed families of the next row that the filter accepts. Returns false at the end.
Result<bool> RegionScanner::read_needed(RowResult& result) {
  for (;;) {
    StoreScanner* next = nullptr;
    if (part_ == Part::kNone) {
      if (is_planned_) {
        BLOOMERY_RETURN_IF_ERROR(start_planned());
      }
      next = first();
      if (next == nullptr || span_.is_behind(next->row())) {
        return false;
      }
      assign_short(watch_.row, next->row());
      if (next->is_at_gap()) {  // the filter must not see a row that may not exist
        return next->reach_gap();
      }
      if (options_.before_row) {
        BLOOMERY_RETURN_IF_ERROR(options_.before_row());
      }
      const bool is_dropped = filter_ != nullptr && filter_->drops_row_key(watch_.row);
      if (failure_) {
        return *failure_;
      }
      if (is_dropped) {
        BLOOMERY_RETURN_IF_ERROR(skip_row());
        continue;
      }
    }
    BLOOMERY_RETURN_IF_ERROR(read(needed_, result, Part::kNeeded, next));
    if (part_ == Part::kNeeded) {
      return true;
    }
    if (!drops_row(result)) {
      return true;
    }
    result.clear();
    BLOOMERY_RETURN_IF_ERROR(skip_row());
  }
}

// Reads the row in the families that the filter does not need.
Status RegionScanner::read_other(RowResult& result) {
  for (const auto& store : other_) {
    BLOOMERY_RETURN_IF_ERROR(store->start_planned());
    if (!store->is_at_row(watch_.row)) {
      BLOOMERY_RETURN_IF_ERROR(store->seek_row(watch_.row));
    }
  }
  const std::size_t before = result.size();
  BLOOMERY_RETURN_IF_ERROR(read(other_, result, Part::kOther));
  if (before != 0 && result.size() != before) {
    std::ranges::stable_sort(result.cells(), [](const KeptCell& a, const KeptCell& b) {
      return a.cell().key.family < b.cell().key.family;
    });
  }
  return {};
}

// Does the work of next_row() for one family without a filter, the path of most scans. It saves an eighth of
// the time of a merge of 8 files.
inline Result<bool> RegionScanner::next_simple_row(RowResult& result) {
  result.clear();
  StoreScanner& store = *needed_.front();
  while (!has_ended_) {
    if (part_ == Part::kNone) {
      if (store.is_at_end() || span_.is_behind(store.row())) {
        has_ended_ = true;
        break;
      }
      assign_short(watch_.row, store.row());
      if (store.is_at_gap()) {
        return store.reach_gap();
      }
    }
    BLOOMERY_RETURN_IF_ERROR(store.read_row(&result, most_));
    part_ = store.is_in_row() ? Part::kNeeded : Part::kNone;
    if (!result.empty()) {
      return true;
    }
  }
  return false;
}

Result<bool> RegionScanner::next(RowResult& result) {
  for (;;) {
    Result<bool> found = is_simple_ ? next_simple_row(result) : next_row(result);
    if (found || !watch_.reached) {
      return found;
    }
    BLOOMERY_RETURN_IF_ERROR(pass_over_gap(result));
  }
}

Result<bool> RegionScanner::next_row(RowResult& result) {
  result.clear();
  while (!has_ended_) {
    if (part_ != Part::kOther) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool found, read_needed(result));
      if (!found) {
        has_ended_ = true;
        break;
      }
    }
    if (part_ != Part::kNeeded && !other_.empty()) {
      BLOOMERY_RETURN_IF_ERROR(read_other(result));
    }
    if (part_ == Part::kNone && filter_ != nullptr) {
      filter_->reset();
    }
    has_ended_ = is_filter_done();
    if (!result.empty()) {
      return true;
    }
  }
  return false;
}

}  // namespace bloomery::table
