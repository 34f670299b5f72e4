#include "table/row_cells.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hfile/reader_access.h"
#include "table/bloom_explanation.h"
#include "table/read/file_choice.h"

namespace bloomery::table {
namespace {

// Returns the question of a family with HBase's defaults, which decides what a file is skipped by. A choice
// that has an entire family names no column.
FamilyQuestion question_of(const CellChoice& cells) {
  static const FamilySchema family;
  FamilyQuestion question{.family = &family,
                          .times = {.from = cells.times().since, .to = cells.times().until}};
  for (const ChosenColumn& column : cells.columns()) {
    if (!column.qualifier) {
      question.columns.clear();
      break;
    }
    question.columns.push_back(*column.qualifier);
  }
  return question;
}

}  // namespace

RowCells::RowCells(hfile::OpenFilePointer file, std::string_view row, const CellChoice& cells)
    : file_(store_file_of(std::move(file))),
      question_(question_of(cells)),
      scanner_(hfile::ReaderAccess::reader_of(file_.file).scan()),
      row_(row),
      cells_(cells) {}

SkippedBy RowCells::skipped_by() const {
  return skip_for_row(file_, question_, row_);
}

std::string RowCells::reason_of(SkippedBy by) const {
  return table::reason_of(by, file_, question_) +
         (by == SkippedBy::kBloomFilter ? explain_no(*file_.file, row_, question_.columns) : std::string());
}

// Moves to the next cell that may be wanted.
Result<bool> RowCells::step() {
  if (!started_) {
    started_ = true;
    return scanner_.seek(first_on_row(row_));
  }
  const CellKey& at = scanner_.cell().key;
  // A seek must not skip cells with an empty qualifier: the delete markers of the family have one too, and
  // are sorted among these cells by timestamp.
  if (cells_.wants_column(at) || at.qualifier.empty()) {
    return scanner_.next();
  }
  const std::optional<CellKey> wanted = cells_.next_wanted(at);
  if (!wanted) {
    return false;
  }
  const FlatKey target(*wanted);  // a copy: the seek invalidates the cell's bytes
  return scanner_.seek(target.key());
}

Result<bool> RowCells::next() {
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, step());
    if (!found || scanner_.cell().key.row != row_) {
      return false;
    }
    if (cells_.wants(scanner_.cell().key)) {
      return true;
    }
  }
}

}  // namespace bloomery::table
