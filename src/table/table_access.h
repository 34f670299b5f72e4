// Gives library code the layout of a table that it only has as a user sees it.
#pragma once

#include "bloomery/table/table.h"
#include "table/table_files.h"

namespace bloomery::table {

struct TableAccess {
  static const TableLayout& layout_of(const Table& table) { return table.files_->layout(); }
};

}  // namespace bloomery::table
