// Rows that a scan could not return, since a file cannot be read there.
//
// Example:
//    ScanRequest scan;
//    scan.skips_damage = true;
//    const auto table = Table::open("to-load");
//    auto scanner = table ? table->scan(scan) : Result<TableScanner>(table.error());
//    while (scanner && scanner->next().value_or(false)) {
//    }
//    for (const SkippedRows& lost : scanner ? scanner->skipped() : std::vector<SkippedRows>()) {
//      std::cerr << lost.rows.start << " to " << lost.rows.stop << ": " << lost.error.to_string() << "\n";
//    }
#pragma once

#include "bloomery/base/error.h"
#include "bloomery/table/filter.h"

namespace bloomery {

struct SkippedRows {
  RowRange rows = {};
  Error error;  // with the file and the offset in it
};

}  // namespace bloomery
