// An open HFile: the contents of its load-on-open section, checked against the trailer, and the source of its
// blocks.
//
//   file:      data blocks, leaf index blocks, Bloom chunks, ... | load-on-open section | trailer
//   section:   root index | meta index | file info | [Bloom meta] | [delete-family Bloom meta]
//
// open() reads from the end:
//
//   1. The trailer says where the section begins and how many entries the two indexes have (trailer.h).
//   2. The two roots are the data index and the meta index (block_index.h).
//   3. File info has the fields of a cell, the encoding and the type of the Bloom filter (file_info.h).
//   4. The Bloom meta blocks list the filters' chunks (chunked_filter.h). The one of the second filter, which
//      only Bloomery writes and reads, is before the section, and the meta index has its address.
//
// Cross-checks, since the trailer has no checksum:
//
//   - The section has the blocks above without gaps and ends at the trailer. The filters may have any order.
//   - The file info block is where the trailer says.
//   - Each root has as many entries as the trailer says; the data index not more than there are cells.
//   - In an index of one level, the first and the last entry are the first and last data block of the
//     trailer. Deeper indexes are checked by a scan (scan_state.h) and by table/verify.cc.
//   - The last key of the root is not after hfile.LASTKEY.
//
// If a Bloom meta block cannot be read, the file stays usable without the filter: filter_status() has the
// error, and every query answers maybe. A damaged chunk also answers maybe, and is counted.
//
// Memory holds the section's blocks but no cells: 8.6 kB of heap for a file of 1.01 GB, 32 kB for one of 5.34
// GB (docs/formats/hfile.md, section "Bounds", has the setting).
//
// Invariants:
//
//   - An open file is const except for counters and lazily computed values (facts, chunks). It is
//     thread-safe.
//   - Keys in the indexes are views of root_block_ and meta_root_block_. The last Bloom key is a view into
//     info_.
//   - source() reads no block that goes beyond the start of the load-on-open section.
//
// Source: HBase's HFileInfo, HFileReaderImpl and StoreFileReader. scan_state.h has positions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "bloomery/hfile/hfile_facts.h"
#include "bloomery/hfile/hfile_options.h"
#include "hfile/block.h"
#include "hfile/block_index.h"
#include "hfile/block_source.h"
#include "hfile/bloom/bloom_key.h"
#include "hfile/chunked_filter.h"
#include "hfile/encoding/flat_cell.h"
#include "hfile/file_info.h"
#include "hfile/trailer.h"

namespace bloomery::hfile {

// The environment of a file that is read: for tests, and for callers that count or cache blocks.
struct Surroundings {
  FileSystem* files = nullptr;  // null: the machine's own
  // Makes the source between the reader and the blocks on disk, instead of the cache of HFileOptions. Its
  // argument outlives the returned source.
  std::function<std::unique_ptr<BlockSource>(BlockSource& disk)> between = {};
};

class OpenFile {
 public:
  static Result<std::shared_ptr<const OpenFile>> open(const std::string& path,
                                                      const HFileOptions& options = {},
                                                      const Surroundings& surroundings = {});

  const std::string& path() const { return file_.path(); }
  std::uint64_t file_bytes() const { return file_bytes_; }
  // The budget for everything that is kept of the file. Callers that keep more charge it as well.
  const std::shared_ptr<MemoryBudget>& memory() const { return memory_; }
  const Trailer& trailer() const { return trailer_; }
  const FileInfo& info() const { return info_; }
  const BlockIndex& index() const { return index_; }
  const RootIndex& meta_index() const { return meta_index_; }
  const CellLayout& layout() const { return layout_; }
  DataEncoding encoding() const { return encoding_; }
  // The facts for users, made on first use; a plain reader does not need them.
  const HFileFacts& facts() const;
  const Status& filter_status() const { return filter_status_; }
  // The filters and their parameters as stored in the file, for callers that explain or check answers.
  hbase::BloomType bloom_type() const { return bloom_type_; }
  std::size_t bloom_prefix_bytes() const { return bloom_prefix_bytes_; }
  std::optional<std::string_view> last_bloom_key() const { return last_bloom_key_; }
  const std::optional<ChunkedFilter>& bloom() const { return bloom_; }
  const std::optional<ChunkedFilter>& delete_family_bloom() const { return delete_family_bloom_; }
  // The second filter, of columns, next to one of rows. It does not have the markers of a family under the
  // empty qualifier alone: the delete-family filter is queried for them.
  const std::optional<ChunkedFilter>& second_bloom() const { return second_bloom_; }
  // Returns the filter of columns, which is the general one or the second one, or null.
  const ChunkedFilter* column_filter() const {
    return bloom_type_ == hbase::BloomType::kRowCol ? &*bloom_ : second_bloom_ ? &*second_bloom_ : nullptr;
  }
  // Returns all filters, for callers that check or measure each.
  std::vector<const ChunkedFilter*> filters() const;
  // Returns the types of the filters that gets query, such as "ROW" or "ROW and ROWCOL".
  std::string bloom_names() const;
  // Returns true if LAST_BLOOM_KEY alone excludes the row, or the column in a ROWCOL file. HBase compares
  // with it before it queries the filter.
  bool is_behind_last_bloom_key(std::string_view row, std::string_view qualifier) const;
  BlockLife block_life() const { return block_life_; }  // kKept if the file has a cache
  // The source of all blocks except those of the load-on-open section. Thread-safe, as all users of the file
  // share it.
  BlockSource& source() const { return between_ ? *between_ : *disk_; }

  // The queries of HFileReader. False is certain; damage returns true and is counted.
  bool may_contain_row(std::string_view row) const;
  bool may_contain_column(std::string_view row, std::string_view qualifier) const;
  // Queries the column without the markers that delete the row's family, which the caller has checked.
  bool may_contain_column_alone(std::string_view row, std::string_view qualifier) const;
  bool may_contain_prefix(std::string_view prefix) const;
  bool may_contain_delete_family(std::string_view row) const;
  // Queries one of the file's filters for a key in the form of its type (bloom_key.h), with its hash.
  bool may_contain_key(const ChunkedFilter& filter, std::string_view key, hbase::HashPair pair) const;
  HFileCounters counters() const;
  const ReadCounters& read_counters() const { return counters_; }

 private:
  static Result<std::shared_ptr<const OpenFile>> open_in(FileSystem& files, const std::string& path,
                                                         const HFileOptions& options,
                                                         const Surroundings& surroundings);
  Status read_trailer(FileSystem& files);
  Status read_load_on_open(const HFileOptions& options);
  Status read_roots(FileBlockSource& source);
  Status read_file_info(const Block& block);
  Status read_layout();
  Status read_encoding();
  Status read_filters(FileBlockSource& source, std::uint64_t offset);
  Status read_bloom_type();
  Status read_second_filter(FileBlockSource& source);
  Status check_index() const;
  HFileFacts make_facts() const;
  bool ask(const std::optional<ChunkedFilter>& filter, std::string_view key) const;

  File file_;
  std::uint64_t file_bytes_ = 0;
  std::shared_ptr<MemoryBudget> memory_;
  MemoryShare roots_memory_;  // for the parsed entries of both indexes
  Trailer trailer_;
  std::uint64_t behind_roots_ = 0;
  BlockPointer root_block_;  // index_ has views of it
  BlockPointer meta_root_block_;
  RootIndex data_root_;
  RootIndex meta_index_;
  BlockIndex index_;
  FileInfo info_;
  CellLayout layout_;
  DataEncoding encoding_ = DataEncoding::kNone;
  hbase::BloomType bloom_type_ = hbase::BloomType::kNone;
  std::size_t bloom_prefix_bytes_ = 0;
  std::optional<std::string_view> last_bloom_key_;
  std::optional<hbase::RowCol> last_bloom_column_;
  std::optional<ChunkedFilter> bloom_;
  std::optional<ChunkedFilter> delete_family_bloom_;
  std::optional<ChunkedFilter> second_bloom_;
  bool without_delete_family_ = false;  // file info says that no marker deletes a family
  Status filter_status_;
  mutable std::once_flag facts_made_;
  mutable HFileFacts facts_;
  mutable ReadCounters counters_;
  mutable std::atomic<std::uint64_t> damaged_bloom_answers_{0};
  std::unique_ptr<FileBlockSource> disk_;
  std::unique_ptr<BlockSource> between_;
  BlockLife block_life_ = BlockLife::kShort;
};

}  // namespace bloomery::hfile
