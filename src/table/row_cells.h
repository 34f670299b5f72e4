// The wanted cells of one row in one file, in order. A seek skips columns that are not wanted.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/table/cell_choice.h"
#include "bloomery/table/skipped_by.h"
#include "table/read/family_question.h"
#include "table/read/store_file.h"

namespace bloomery::table {

class RowCells {
 public:
  // `cells` must outlive the object.
  RowCells(hfile::OpenFilePointer file, std::string_view row, const CellChoice& cells);

  // Returns why the file cannot hold the cells, or kNothing. It reads the chunks of the filter at most.
  SkippedBy skipped_by() const;
  // Returns the sentence with the bounds, and for kBloomFilter why the filter answered no.
  std::string reason_of(SkippedBy by) const;

  // Moves to the first wanted cell, or the next one. Returns false at the end. Errors: those of HFileScanner.
  Result<bool> next();
  // Precondition: the last next() found a cell.
  const Cell& cell() const { return scanner_.cell(); }

 private:
  Result<bool> step();

  StoreFile file_;
  FamilyQuestion question_;
  HFileScanner scanner_;
  std::string row_;
  const CellChoice& cells_;
  bool started_ = false;
};

}  // namespace bloomery::table
