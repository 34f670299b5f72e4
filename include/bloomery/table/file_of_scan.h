// The regions and files of a table, and what a get or a scan did with each file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/table/skipped_by.h"

namespace bloomery {

// A store file of a region, as the table lists it.
struct TableFile {
  std::string family = {};
  std::string path = {};  // the file with the cells
  std::string name = {};  // in the region; a link or a reference has its own name
  bool is_half = false;   // only the rows on one side of a split count
};

// A write-ahead log that was read with the table.
struct TableLog {
  std::string path = {};
  std::uint64_t cells = 0;  // of the table, which no file has
  bool is_sealed = false;   // otherwise nothing vouches for its bytes
  bool is_closed = false;   // it has a trailer, so that a cut would be noticed
  bool is_marked = false;   // a mark says how far it was synced: less is an error
};

struct TableRegion {
  std::string name = {};   // the encoded name; empty if the directory has no regions
  std::string start = {};  // the first row
  std::string end = {};    // the end, exclusive; empty: no end
  std::vector<TableFile> files = {};
};

// A block that a get or a scan requested.
struct BlockOfScan {
  std::string kind = {};  // "data block", "leaf index block", "Bloom chunk"
  std::uint64_t offset = 0;
  std::uint32_t on_disk_bytes = 0;
  bool is_from_disk = false;  // otherwise from the cache
};

// A file of a scan, and the reason if it was skipped.
struct FileOfScan {
  std::string region = {};  // TableRegion::name
  TableFile file = {};
  SkippedBy skipped_by = SkippedBy::kNothing;
  std::string reason = {};  // why it was skipped, as a sentence with its bounds
  // In order, including the blocks that led to a skip. Blocks that opening the file reads are not listed, nor
  // filter chunks that stay in memory (TableOptions::pins_filters).
  std::vector<BlockOfScan> blocks = {};
};

}  // namespace bloomery
