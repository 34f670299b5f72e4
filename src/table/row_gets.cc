#include "table/row_gets.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/message.h"
#include "table/file_notes.h"
#include "table/read/file_choice.h"

namespace bloomery::table {

RowGets::RowGets(std::shared_ptr<const TableSource> files, const CellRequest& request)
    : files_(std::move(files)),
      request_(request),
      mob_(files_->layout().root ? &*files_->layout().root : nullptr, files_->layout().name,
           files_->options().memory),
      rows_(kTogether) {}

Result<std::unique_ptr<RowGets>> RowGets::make(std::shared_ptr<const TableSource> files,
                                               const CellRequest& request) {
  if (!files->layout().faults.empty()) {
    return files->layout().faults.front();
  }
  std::unique_ptr<RowGets> gets(new RowGets(std::move(files), request));
  BLOOMERY_ASSIGN_OR_RETURN(gets->questions_, family_questions(gets->files_->layout().schema, gets->request_,
                                                               false, gets->files_->now()));
  for (const FamilyQuestion& question : gets->questions_) {
    gets->counted_.push_back({.family = question.family->name});
  }
  return gets;
}

RowGets::~RowGets() {
  flush_counts();
}

void RowGets::flush_counts() {
  for (FamilyReadCounters& counted : counted_) {
    if (counted.column_gets + counted.row_gets > 0) {
      files_->add(counted);
      counted = {.family = std::move(counted.family)};  // allocates nothing
    }
  }
  for (const auto& uses : uses_) {
    uses->flush_counts();
  }
  uncounted_gets_ = 0;
}

Status RowGets::check(std::string_view row) const {
  if (row.empty()) {
    return Error::invalid_argument("row", "expected a row of a byte at least, found an empty one");
  }
  if (row.size() > kLongestRow) {
    return Error::invalid_argument("row",
                                   message("expected at most ", kLongestRow, " bytes, found ", row.size()));
  }
  return {};
}

// Opens the files of the region, and releases those of the region before it.
Status RowGets::open(std::size_t region) {
  if (region_ == region) {
    return {};
  }
  region_.reset();
  scanner_.reset();
  uses_.clear();
  stores_.clear();
  const std::uint64_t version = files_->is_live() ? files_->version(region) : 0;
  for (const FamilyQuestion& question : questions_) {
    BLOOMERY_ASSIGN_OR_RETURN(auto store, files_->store(region, question.family->name));
    stores_.push_back({.question = &question, .store = store, .files = store->files});
    uses_.push_back(std::make_unique<FileUses>(question, std::move(store)));
  }
  uses_of_row_.resize(uses_.size());
  region_ = region;
  version_ = version;
  return {};
}

// Takes a read point of which the open files have all cells. If they are not the current ones, opens the
// region again.
Status RowGets::take_read_point() {
  for (;;) {
    const std::uint64_t read_point = files_->read_point();
    const std::size_t region = *region_;
    if (files_->version(region) == version_) {
      for (FamilyQuestion& question : questions_) {
        question.read_point = read_point;
      }
      return {};
    }
    region_.reset();
    BLOOMERY_RETURN_IF_ERROR(open(region));
  }
}

// Makes the region's scanner on first use. With a filter, each row gets a new scanner, since filters have
// state.
void RowGets::make_scanner() {
  if (scanner_ == nullptr || request_.filter) {
    scanner_ = RegionScanner::of_rows(stores_, request_.filter, mob_);
  }
}

void RowGets::count(std::size_t i, const RowResult& result) {
  for (std::size_t family = 0; family < uses_.size(); ++family) {
    const bool names_columns = !questions_[family].columns.empty();
    FamilyReadCounters& counted = counted_[family];
    ++(names_columns ? counted.column_gets : counted.row_gets);
    const bool is_found = std::ranges::any_of(
        result.cells(), [&](const KeptCell& kept) { return kept.cell().key.family == counted.family; });
    if (!is_found) {
      ++(names_columns ? counted.absent_column_gets : counted.absent_row_gets);
    }
    if (uses_[family]->has_any(i) && scanner_ != nullptr) {
      uses_[family]->count_found(i, scanner_->merge(family), is_found);
    }
  }
  if (++uncounted_gets_ >= kGetsBetweenCounts) {
    flush_counts();
  }
}

// Returns true if the filter drops the row, or ends at it, whatever its cells are. Then no file has to be
// read. If the filter fails it returns false, so that get() returns the error only if the row exists.
bool RowGets::drops_row_key(std::string_view row) const {
  if (!request_.filter) {
    return false;
  }
  std::optional<Error> failure;
  const FilterStatePointer filter = request_.filter->form().start({.failure = &failure});
  return (filter->drops_row_key(row) || filter->is_done()) && !failure;
}

// Reads row i of the batch. Precondition: FileUses::choose() has chosen the files of the batch.
Result<bool> RowGets::read(std::size_t i, const Asked& asked) {
  asked.result->clear();
  bool has_any = false;
  for (std::size_t family = 0; family < uses_.size(); ++family) {
    has_any = has_any || uses_[family]->has_any(i);
    uses_of_row_[family] = uses_[family]->of(i);
  }
  bool found = false;
  if (has_any && drops_row_key(asked.row)) {
    scanner_.reset();
  } else if (has_any) {
    make_scanner();
    BLOOMERY_RETURN_IF_ERROR(scanner_->start_row(asked.row, uses_of_row_));
    BLOOMERY_ASSIGN_OR_RETURN(found, scanner_->next(*asked.result));
  }
  count(i, *asked.result);
  return found;
}

// Reads rows of the open region, at most kTogether of them.
Status RowGets::get_in_region(std::span<const Asked> asked) {
  if (files_->is_live()) {
    BLOOMERY_RETURN_IF_ERROR(take_read_point());
  }
  const std::int64_t now = files_->now();
  for (FamilyQuestion& question : questions_) {
    question.set_now(now);
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    rows_[i].start(asked[i].row);
  }
  std::optional<hfile::ReadLog> log;
  if (notes_files_) {
    log.emplace();
  }
  for (const auto& uses : uses_) {
    uses->choose(std::span(rows_).first(asked.size()));
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto found = read(i, asked[i]);
    if (log) {
      note(i, *log);
    }
    if (!found) {
      scanner_.reset();  // its cursors are at arbitrary positions
      return found.error();
    }
  }
  return {};
}

// Reads rows in the given order. Consecutive rows of one region are read together, so the caller sorts them,
// unless files are noted: then each row is read alone. If regions overlap, those whose range contains the row
// are read in order until one returns cells.
Status RowGets::get_in_regions(std::span<const Asked> asked) {
  for (std::size_t begin = 0; begin < asked.size();) {
    const std::vector<std::size_t> regions = files_->regions_of(asked[begin].row);
    std::size_t end = begin + 1;
    const std::size_t most = notes_files_ || regions.size() > 1 ? 1 : kTogether;
    while (regions.size() == 1 && end < asked.size() && end - begin < most &&
           files_->has_row(regions.front(), asked[end].row)) {
      ++end;
    }
    asked[begin].result->clear();
    for (const std::size_t region : regions) {
      if (!asked[begin].result->empty()) {
        break;
      }
      BLOOMERY_RETURN_IF_ERROR(open(region));
      BLOOMERY_RETURN_IF_ERROR(get_in_region(asked.subspan(begin, end - begin)));
    }
    begin = end;
  }
  return {};
}

Result<bool> RowGets::get(std::string_view row, RowResult& result) {
  BLOOMERY_RETURN_IF_ERROR(check(row));
  noted_.clear();
  const Asked asked{row, &result};
  if (region_ && files_->is_disjoint() && files_->has_row(*region_, row)) {
    BLOOMERY_RETURN_IF_ERROR(get_in_region({&asked, 1}));
  } else {
    BLOOMERY_RETURN_IF_ERROR(get_in_regions({&asked, 1}));
  }
  return !result.empty();
}

Status RowGets::get(std::span<const std::string_view> rows, std::vector<RowResult>& results) {
  noted_.clear();
  results.resize(rows.size());
  std::vector<Asked> asked;
  asked.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    BLOOMERY_RETURN_IF_ERROR(check(rows[i]));
    asked.push_back({rows[i], &results[i]});
  }
  if (!notes_files_) {
    std::ranges::stable_sort(asked, {}, &Asked::row);
  }
  return get_in_regions(asked);
}

// Returns why the read of row i, the last one that was read, skipped a file.
SkippedBy RowGets::skipped_by(std::size_t i, std::size_t family, std::size_t file) const {
  const FileUse use = uses_[family]->of(i)[file];
  if (use == FileUse::kNone) {
    return uses_[family]->skipped_by(i, file);
  }
  const FileCursor* const cursor = scanner_ == nullptr ? nullptr : scanner_->merge(family).cursor(file);
  if (cursor == nullptr) {
    return SkippedBy::kRequestFilter;
  }
  return cursor->has_looked() ? SkippedBy::kNothing : SkippedBy::kNewerCells;
}

// Lists what happened to each file of the region for the row.
void RowGets::note(std::size_t i, const hfile::ReadLog& log) {
  const RegionLayout& region = files_->layout().regions[*region_];
  for (std::size_t family = 0; family < uses_.size(); ++family) {
    const FileUses& uses = *uses_[family];
    for (std::size_t at = 0; at < uses.store().files.size(); ++at) {
      const StoreFile& file = *uses.store().files[at];
      FileOfScan& noted =
          noted_.emplace_back(file_of_scan(region.name, questions_[family].family->name, file));
      noted.skipped_by = skipped_by(i, family, at);
      noted.reason = reason_of(noted.skipped_by, file, questions_[family]);
      if (file.file != nullptr) {
        add_blocks(noted.blocks, *file.file, log);
      }
    }
  }
}

}  // namespace bloomery::table
