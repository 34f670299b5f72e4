// Runs a scan for a verb: shows progress, stops at Ctrl-C, and lists rows that damage made unreadable on
// stderr.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bloomery/table/table.h"

namespace bloomery::cli {

struct ScanEnd {
  int exit_status = 0;
  std::uint64_t results = 0;
};

// What happens with the results.
struct ScanOutput {
  // Called with each result. If it finds the row damaged, the row is listed like other damage.
  std::function<Status(const RowResult&)> use;
  // Called at the end, even before an error is reported.
  std::function<Status()> flush = [] { return Status(); };
  // Called after flush, if the request notes files. Without it they are printed on stderr.
  std::function<Status(const std::vector<FileOfScan>&)> explain = {};
  // No progress line, because rows go to the same terminal.
  bool hides_progress = false;
};

// Messages begin with `verb`.
Result<ScanEnd> run_scan(const std::string& verb, const Table& table, ScanRequest request,
                         const ScanOutput& output);

// Returns lines: the files of a get or a scan, and how each was used. Each line starts with `begin`.
std::string files_text(const std::string& begin, const std::vector<FileOfScan>& files);
// Prints them on stderr.
void explain_files(const std::string& begin, const std::vector<FileOfScan>& files);

}  // namespace bloomery::cli
