#include "table/read/region_scanner.h"

#include <algorithm>
#include <utility>

namespace bloomery::table {

Result<std::unique_ptr<RegionScanner>> RegionScanner::start(const std::vector<Store>& stores,
                                                            const std::optional<Filter>& filter, RowSpan span,
                                                            std::optional<std::uint32_t> batch,
                                                            MobValues& mob) {
  std::unique_ptr<RegionScanner> scanner(new RegionScanner(std::move(span), batch));
  const bool is_reversed = scanner->span_.is_reversed;
  if (filter) {
    scanner->filter_ = filter->form().start({.is_reversed = is_reversed, .failure = &scanner->failure_});
    scanner->has_row_filter_ = filter->form().has_row_filter();
  }
  const RegionReading reading{.filter = scanner->filter_.get(),
                              .failure = &scanner->failure_,
                              .mob = &mob,
                              .is_reversed = is_reversed};
  for (const Store& store : stores) {
    const bool is_needed = !filter || filter->form().is_essential(store.question->family->name);
    auto& to = is_needed ? scanner->needed_ : scanner->other_;
    to.push_back(std::make_unique<StoreScanner>(*store.question, store.store, store.files, reading));
    BLOOMERY_RETURN_IF_ERROR(to.back()->start(scanner->span_.start));
  }
  return scanner;
}

// Returns the store whose row comes first, or null at the end.
const StoreScanner* RegionScanner::first() const {
  const StoreScanner* first = nullptr;
  for (const auto& store : needed_) {
    if (!store->is_at_end() && (first == nullptr || (span_.is_reversed ? store->row() > first->row()
                                                                       : store->row() < first->row()))) {
      first = store.get();
    }
  }
  return first;
}

// Passes over what is left of the row, and forgets it.
Status RegionScanner::skip_row() {
  for (const auto& store : needed_) {
    if (store->is_at_row(row_)) {
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

// Reads the row of these stores on, until it ends or the batch is full. Then the row is a part.
Status RegionScanner::read(Stores& stores, RowResult& result, Part part) {
  part_ = Part::kNone;
  for (const auto& store : stores) {
    if (!store->is_at_row(row_)) {
      continue;
    }
    if (result.size() >= most_) {
      part_ = part;
      return {};
    }
    BLOOMERY_RETURN_IF_ERROR(store->read_row(&result, most_));
    if (store->is_at_row(row_)) {
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
    if (part_ == Part::kNone) {
      const StoreScanner* const next = first();
      if (next == nullptr || span_.is_behind(next->row())) {
        return false;
      }
      row_ = next->row();
      const bool is_dropped = filter_ != nullptr && filter_->drops_row_key(row_);
      if (failure_) {
        return *failure_;
      }
      if (is_dropped) {
        BLOOMERY_RETURN_IF_ERROR(skip_row());
        continue;
      }
    }
    BLOOMERY_RETURN_IF_ERROR(read(needed_, result, Part::kNeeded));
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

// Reads the families that the filter does not need.
Status RegionScanner::read_other(RowResult& result) {
  for (const auto& store : other_) {
    if (!store->is_at_row(row_)) {
      BLOOMERY_RETURN_IF_ERROR(store->seek_row(row_));
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

Result<bool> RegionScanner::next(RowResult& result) {
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
