// The get of a row over several HFiles, as a store of HBase makes it: files that cannot have what is asked
// for are skipped, the cells of the others come merged, in HBase's order.
//
//   RowGet::open(paths, row, cells) -> (next -> cell)*   ->   files(): what became of each
//
// A file is skipped by its time range, its key range or its Bloom filter, in this order; a no is certain, and
// what is damaged or cannot tell is read. All versions and markers come, nothing is hidden. Where files hold
// the same key, the cell of the file that was named first comes first.
//
// Cost: for each file its trailer and what it points at; for one that is not skipped, a Bloom chunk and the
// blocks that have the row, each read once. Files that were skipped are closed. Nothing is cached between
// gets. Threads: one at a time.
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
#include "bloomery/table/skipped_by.h"

namespace bloomery {

namespace table {
class FilesOfGet;
}  // namespace table

struct BlockOfGet {
  std::string kind = {};  // "data block", "Bloom chunk"
  std::uint64_t offset = 0;
  std::uint32_t on_disk_bytes = 0;
};

// What became of one file.
struct FileOfGet {
  std::string path = {};
  SkippedBy skipped_by = SkippedBy::kNothing;
  // Of a file that was skipped, as a sentence with its bounds; of one that was skipped by its Bloom filter
  // only where ExplainSkips::kYes was asked for: the chunk, and which bits of the key are 0.
  std::string reason = {};
  std::uint64_t cells = 0;              // that came so far
  std::vector<BlockOfGet> blocks = {};  // that were read so far, in turn; of a skipped file those that told
  // Of a file that was read, why its filters could not be opened, and how often they could only say maybe
  // because a chunk is damaged.
  Status filter_status = {};
  std::uint64_t damaged_bloom_answers = 0;
};

class RowGet {
 public:
  // Opens the files and asks each whether it may have the row.
  //   row     at most kLongestRow bytes
  //   memory  that may be kept of each file
  //   Errors: kInvalidArgument for a longer row and for a file that is no HFile; kNotFound, kIo; kCorruption,
  //   kUnsupported, kCapacity of a file.
  static Result<RowGet> open(const std::vector<std::string>& paths, std::string_view row,
                             const CellChoice& cells = {}, ExplainSkips explain = ExplainSkips::kNo,
                             const FileMemory& memory = {});
  RowGet(RowGet&&) noexcept;
  RowGet& operator=(RowGet&&) noexcept;
  ~RowGet();

  // Goes to the next cell; false behind the last. Errors: those of HFileScanner. After an error or a false it
  // is not called again.
  Result<bool> next();
  // Views that hold until next(). Precondition, here and below: next() was true.
  const Cell& cell() const;
  // Which of the paths the cell is of.
  std::size_t file() const;

  // Of every path, in their order.
  std::vector<FileOfGet> files() const;

 private:
  explicit RowGet(std::unique_ptr<table::FilesOfGet> files);

  std::unique_ptr<table::FilesOfGet> files_;
};

}  // namespace bloomery
