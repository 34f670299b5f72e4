// Gives library code the layout of a table that it only has as a user sees it, and makes tables of sources.
#pragma once

#include <memory>
#include <utility>

#include "bloomery/table/table.h"
#include "table/table_source.h"

namespace bloomery::table {

struct TableAccess {
  static const TableSource& source_of(const Table& table) { return *table.files_; }
  static const TableLayout& layout_of(const Table& table) { return table.files_->layout(); }
  // Returns a table whose gets, scans and readers read the source.
  static Table table_of(std::shared_ptr<const TableSource> source) { return Table(std::move(source)); }
};

}  // namespace bloomery::table
