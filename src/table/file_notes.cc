#include "table/file_notes.h"

namespace bloomery::table {

FileOfScan file_of_scan(const std::string& region, const std::string& family, const StoreFile& file) {
  return {.region = region, .file = {family, file.path(), file.name, file.half.has_value()}};
}

void add_blocks(std::vector<BlockOfScan>& blocks, const hfile::OpenFile& file, const hfile::ReadLog& log) {
  for (const hfile::BlockRead& read : log.reads()) {
    if (read.file == &file.read_counters()) {
      blocks.push_back({.kind = hfile::block_kind_name(read.address.kind),
                        .offset = read.address.offset,
                        .on_disk_bytes = read.address.on_disk_bytes,
                        .is_from_disk = read.from == hfile::ReadFrom::kDisk});
    }
  }
}

}  // namespace bloomery::table
