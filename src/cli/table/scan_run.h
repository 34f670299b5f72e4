// Runs a scan for a verb: shows progress, ends at Ctrl-C, and says on stderr which rows damage has taken.
#pragma once

#include <functional>
#include <string>

#include "bloomery/table/table.h"

namespace bloomery::cli {

struct ScanEnd {
  int exit_status = 0;
  std::uint64_t results = 0;
};

// Calls `use` with each result, and `flush` at the end, also before an error is reported. A row that `use`
// finds damaged is listed like other damage. `verb` is the name in messages.
Result<ScanEnd> run_scan(const std::string& verb, const Table& table, ScanRequest request,
                         const std::function<Status(const RowResult&)>& use,
                         const std::function<Status()>& flush);

// Prints the files of a scan with what happened to them. `begin` stands before each line.
void explain_files(const std::string& begin, const std::vector<FileOfScan>& files);

}  // namespace bloomery::cli
