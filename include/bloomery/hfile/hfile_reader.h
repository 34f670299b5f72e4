// Reads HBase's files: HFile version 3, and 2 from its minor version 3 on.
//
// Opening touches the trailer and what it points at: the root of the index, file info, what ties the Bloom
// filters together. Everything else is read in blocks, one positioned read each, whose checksums are verified
// before anything in them is believed (HFileOptions::cache_bytes keeps them). Nothing is allocated beyond
// HFileOptions::max_block_bytes for a block, nor more than the bytes on disk could become; and all that is kept
// of the file at a time, the list of cells included that going back through a block needs, is bounded by
// HFileOptions::memory. An HFileReader never changes and can be shared by threads; a scanner is for one thread.
//
// What is refused, by name: other versions, encrypted files, the compressions LZO, BZIP2, LZMA and BROTLI,
// the order of hbase:meta. Source: docs/formats/hfile.md. Not here: what a delete hides, which is for who
// merges files.
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
}  // namespace hfile

// A position among the cells of a file. Cells are views that hold until the scanner moves. After an error, or
// where a call found no cell, only the calls that seek are allowed.
class HFileScanner {
 public:
  HFileScanner(HFileScanner&&) noexcept;
  HFileScanner& operator=(HFileScanner&&) noexcept;
  ~HFileScanner();

  // Each goes to a cell, or returns false where there is none. Errors: kCorruption, with the block's name and
  // offset; kIo; kCapacity; kUnsupported.
  Result<bool> seek_to_first();
  Result<bool> seek_to_last();
  // To the first cell that is not before `key`.
  Result<bool> seek(const CellKey& key);
  // To the last cell that is before `key`.
  Result<bool> seek_before(const CellKey& key);
  // Precondition of both: the scanner stands at a cell.
  Result<bool> next();
  Result<bool> previous();

  // Precondition: the last call found a cell.
  const Cell& cell() const;

 private:
  friend class HFileReader;
  explicit HFileScanner(std::shared_ptr<const hfile::OpenFile> file);

  const hfile::OpenFile* file_;  // the state keeps it
  std::unique_ptr<hfile::ScanState> state_;
};

class HFileReader {
 public:
  // Errors: kNotFound, kIo; kCorruption, with the part, its offset, what was expected and found;
  // kUnsupported, by name; kCapacity for a block above the limit.
  static Result<HFileReader> open(const std::string& path, const HFileOptions& options = {});

  const HFileFacts& facts() const;

  HFileScanner scan() const;
  // A key that about half of the file's cells are before; the first key; the last one. Nothing in a file
  // without cells.
  Result<std::optional<FlatKey>> mid_key() const;
  std::optional<FlatKey> first_key() const;
  std::optional<FlatKey> last_key() const;
  // The payload of a meta block; nothing when there is none of that name.
  Result<std::optional<std::string>> meta_block(std::string_view name) const;

  // Whether the file may hold cells of the row, of the column, of rows that begin so, or markers that delete
  // the family in the row. A no is certain. True also where the file's filter cannot tell, and where it is
  // damaged: see filter_status().
  bool may_contain_row(std::string_view row) const;
  bool may_contain_column(std::string_view row, std::string_view qualifier) const;
  bool may_contain_prefix(std::string_view prefix) const;
  bool may_contain_delete_family(std::string_view row) const;

  // Why the file's filters could not be opened, if so: it answers maybe then.
  Status filter_status() const;
  HFileCounters counters() const;

 private:
  friend struct hfile::ReaderAccess;
  explicit HFileReader(std::shared_ptr<const hfile::OpenFile> file);

  std::shared_ptr<const hfile::OpenFile> file_;
};

}  // namespace bloomery
