// Writes HBase's files, HFile version 3: from the same cells and options, the bytes that HBase 2.6 writes.
//
// Calls: create (append | append_meta_block)* finish.   The file is written from front to back under a
// temporary name; finish() makes it appear, whole, and without it nothing is left. In memory are one block,
// the index entries of blocks that no leaf of the index has yet taken (and one per leaf), one chunk of each
// Bloom filter with the keys that chunks begin with, and the meta blocks: no allocation for a cell.
//
// What differs from HBase: with a compression, the compressor's choice; docs/formats/hfile-writing.md says
// which. Not here: encryption; tiered or mob files; the order of hbase:meta. Thread-compatible.
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
  // Errors: kInvalidArgument for an option that no file can have, by name, or a path that exists; kNotFound,
  // kIo.
  static Result<HFileWriter> create(const std::string& path, const HFileWriteOptions& options = {});

  HFileWriter(HFileWriter&&) noexcept;
  HFileWriter& operator=(HFileWriter&&) noexcept;
  // Without finish() before it, removes what was written.
  ~HFileWriter();

  // Keys ascend; equal ones stay in the order in which they come. Errors: kInvalidArgument, with what is
  // wrong with the cell: a key that goes backwards, a row or family too long, another family than before,
  // tags or mvcc that the file has no place for, a type that is for seeking; kCapacity for a cell larger than
  // a block can be; kIo. After any error the file is lost: every later call answers the first.
  Status append(const Cell& cell);
  // In any order; HBase has none of its own. Errors: kInvalidArgument for a name that was there.
  Status append_meta_block(std::string_view name, std::string_view content);
  // Writes what is left, waits until it is on the disk and gives the file its name. Once. When only the last
  // step failed, the fsync of the folder, the file is there, whole.
  Status finish();

  std::uint64_t cell_count() const;

 private:
  friend struct hfile::WriterAccess;
  explicit HFileWriter(std::unique_ptr<hfile::WriteState> state);

  std::unique_ptr<hfile::WriteState> state_;
};

}  // namespace bloomery
