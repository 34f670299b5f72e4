// Reads HBase's files: HFile version 3, and version 2 from its minor version 3 on.
//
// Example:
//    auto reader = HFileReader::open("cells.hfile");
//    if (reader->may_contain_row("row 1")) {   // a false answer is certain
//      HFileScanner scanner = reader->scan();
//      Result<bool> found = scanner.seek(first_on_row("row 1"));
//      while (found && *found && scanner.cell().key.row == "row 1") {
//        std::cout << scanner.cell().value << "\n";
//        found = scanner.next();
//      }
//    }
//
// Opening reads the trailer and the blocks that it points at: the root of the index, the file info, and the
// Bloom meta blocks. Everything else is read block by block, with one positioned read each. A sequential scan
// reads up to 64 KiB at once. The checksums of a block are verified before its contents are used.
// HFileOptions::cache_bytes keeps blocks.
//
// Memory. A block needs at most HFileOptions::max_block_bytes, and no more than its bytes on disk can
// decompress to. HFileOptions::memory bounds all that is kept of the file at a time. That includes the list
// of cells that is needed for going backward through a block.
//
// Threads: an HFileReader never changes, so threads can share it. A scanner is for one thread.
//
// The rows of hbase:meta have an order of their own (row_order.h). A scanner of such a file moves and seeks
// in it.
//
// Other versions, encrypted files, and the compressions LZO, BZIP2, LZMA and BROTLI are refused by name.
// Programs that merge files apply delete markers; this reader returns them as cells. Source:
// docs/formats/hfile.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/hfile_facts.h"
#include "bloomery/hfile/hfile_options.h"

namespace bloomery {

namespace hfile {
class OpenFile;
class ScanState;
struct ReaderAccess;
enum class Step;
}  // namespace hfile

// A position among the cells of a file. Cells are views that are valid until the scanner moves. After an
// error, or after a call that found no cell, only the calls that seek are allowed.
class HFileScanner {
 public:
  HFileScanner(HFileScanner&&) noexcept;
  HFileScanner& operator=(HFileScanner&&) noexcept;
  ~HFileScanner();

  // Each call moves to a cell, or returns false if there is none. Errors: kCorruption, with the block's name
  // and offset; kIo; kCapacity; kUnsupported.
  Result<bool> seek_to_first();
  Result<bool> seek_to_last();
  // Moves to the first cell that is not before `key`.
  Result<bool> seek(const CellKey& key);
  // Moves to the last cell that is before `key`.
  Result<bool> seek_before(const CellKey& key);
  // Precondition of both: the scanner is at a cell.
  Result<bool> next();
  Result<bool> previous();

  // Precondition: the last call found a cell.
  const Cell& cell() const;

 private:
  friend class HFileReader;
  friend struct hfile::ReaderAccess;
  explicit HFileScanner(std::shared_ptr<const hfile::OpenFile> file);

  const hfile::OpenFile* file_;  // owned by the state
  std::unique_ptr<hfile::ScanState> state_;
};

class HFileReader {
 public:
  // Errors:
  //
  //   kNotFound, kIo   the file cannot be read
  //   kCorruption      the message names the part, its offset, and what was expected and found
  //   kUnsupported     the message names what is not supported
  //   kCapacity        a block is above the limit
  static Result<HFileReader> open(const std::string& path, const HFileOptions& options = {});

  const HFileFacts& facts() const;

  HFileScanner scan() const;
  // Return a key with about half of the file's cells before it, the first key, and the last key. They return
  // nothing for a file without cells.
  Result<std::optional<FlatKey>> mid_key() const;
  std::optional<FlatKey> first_key() const;
  std::optional<FlatKey> last_key() const;
  // Returns the payload of a meta block, or nothing if no meta block has that name.
  Result<std::optional<std::string>> meta_block(std::string_view name) const;

  // Return true if the file may contain cells of the row, of the column, or of rows with the prefix, or
  // markers that delete the family in the row. False is certain. They also return true if the file's filter
  // cannot tell or is damaged; see filter_status().
  bool may_contain_row(std::string_view row) const;
  bool may_contain_column(std::string_view row, std::string_view qualifier) const;
  bool may_contain_prefix(std::string_view prefix) const;
  bool may_contain_delete_family(std::string_view row) const;

  // Returns the reason if the file's filters could not be opened. Such a file always answers maybe.
  Status filter_status() const;
  HFileCounters counters() const;

 private:
  friend struct hfile::ReaderAccess;
  explicit HFileReader(std::shared_ptr<const hfile::OpenFile> file);

  std::shared_ptr<const hfile::OpenFile> file_;
};

}  // namespace bloomery
