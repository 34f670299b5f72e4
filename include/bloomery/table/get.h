// A get of one row over several HFiles, as a store of HBase performs it. Files that cannot hold the row are
// skipped. The cells of the other files are merged in HBase's order.
//
// Example:
//    auto get = RowGet::open({"cells.hfile"}, "row 1");
//    Result<bool> found = get->next();
//    while (found && *found) {
//      std::cout << get->cell().value << "\n";
//      found = get->next();
//    }
//    const std::vector<FileOfGet> files = get->files();   // what happened to each file
//
// A file is skipped by its time range, its key range or its Bloom filter, in this order. A skip is certain: a
// file that is damaged or cannot tell is read. All versions and markers are returned, and nothing is hidden.
// If files hold the same key, the cell of the file that was named first comes first.
//
// Cost. For each file, the trailer and the blocks that it points at are read. For a file that is not skipped,
// a Bloom chunk and the blocks of the row are read, each once. Skipped files are closed. Nothing is cached
// between gets.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/table/cell_choice.h"
#include "bloomery/table/file_of_scan.h"
#include "bloomery/table/skipped_by.h"

namespace bloomery {

namespace table {
class FilesOfGet;
}  // namespace table

// The facts about one file of a get.
struct FileOfGet {
  std::string path = {};
  SkippedBy skipped_by = SkippedBy::kNothing;
  // Why the file was skipped, as a sentence with its bounds. A skip by the Bloom filter is explained only
  // with ExplainSkips::kYes, by the chunk and the key's zero bits.
  std::string reason = {};
  std::uint64_t cells = 0;               // cells returned so far
  std::vector<BlockOfScan> blocks = {};  // blocks read so far, in order; also those that led to a skip
  // For a file that was read: why its filters could not be opened, and how often they could only answer maybe
  // because a chunk is damaged.
  Status filter_status = {};
  std::uint64_t damaged_bloom_answers = 0;
};

class RowGet {
 public:
  // Opens the files and checks for each whether it may have the row.
  //
  //   row      at most kLongestRow bytes
  //   memory   the limit for what is kept of each file
  //
  // Errors: kNotFound; kIo; kInvalidArgument for a longer row or a file that is not an HFile. A file may also
  // cause kCorruption, kUnsupported and kCapacity.
  static Result<RowGet> open(const std::vector<std::string>& paths, std::string_view row,
                             const CellChoice& cells = {}, ExplainSkips explain = ExplainSkips::kNo,
                             const FileMemory& memory = {});
  RowGet(RowGet&&) noexcept;
  RowGet& operator=(RowGet&&) noexcept;
  ~RowGet();

  // Moves to the next cell; returns false after the last one. Errors: those of HFileScanner. Do not call it
  // again after an error or a false.
  Result<bool> next();
  // Returns views that are valid until next(). Precondition of cell() and file(): next() was true.
  const Cell& cell() const;
  // Returns the index of the cell's file among the paths.
  std::size_t file() const;

  // Returns the facts of every path, in the order of the paths.
  std::vector<FileOfGet> files() const;

 private:
  explicit RowGet(std::unique_ptr<table::FilesOfGet> files);

  std::unique_ptr<table::FilesOfGet> files_;
};

}  // namespace bloomery
