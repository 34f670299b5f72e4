// Edits of one family in one region that only logs have, as an HFile in memory or on disk (run_file.h).
//
// Its cells are sorted, and each has the sequence id of its entry as mvcc. Its path is that of the log, so
// that explanations and counters name the log. If it has edits of several logs, the path is "FIRST to LAST".
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_options.h"
#include "hfile/recognition.h"
#include "table/logs/run_file.h"

namespace bloomery::table {

struct LoggedFile {
  std::string path = {};
  std::uint64_t cells = 0;
  std::shared_ptr<RunFile> bytes = {};
};

// Opens the file. What is opened keeps the bytes alive.
Result<hfile::OpenFilePointer> open_logged(const LoggedFile& file, const HFileOptions& options);

}  // namespace bloomery::table
