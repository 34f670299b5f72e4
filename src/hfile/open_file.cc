#include "hfile/open_file.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "hfile/cache/cached_source.h"
#include "hfile/data_block_cursor.h"
#include "hfile/flat_key.h"

namespace bloomery::hfile {
namespace {

constexpr std::string_view kLastKey = "hfile.LASTKEY";
constexpr std::string_view kRequired[] = {"hfile.AVG_KEY_LEN", "hfile.AVG_VALUE_LEN"};
constexpr const char* kFileInfo = "file info block";
constexpr const char* kRootIndexBlock = "root index block";

Error not_of_kind(const Block& block, BlockKind expected) {
  return Error::corruption(block_kind_name(expected), block.offset(), "it in its place",
                           std::string("a ") + block_kind_name(block.kind()));
}

// Returns the memory budget of the file. The size of a requested cache is added to it, unless the caller set
// the limit.
std::shared_ptr<MemoryBudget> budget_of(const HFileOptions& options, std::uint64_t file_bytes) {
  const std::shared_ptr<MemoryBudget> budget = MemoryBudget::of_file(options.memory, file_bytes);
  const std::uint64_t wanted = options.cache != nullptr ? options.cache->most_bytes() : options.cache_bytes;
  const std::uint64_t cache = std::min(wanted, ~budget->limit());
  return options.memory.limit_bytes != 0 || cache == 0
             ? budget
             : std::make_shared<MemoryBudget>(budget->limit() + cache);
}

// Returns a bound for the memory of a parsed root. Each entry is stored as an IndexEntry, as a parsed key,
// and as the head of its row. An entry has at least 13 bytes in the block, so a false count in the trailer
// cannot make the bound larger.
std::uint64_t root_bytes(const Block& block, std::uint64_t count) {
  const std::uint64_t entries = std::min<std::uint64_t>(count, block.payload().size() / 13);
  return entries * (sizeof(IndexEntry) + sizeof(CellKey)) +
         RowHeads<std::uint64_t>::bytes_for(entries, std::min(block.payload().size(), kMaxRowBytes));
}

// Reads the block at `offset`, which must be of this kind, and moves `offset` after it.
Result<BlockPointer> read_block(FileBlockSource& source, BlockKind kind, std::uint64_t& offset) {
  BLOOMERY_ASSIGN_OR_RETURN(BlockPointer block, source.read_at(offset));
  if (block->kind() != kind) {
    return not_of_kind(*block, kind);
  }
  offset += block->header().on_disk_bytes;
  return block;
}

bool is_behind(const hbase::RowCol& column, const hbase::RowCol& last, RowOrder order) {
  return std::is_gt(hbase::compare_columns(order, column, last));
}

HFileBloomFacts facts_of(const hbase::BloomMeta& meta) {
  return {.hash = hbase::bloom_hash_name(meta.hash),
          .hash_count = meta.hash_count,
          .key_count = meta.key_count,
          .max_keys = meta.max_keys,
          .byte_size = meta.total_bytes,
          .chunk_count = meta.chunks.size()};
}

}  // namespace

Status OpenFile::read_trailer(FileSystem& files) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file_));
  file_bytes_ = facts.size_bytes;
  std::vector<std::byte> tail(
      static_cast<std::size_t>(std::min<std::uint64_t>(file_bytes_, kMaxTrailerBytes)));
  BLOOMERY_RETURN_IF_ERROR(file_.read_exactly_at(file_bytes_ - tail.size(), tail));
  BLOOMERY_ASSIGN_OR_RETURN(trailer_, parse_trailer(tail, file_bytes_));
  return {};
}

// Step 2 of open_file.h: reads both indexes. File info begins after them.
Status OpenFile::read_roots(FileBlockSource& source) {
  std::uint64_t offset = trailer_.load_on_open_offset;
  BLOOMERY_ASSIGN_OR_RETURN(root_block_, read_block(source, BlockKind::kRootIndex, offset));
  BLOOMERY_RETURN_IF_ERROR(
      roots_memory_.add(kRootIndexBlock, root_bytes(*root_block_, trailer_.data_index_count)));
  const auto middle = trailer_.data_index_levels > 1 ? MiddleLeaf::kPresent : MiddleLeaf::kAbsent;
  BLOOMERY_ASSIGN_OR_RETURN(data_root_, parse_root_index(root_block_->payload(), trailer_.data_index_count,
                                                         middle, root_block_->offset()));
  BLOOMERY_ASSIGN_OR_RETURN(meta_root_block_, read_block(source, BlockKind::kRootIndex, offset));
  BLOOMERY_RETURN_IF_ERROR(
      roots_memory_.add(kRootIndexBlock, root_bytes(*meta_root_block_, trailer_.meta_index_count)));
  BLOOMERY_ASSIGN_OR_RETURN(meta_index_,
                            parse_root_index(meta_root_block_->payload(), trailer_.meta_index_count,
                                             MiddleLeaf::kAbsent, meta_root_block_->offset()));
  behind_roots_ = offset;
  return {};
}

// Reads the fields of the file's cells. KEY_VALUE_VERSION means that cells have an mvcc. hfile.MAX_TAGS_LEN
// means that they have tags, whatever its value. hfile.TAGS_COMPRESSED means that tags use a dictionary.
Status OpenFile::read_layout() {
  BLOOMERY_ASSIGN_OR_RETURN(const auto cell_version, info_.int32_of("KEY_VALUE_VERSION"));
  if (cell_version.value_or(1) != 1) {
    return Error::unsupported(kFileInfo, trailer_.file_info_offset,
                              "expected cells of version 1, found " + std::to_string(*cell_version));
  }
  layout_.has_mvcc = cell_version.has_value();
  BLOOMERY_ASSIGN_OR_RETURN(const auto max_mvcc, info_.int64_of("MAX_MEMSTORE_TS_KEY"));
  if (layout_.has_mvcc && !max_mvcc) {
    return Error::corruption(kFileInfo, trailer_.file_info_offset,
                             "MAX_MEMSTORE_TS_KEY with KEY_VALUE_VERSION", "none");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto max_tags, info_.int32_of("hfile.MAX_TAGS_LEN"));
  layout_.has_tags = max_tags.has_value();
  layout_.row_order = trailer_.row_order;
  BLOOMERY_ASSIGN_OR_RETURN(layout_.tags_by_dictionary, info_.is_true("hfile.TAGS_COMPRESSED"));
  return {};
}

// Reads the encoding of the data blocks. Encoded index blocks are refused.
Status OpenFile::read_encoding() {
  const std::string_view name = info_.find("DATA_BLOCK_ENCODING").value_or("NONE");
  const auto encoding = parse_data_encoding(name);
  if (!encoding) {
    return Error::unsupported(
        kFileInfo, trailer_.file_info_offset,
        "expected the data block encoding NONE, PREFIX, DIFF, FAST_DIFF or ROW_INDEX_V1, found " +
            std::string(name));
  }
  encoding_ = *encoding;
  const std::string_view index_encoding = info_.find("INDEX_BLOCK_ENCODING").value_or("NONE");
  if (index_encoding != "NONE") {
    return Error::unsupported(kFileInfo, trailer_.file_info_offset,
                              "expected the index block encoding NONE, found " + std::string(index_encoding));
  }
  return {};
}

// Step 3 of open_file.h. HBase cannot open a file without the names in kRequired, so such a file counts as
// damaged.
Status OpenFile::read_file_info(const Block& block) {
  if (block.offset() != trailer_.file_info_offset) {
    return Error::corruption(kFileInfo, block.offset(),
                             "it at " + std::to_string(trailer_.file_info_offset) + " as the trailer says",
                             "it here");
  }
  BLOOMERY_ASSIGN_OR_RETURN(info_, FileInfo::parse(block.payload(), block.offset(), MemoryShare(memory_)));
  for (const std::string_view name : kRequired) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto value, info_.int32_of(name));
    if (!value) {
      return Error::corruption(kFileInfo, block.offset(), std::string(name), "none");
    }
  }
  const auto last_key = info_.find(kLastKey);
  if (trailer_.entry_count > 0 && !(last_key && parse_flat_key(*last_key))) {
    return last_key && is_of_hudi(trailer_)
               ? hudis_own_form(trailer_.offset)
               : Error::corruption(kFileInfo, block.offset(), "a key in hfile.LASTKEY", "none");
  }
  BLOOMERY_RETURN_IF_ERROR(read_layout());
  return read_encoding();
}

// Compares the root of the index with the trailer and with hfile.LASTKEY, which the caller has already
// parsed.
Status OpenFile::check_index() const {
  if (trailer_.entry_count == 0) {
    return {};
  }
  const auto& entries = index_.root.entries;
  if (trailer_.entry_count < entries.size()) {
    return Error::corruption(
        kRootIndexBlock, trailer_.load_on_open_offset,
        "at most as many entries as the trailer counts cells, " + std::to_string(trailer_.entry_count),
        entries.size());
  }
  if (index_.levels == 1 && (entries.front().offset != trailer_.first_data_block_offset ||
                             entries.back().offset != trailer_.last_data_block_offset)) {
    return Error::corruption(kRootIndexBlock, trailer_.load_on_open_offset,
                             "data blocks from " + std::to_string(*trailer_.first_data_block_offset) +
                                 " to " + std::to_string(*trailer_.last_data_block_offset) +
                                 " as the trailer says",
                             "them from " + std::to_string(entries.front().offset) + " to " +
                                 std::to_string(entries.back().offset));
  }
  if (std::is_lt(compare_keys(trailer_.row_order, *parse_flat_key(*info_.find(kLastKey)),
                              index_.root_keys.back()))) {
    return Error::corruption(kRootIndexBlock, trailer_.load_on_open_offset,
                             "keys that are not behind hfile.LASTKEY", "one that is");
  }
  return {};
}

// Reads the type of the file's filter, and with it the form of its queries. After an error the filter cannot
// be queried; the file can still be read.
Status OpenFile::read_bloom_type() {
  const std::string_view name = info_.find("BLOOM_FILTER_TYPE").value_or("NONE");
  const auto type = parse_bloom_type(name);
  if (!type) {
    return Error::unsupported(
        kFileInfo, trailer_.file_info_offset,
        "expected the Bloom filter type ROW, ROWCOL or ROWPREFIX_FIXED_LENGTH, found " + std::string(name));
  }
  if (*type == hbase::BloomType::kNone) {
    return {};
  }
  last_bloom_key_ = info_.find("LAST_BLOOM_KEY");
  if (*type == hbase::BloomType::kRowPrefix && trailer_.row_order != RowOrder::kBytes) {
    return Error::unsupported(
        kFileInfo, trailer_.file_info_offset,
        "expected a Bloom filter of rows or columns, found one of prefixes, which do not "
        "ascend in the order of hbase:meta");
  }
  if (*type == hbase::BloomType::kRowPrefix) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto prefix_bytes, info_.int32_of("BLOOM_FILTER_PARAM"));
    if (prefix_bytes.value_or(0) <= 0) {
      return Error::corruption(kFileInfo, trailer_.file_info_offset, "a prefix length in BLOOM_FILTER_PARAM",
                               "none");
    }
    bloom_prefix_bytes_ = static_cast<std::size_t>(*prefix_bytes);
  }
  if (*type == hbase::BloomType::kRowCol && last_bloom_key_) {
    last_bloom_column_ = hbase::parse_rowcol_key(*last_bloom_key_);
    if (!last_bloom_column_) {
      return Error::corruption(kFileInfo, trailer_.file_info_offset, "a key without family in LAST_BLOOM_KEY",
                               "another");
    }
  }
  const auto order = *type == hbase::BloomType::kRowCol ? hbase::KeyOrder::kRowCol : hbase::KeyOrder::kBytes;
  if (!bloom_ || bloom_->meta().order != order) {
    return Error::corruption(kFileInfo, trailer_.file_info_offset,
                             "a Bloom meta block of the type " + std::string(name), "none");
  }
  if (last_bloom_key_ && order == hbase::KeyOrder::kBytes) {
    bloom_->know_last_key(*last_bloom_key_);
  }
  bloom_type_ = *type;
  return {};
}

// Step 4 of open_file.h: reads the Bloom meta blocks, up to the trailer. An error becomes filter_status() and
// does not refuse the file.
Status OpenFile::read_filters(FileBlockSource& source, std::uint64_t offset) {
  while (offset < trailer_.offset) {
    BLOOMERY_ASSIGN_OR_RETURN(BlockPointer block, source.read_at(offset));
    const BlockKind kind = block->kind();
    if (kind != BlockKind::kGeneralBloomMeta && kind != BlockKind::kDeleteFamilyBloomMeta) {
      return not_of_kind(*block, BlockKind::kGeneralBloomMeta);
    }
    auto& filter = kind == BlockKind::kGeneralBloomMeta ? bloom_ : delete_family_bloom_;
    if (filter) {
      return Error::corruption(block_kind_name(kind), offset, "one", "a second");
    }
    offset += block->header().on_disk_bytes;
    BLOOMERY_ASSIGN_OR_RETURN(filter, ChunkedFilter::make(std::move(block), trailer_.row_order));
  }
  if (delete_family_bloom_ && delete_family_bloom_->meta().order != hbase::KeyOrder::kBytes) {
    delete_family_bloom_.reset();
    return Error::corruption("delete-family Bloom meta block", offset, "keys that are rows", "cells");
  }
  return {};
}

// Reads the list of the second filter's chunks, if the file has one.
Status OpenFile::read_second_filter(FileBlockSource& source) {
  const auto& entries = meta_index_.entries;
  const auto found = std::ranges::find(entries, kColumnFilterBlock, &IndexEntry::key);
  if (found == entries.end() || bloom_type_ == hbase::BloomType::kRowCol) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(BlockPointer block, source.read({.kind = BlockKind::kMeta,
                                                             .offset = found->offset,
                                                             .on_disk_bytes = found->on_disk_bytes}));
  BLOOMERY_ASSIGN_OR_RETURN(second_bloom_, ChunkedFilter::make(std::move(block), trailer_.row_order));
  if (second_bloom_->meta().order != hbase::KeyOrder::kRowCol) {
    second_bloom_.reset();
    return Error::corruption("meta block", found->offset, "a filter of columns", "another one");
  }
  return {};
}

// Reads the load-on-open section. Its own block source ends at the trailer; disk_, which readers use later,
// ends at the section's start.
Status OpenFile::read_load_on_open(const HFileOptions& options) {
  memory_ = budget_of(options, file_bytes_);
  roots_memory_ = MemoryShare(memory_);
  const BlockRules rules{trailer_.compression, trailer_.offset, options.max_block_bytes, memory_,
                         BlockLife::kShort};
  FileBlockSource source(file_, rules, counters_);
  BLOOMERY_RETURN_IF_ERROR(read_roots(source));
  std::uint64_t offset = behind_roots_;
  BLOOMERY_ASSIGN_OR_RETURN(const BlockPointer info, read_block(source, BlockKind::kFileInfo, offset));
  BLOOMERY_RETURN_IF_ERROR(read_file_info(*info));
  const auto data_kind = encoding_ == DataEncoding::kNone ? BlockKind::kData : BlockKind::kEncodedData;
  BLOOMERY_ASSIGN_OR_RETURN(index_,
                            BlockIndex::make(std::move(data_root_), trailer_.data_index_levels, data_kind,
                                             trailer_.load_on_open_offset, trailer_.row_order));
  BLOOMERY_RETURN_IF_ERROR(check_index());
  filter_status_ = read_filters(source, offset);
  for (const Status& read : {read_bloom_type(), read_second_filter(source)}) {
    if (filter_status_ && !read) {
      filter_status_ = read;
    }
  }
  for (auto* const filter : {&bloom_, &delete_family_bloom_, &second_bloom_}) {
    if (*filter && options.keep_bloom_chunks) {
      (*filter)->keep_chunks();
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto delete_families, info_.int64_of("DELETE_FAMILY_COUNT"));
  without_delete_family_ = delete_families == 0;
  return {};
}

HFileFacts OpenFile::make_facts() const {
  HFileFacts facts{.file_bytes = file_bytes_,
                   .major_version = trailer_.major_version,
                   .minor_version = trailer_.minor_version,
                   .load_on_open_offset = trailer_.load_on_open_offset,
                   .file_info_offset = trailer_.file_info_offset,
                   .first_data_block_offset = trailer_.first_data_block_offset,
                   .last_data_block_offset = trailer_.last_data_block_offset,
                   .entry_count = trailer_.entry_count,
                   .index_levels = trailer_.data_index_levels,
                   .root_index_count = trailer_.data_index_count,
                   .meta_block_count = trailer_.meta_index_count,
                   .data_index_bytes = trailer_.data_index_bytes,
                   .uncompressed_bytes = trailer_.uncompressed_bytes,
                   .comparator = trailer_.comparator,
                   .row_order = trailer_.row_order,
                   .compression = compression_name(trailer_.compression),
                   .encoding = data_encoding_name(encoding_),
                   .has_tags = layout_.has_tags,
                   .has_mvcc = layout_.has_mvcc,
                   .bloom_type = hbase::bloom_type_name(bloom_type_),
                   .bloom_prefix_bytes = static_cast<std::uint32_t>(bloom_prefix_bytes_),
                   .file_info = info_.entries()};
  if (bloom_) {
    facts.bloom = facts_of(bloom_->meta());
  }
  if (delete_family_bloom_) {
    facts.delete_family_bloom = facts_of(delete_family_bloom_->meta());
  }
  if (second_bloom_) {
    facts.second_bloom = facts_of(second_bloom_->meta());
  }
  return facts;
}

const HFileFacts& OpenFile::facts() const {
  std::call_once(facts_made_, [this] { facts_ = make_facts(); });
  return facts_;
}

Result<std::shared_ptr<const OpenFile>> OpenFile::open(const std::string& path, const HFileOptions& options,
                                                       const Surroundings& surroundings) {
  FileSystem& files = FileSystem::or_real(surroundings.files);
  return within_memory(path, [&] { return open_in(files, path, options, surroundings); });
}

Result<std::shared_ptr<const OpenFile>> OpenFile::open_in(FileSystem& files, const std::string& path,
                                                          const HFileOptions& options,
                                                          const Surroundings& surroundings) {
  auto opened = std::make_shared<OpenFile>();
  BLOOMERY_ASSIGN_OR_RETURN(opened->file_, files.open(path, OpenFor::kReading));
  BLOOMERY_RETURN_IF_ERROR(in_file(opened->read_trailer(files), path));
  BLOOMERY_RETURN_IF_ERROR(in_file(opened->read_load_on_open(options), path));
  const bool has_cache = options.cache != nullptr || options.cache_bytes > 0 || options.keep_index_blocks;
  opened->block_life_ = has_cache && !surroundings.between ? BlockLife::kKept : BlockLife::kShort;
  const BlockRules rules{opened->trailer_.compression, opened->trailer_.load_on_open_offset,
                         options.max_block_bytes, opened->memory_, opened->block_life_};
  opened->disk_ = std::make_unique<FileBlockSource>(opened->file_, rules, opened->counters_);
  if (surroundings.between) {
    opened->between_ = surroundings.between(*opened->disk_);
  } else if (has_cache) {
    auto cache = options.cache != nullptr ? options.cache : BlockCache::make(options.cache_bytes);
    // The file's memory bounds pinned blocks, since they are charged to it.
    auto pinned = options.keep_index_blocks ? std::make_shared<BlockCache>(std::make_unique<CacheParts>(
                                                  std::numeric_limits<std::uint32_t>::max(), 1))
                                            : nullptr;
    opened->between_ = std::make_unique<CachedSource>(*opened->disk_, std::move(cache), opened->counters_,
                                                      std::move(pinned));
  }
  return std::shared_ptr<const OpenFile>(std::move(opened));
}

// Queries a filter. A missing filter and a damaged chunk return true; the latter is counted.
bool OpenFile::ask(const std::optional<ChunkedFilter>& filter, std::string_view key) const {
  return !filter || may_contain_key(*filter, key, filter->hash(key));
}

bool OpenFile::may_contain_key(const ChunkedFilter& filter, std::string_view key,
                               hbase::HashPair pair) const {
  const auto answer = filter.may_contain(source(), key, pair);
  if (!answer) {
    damaged_bloom_answers_.fetch_add(1, std::memory_order_relaxed);
  }
  return answer ? *answer : true;
}

std::vector<const ChunkedFilter*> OpenFile::filters() const {
  std::vector<const ChunkedFilter*> filters;
  for (const auto* const filter : {&bloom_, &delete_family_bloom_, &second_bloom_}) {
    if (*filter) {
      filters.push_back(&**filter);
    }
  }
  return filters;
}

std::string OpenFile::bloom_names() const {
  const std::string name = hbase::bloom_type_name(bloom_type_);
  return second_bloom_ ? name + " and ROWCOL" : name;
}

bool OpenFile::is_behind_last_bloom_key(std::string_view row, std::string_view qualifier) const {
  switch (bloom_type_) {
    case hbase::BloomType::kNone:
      return false;
    case hbase::BloomType::kRow:
      return last_bloom_key_ && std::is_gt(compare_rows(trailer_.row_order, row, *last_bloom_key_));
    case hbase::BloomType::kRowPrefix:
      return last_bloom_key_ && hbase::row_prefix(row, bloom_prefix_bytes_) > *last_bloom_key_;
    case hbase::BloomType::kRowCol:
      // The markers that delete the row's family have the empty qualifier, which is never after another.
      return last_bloom_column_ && is_behind({row, qualifier}, *last_bloom_column_, trailer_.row_order) &&
             is_behind({row, {}}, *last_bloom_column_, trailer_.row_order);
  }
  return false;
}

// Every row of the file is in the ROW or ROWPREFIX filter, itself or as its prefix, and no key is after
// LAST_BLOOM_KEY. HBase's StoreFileReader checks in the same order.
bool OpenFile::may_contain_row(std::string_view row) const {
  if (trailer_.entry_count == 0) {
    return false;
  }
  if (bloom_type_ != hbase::BloomType::kRow && bloom_type_ != hbase::BloomType::kRowPrefix) {
    return true;
  }
  const std::string_view key =
      bloom_type_ == hbase::BloomType::kRow ? row : hbase::row_prefix(row, bloom_prefix_bytes_);
  return !(last_bloom_key_ && std::is_gt(compare_rows(trailer_.row_order, key, *last_bloom_key_))) &&
         ask(bloom_, key);
}

// A ROWCOL filter excludes the file only by two negatives: for the column, and for the markers that delete
// the row's family, which have the empty qualifier. Next to a second filter, the delete-family filter has
// these markers.
bool OpenFile::may_contain_column(std::string_view row, std::string_view qualifier) const {
  if (bloom_type_ != hbase::BloomType::kRowCol || trailer_.entry_count == 0) {
    return may_contain_row(row) &&
           (!second_bloom_ || may_contain_column_alone(row, qualifier) || may_contain_delete_family(row));
  }
  const hbase::RowCol column{row, qualifier};
  const hbase::RowCol deletes{row, {}};  // the row's family markers; never after `column`
  if (last_bloom_column_ && is_behind(deletes, *last_bloom_column_, trailer_.row_order)) {
    return false;
  }
  return ask(bloom_, hbase::RowColKey(column).bytes()) || ask(bloom_, hbase::RowColKey(deletes).bytes());
}

bool OpenFile::may_contain_column_alone(std::string_view row, std::string_view qualifier) const {
  const ChunkedFilter* const filter = column_filter();
  if (filter == nullptr) {
    return true;
  }
  const hbase::RowColKey key({row, qualifier});
  return may_contain_key(*filter, key.bytes(), filter->hash(key.bytes()));
}

// Only a filter of prefixes that are not longer than `prefix` can answer no.
bool OpenFile::may_contain_prefix(std::string_view prefix) const {
  if (bloom_type_ != hbase::BloomType::kRowPrefix || prefix.size() < bloom_prefix_bytes_) {
    return trailer_.entry_count != 0;
  }
  return may_contain_row(prefix);
}

bool OpenFile::may_contain_delete_family(std::string_view row) const {
  return trailer_.entry_count != 0 && !without_delete_family_ && ask(delete_family_bloom_, row);
}

HFileCounters OpenFile::counters() const {
  HFileCounters counters;
  const auto of = [&](BlockKind kind) {
    counters.cache_hits += counters_.blocks(kind, ReadFrom::kCache);
    return counters_.blocks(kind, ReadFrom::kDisk);
  };
  for (std::size_t i = 0; i < kBlockKinds; ++i) {
    const auto kind = static_cast<BlockKind>(i);
    const bool is_root = kind == BlockKind::kRootIndex;
    const BlockGroup group = is_root ? BlockGroup::kOther : group_of(kind);
    (group == BlockGroup::kData    ? counters.data_blocks
     : group == BlockGroup::kIndex ? counters.index_blocks
     : group == BlockGroup::kBloom ? counters.bloom_chunks
                                   : counters.other_blocks) += of(kind);
  }
  counters.bytes_read = counters_.bytes();
  counters.damaged_bloom_answers = damaged_bloom_answers_.load(std::memory_order_relaxed);
  return counters;
}

}  // namespace bloomery::hfile
