// Runs a scan for a verb: shows progress, stops at Ctrl-C, and lists rows that damage made unreadable on
// stderr.
#pragma once

#include <functional>
#include <string>

#include "bloomery/table/table.h"

namespace bloomery::cli {

struct ScanEnd {
  int exit_status = 0;
  std::uint64_t results = 0;
};

// Calls `use` with each result, and `flush` at the end, even before an error is reported. If `use` finds a
// row damaged, the row is listed like other damage. Messages begin with `verb`.
Result<ScanEnd> run_scan(const std::string& verb, const Table& table, ScanRequest request,
                         const std::function<Status(const RowResult&)>& use,
                         const std::function<Status()>& flush);

// Prints the files of a scan and how each was used. Each line starts with `begin`.
void explain_files(const std::string& begin, const std::vector<FileOfScan>& files);

}  // namespace bloomery::cli
