// Records what a get or a scan did with a file, for `--explain`.
#pragma once

#include <string>
#include <vector>

#include "bloomery/table/file_of_scan.h"
#include "hfile/read_log.h"
#include "table/read/store_file.h"

namespace bloomery::table {

FileOfScan file_of_scan(const std::string& region, const std::string& family, const StoreFile& file);
// Adds the file's blocks from the log.
void add_blocks(std::vector<BlockOfScan>& blocks, const hfile::OpenFile& file, const hfile::ReadLog& log);

}  // namespace bloomery::table
