// An open HFile: what its load-on-open section says, checked against the trailer, and where its blocks come
// from.
//
//   root index | meta index | file info | [Bloom meta] | [delete-family Bloom meta] | trailer
//
// Cross-checks: the section is what the trailer says it is, and ends at it; the root has as many entries as
// the trailer counts, and exactly those; an empty index means no cells; first and last data block are those
// of the index. A Bloom meta block that cannot be read costs the filter, not the file. Not here: positions
// (scan_state.h).
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

// What stands around a file that is read: for tests, and for who counts or keeps blocks.
struct Surroundings {
  FileSystem* files = nullptr;  // the machine's own unless given
  // Instead of HFileOptions::cache_bytes, makes what stands between the reader and the blocks on disk;
  // nothing does unless given. The source that it takes lives as long as what it returns.
  std::function<std::unique_ptr<BlockSource>(BlockSource& disk)> between = {};
};

class OpenFile {
 public:
  static Result<std::shared_ptr<const OpenFile>> open(const std::string& path,
                                                      const HFileOptions& options = {},
                                                      const Surroundings& surroundings = {});

  const std::string& path() const { return file_.path(); }
  std::uint64_t file_bytes() const { return file_bytes_; }
  // Of all that is kept of it; for who keeps more.
  const std::shared_ptr<MemoryBudget>& memory() const { return memory_; }
  const Trailer& trailer() const { return trailer_; }
  const FileInfo& info() const { return info_; }
  const BlockIndex& index() const { return index_; }
  const RootIndex& meta_index() const { return meta_index_; }
  const CellLayout& layout() const { return layout_; }
  DataEncoding encoding() const { return encoding_; }
  // Made when first asked for; of no use to who only reads.
  const HFileFacts& facts() const;
  const Status& filter_status() const { return filter_status_; }
  // As they stand in the file, for who explains or checks what the filters answer.
  hbase::BloomType bloom_type() const { return bloom_type_; }
  std::size_t bloom_prefix_bytes() const { return bloom_prefix_bytes_; }
  std::optional<std::string_view> last_bloom_key() const { return last_bloom_key_; }
  const std::optional<ChunkedFilter>& bloom() const { return bloom_; }
  const std::optional<ChunkedFilter>& delete_family_bloom() const { return delete_family_bloom_; }
  BlockLife block_life() const { return block_life_; }  // kKept in a cache of its own
  // Thread-safe, so it is there for all who share the file.
  BlockSource& source() const { return between_ ? *between_ : *disk_; }

  bool may_contain_row(std::string_view row) const;
  bool may_contain_column(std::string_view row, std::string_view qualifier) const;
  bool may_contain_prefix(std::string_view prefix) const;
  bool may_contain_delete_family(std::string_view row) const;
  HFileCounters counters() const;

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
  Status check_index() const;
  HFileFacts make_facts() const;
  bool ask(const std::optional<ChunkedFilter>& filter, std::string_view key) const;

  File file_;
  std::uint64_t file_bytes_ = 0;
  std::shared_ptr<MemoryBudget> memory_;
  MemoryShare roots_memory_;  // of the entries of both indexes
  Trailer trailer_;
  std::uint64_t behind_roots_ = 0;
  BlockPointer root_block_;  // of which the index's keys are views
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
  bool without_delete_family_ = false;  // file info counts none
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
