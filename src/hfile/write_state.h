// A file that is being written. It combines the writers of cells, blocks, index and filters.
//
//   append()   1. The Bloom filters get the cell's key.
//              2. If the data block is full and the key differs from the previous cell's: the block is
//                 written, then an index leaf if one is full, then the full Bloom chunks.
//              3. The encoder gets the cell, then the statistics.
//
//   finish()   the last data block, leaf and chunks | meta blocks, index | file info, Bloom meta | trailer
//
// So a chunk that became full follows the data block whose cells filled it, or the block before that one.
// Cells with equal keys are always in one data block.
//
// An error ends the file: every later call returns the same error.
//
// Source: HBase's HFileWriterImpl and StoreFileWriter; docs/formats/hfile-writing.md. Each writer documents
// its own layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/atomic_file.h"
#include "bloomery/base/error.h"
#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/hfile_write_options.h"
#include "hfile/block_header.h"
#include "hfile/block_writer.h"
#include "hfile/byte_writer.h"
#include "hfile/cell_statistics.h"
#include "hfile/data_block_encoder.h"
#include "hfile/encoding/key_bytes.h"
#include "hfile/file_info_writer.h"
#include "hfile/file_output.h"
#include "hfile/filter_writer.h"
#include "hfile/index_writer.h"
#include "hfile/payload_compressor.h"
#include "hfile/trailer.h"
#include "hfile/write_plan.h"

namespace bloomery::hfile {

class WriteState {
 public:
  static Result<std::unique_ptr<WriteState>> create(const std::string& path, const HFileWriteOptions& options,
                                                    FileSystem& files = FileSystem::real());

  Status append(const Cell& cell);
  Status append_meta_block(std::string_view name, std::string_view content);
  Status finish();

  std::uint64_t cell_count() const { return statistics_.count; }

 private:
  // The most significant component of its key in which a cell differs from the previous cell.
  enum class Novelty { kNothing, kVersion, kColumn, kRow };

  WriteState(std::string path, HFileWriteOptions options, const WritePlan& plan, AtomicFile file,
             std::optional<PayloadCompressor> compressor);

  Status settle(Status status);
  Status add(const Cell& cell);
  bool is_ordinary(const Cell& cell) const;
  Status check(const Cell& cell) const;
  Status check_tags(std::string_view tags) const;
  Result<Novelty> novelty_of(const CellKey& key) const;
  Error refused(const std::string& detail) const;

  bool is_new_bloom_key(const CellKey& key, Novelty novelty) const;
  void add_to_filters(const CellKey& key, Novelty novelty);
  void begin_data_block(const CellKey& key);
  Status end_data_block();
  Status write_inline_blocks();

  Status write_all();
  Status write_last_inline_blocks();
  Status write_columns_filter_meta();
  Result<std::uint32_t> write_meta_blocks_and_index();
  Status write_file_info();
  void describe_cells(FileInfoWriter& info) const;
  void describe_purpose(FileInfoWriter& info) const;
  void describe_filter(FileInfoWriter& info) const;
  Status write_filter_meta(const std::optional<FilterWriter>& filter, BlockKind kind);
  Status write_trailer();

  const KeyBytes* last() const { return statistics_.count == 0 ? nullptr : &keys_[last_]; }

  std::string path_;
  HFileWriteOptions options_;
  WritePlan plan_;
  FileOutput output_;
  BlockWriter blocks_;
  DataBlockEncoder encoder_;
  IndexWriter index_;
  std::optional<FilterWriter> filter_;
  std::optional<FilterWriter> delete_family_filter_;
  std::optional<FilterWriter> columns_filter_;
  std::map<std::string, std::string, std::less<>> meta_blocks_;

  CellStatistics statistics_;
  std::array<KeyBytes, 2> keys_;  // keys of the last and the next cell, alternating
  std::size_t last_ = 0;
  std::optional<std::string> last_delete_family_row_;

  ByteWriter* data_block_ = nullptr;  // the open block; null if there is none
  bool is_first_in_block_ = true;
  std::string index_key_;  // the index key of the open block
  Trailer trailer_;
  Status outcome_;  // the first error, or that the file is finished
};

}  // namespace bloomery::hfile
