// Writes HBase's files, HFile version 3. The same cells and options give the bytes that HBase 2.6 writes.
//
// Example:
//    HFileWriteOptions options;
//    options.may_replace = true;
//    options.bloom.type = hfile::BloomType::kRow;
//    auto writer = HFileWriter::create("cells.hfile", options);
//    const CellKey key{"row 1", "f", "q", 1, CellType::kPut};   // row, family, qualifier, timestamp, type
//    Status appended = writer->append({.key = key, .value = "a value"});
//    Status finished = writer->finish();
//
// Calls: create (append | append_meta_block)* finish.
//
// The file is written sequentially under a temporary name. Then finish() gives the complete file its name.
// Without finish() nothing is left.
//
// Nothing is allocated per cell. Memory holds:
//
//   - one block, and the meta blocks
//   - the index entries of blocks that are not yet in a leaf of the index, and one entry per leaf
//   - one chunk of each Bloom filter, and the first keys of its chunks
//
// With a compression the compressor's choices may differ from HBase; docs/formats/hfile-writing.md lists the
// codecs that do. Not supported: encryption, tiered or mob files, the order of hbase:meta. Threads: one at a
// time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/hfile_write_options.h"

namespace bloomery {

namespace hfile {
class WriteState;
struct WriterAccess;
}  // namespace hfile

class HFileWriter {
 public:
  // Errors: kInvalidArgument for an option that no file can have, by name, or for a path that exists;
  // kNotFound; kIo.
  static Result<HFileWriter> create(const std::string& path, const HFileWriteOptions& options = {});

  HFileWriter(HFileWriter&&) noexcept;
  HFileWriter& operator=(HFileWriter&&) noexcept;
  // Removes what was written, unless finish() was called.
  ~HFileWriter();

  // Appends a cell. Keys ascend; equal keys stay in the order in which they are appended. After any error the
  // file is lost, and every later call returns the first error.
  //
  //   kInvalidArgument   says what is wrong with the cell: its key is out of order, its row or family is too
  //                      long, its family is another one, the file has no field for its tags or mvcc, or its
  //                      type is only for seeking
  //   kCapacity          the cell is larger than a block can be
  //   kIo                the file could not be written
  Status append(const Cell& cell);
  // Meta blocks may come in any order; HBase writes none of its own. Errors: kInvalidArgument for a name that
  // was used before.
  Status append_meta_block(std::string_view name, std::string_view content);
  // Writes what is left, syncs it to disk, and gives the file its name. Call it once. If only the last step
  // failed, the fsync of the folder, the complete file is there.
  Status finish();

  std::uint64_t cell_count() const;

 private:
  friend struct hfile::WriterAccess;
  explicit HFileWriter(std::unique_ptr<hfile::WriteState> state);

  std::unique_ptr<hfile::WriteState> state_;
};

}  // namespace bloomery
