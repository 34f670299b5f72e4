#include "hfile/write_state.h"

#include <compare>
#include <limits>
#include <utility>

#include "bloomery/hfile/tag.h"
#include "hfile/chunked_filter.h"
#include "hfile/data_block_cursor.h"
#include "hfile/flat_key.h"
#include "hfile/protobuf_writer.h"
#include "hfile/separator_key.h"
#include "hfile/trailer_writer.h"

namespace bloomery::hfile {
namespace {

constexpr std::size_t kMaxDataBlockBytes =
    std::size_t{kMaxBlockOption} / 8 * 15;  // below 2^31 with its checksums

// The name that all versions of HBase read. Later names mean the same order.
constexpr const char* kComparator = "org.apache.hadoop.hbase.KeyValue$KVComparator";

bool is_stored(CellType type) {
  switch (type) {
    case CellType::kPut:
    case CellType::kDelete:
    case CellType::kDeleteFamilyVersion:
    case CellType::kDeleteColumn:
    case CellType::kDeleteFamily:
      return true;
    case CellType::kMinimum:
    case CellType::kMaximum:
      break;
  }
  return false;
}

// Returns true if a and b are equal. The case of one byte is inline, since most families have one.
bool is_same(std::string_view a, std::string_view b) {
  return a.size() == 1 && b.size() == 1 ? a[0] == b[0] : a == b;
}

std::optional<FilterWriter> filter_of(const hbase::ChunkShape& shape, hbase::BloomHash hash,
                                      hbase::KeyOrder order) {
  return shape.byte_size == 0 ? std::nullopt : std::optional<FilterWriter>(std::in_place, shape, hash, order);
}

// Calls `use` with the bytes of the cell's key in a filter of this type.
template <typename Use>
void with_bloom_key(hbase::BloomType type, std::size_t prefix_bytes, const CellKey& key, const Use& use) {
  switch (type) {
    case hbase::BloomType::kNone:
      break;
    case hbase::BloomType::kRow:
      use(key.row);
      break;
    case hbase::BloomType::kRowCol:
      use(hbase::RowColKey({key.row, key.qualifier}).bytes());
      break;
    case hbase::BloomType::kRowPrefix:
      use(hbase::row_prefix(key.row, prefix_bytes));
      break;
  }
}

std::string expected(const char* what, std::size_t most, std::size_t found) {
  return std::string(what) + ": expected at most " + std::to_string(most) + " bytes, found " +
         std::to_string(found);
}

}  // namespace

WriteState::WriteState(std::string path, HFileWriteOptions options, const WritePlan& plan, AtomicFile file,
                       std::optional<PayloadCompressor> compressor)
    : path_(std::move(path)),
      options_(std::move(options)),
      plan_(plan),
      output_(std::move(file)),
      blocks_(output_, std::move(compressor), plan.checksum, options_.bytes_per_checksum),
      encoder_(plan.encoding, plan.layout),
      index_(blocks_, {options_.index_block_bytes, options_.index_min_entries}),
      filter_(filter_of(
          plan.bloom_shape, plan.bloom_hash,
          plan.bloom_type == hbase::BloomType::kRowCol ? hbase::KeyOrder::kRowCol : hbase::KeyOrder::kBytes)),
      delete_family_filter_(filter_of(plan.delete_family_shape, plan.bloom_hash, hbase::KeyOrder::kBytes)),
      columns_filter_(filter_of(plan.columns_shape, plan.bloom_hash, hbase::KeyOrder::kRowCol)) {}

Result<std::unique_ptr<WriteState>> WriteState::create(const std::string& path,
                                                       const HFileWriteOptions& options, FileSystem& files) {
  BLOOMERY_ASSIGN_OR_RETURN(const WritePlan plan, plan_of(options));
  std::optional<PayloadCompressor> compressor;
  if (plan.compression != Compression::kNone) {
    BLOOMERY_ASSIGN_OR_RETURN(compressor, PayloadCompressor::create(plan.compression, options.codecs));
  }
  const SaveOptions save{.if_exists = options.may_replace ? IfExists::kReplace : IfExists::kRefuse};
  BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(files, path, save));
  return std::unique_ptr<WriteState>(
      new WriteState(path, options, plan, std::move(file), std::move(compressor)));
}

Status WriteState::settle(Status status) {
  if (!status) {
    outcome_ = status;
  }
  return status;
}

Error WriteState::refused(const std::string& detail) const {
  return Error::invalid_argument(path_ + ": cell " + std::to_string(statistics_.count + 1), detail);
}

Status WriteState::check_tags(std::string_view tags) const {
  if (!plan_.layout.has_tags) {
    return refused("tags: expected none in a file without tags, found " + std::to_string(tags.size()) +
                   " bytes");
  }
  if (tags.size() > kMaxTagsBytes) {
    return refused(expected("tags", kMaxTagsBytes, tags.size()));
  }
  return has_whole_tags(tags) ? Status() : refused("tags: expected whole tags, found other bytes");
}

// Refuses a cell that no HFile can hold, or that has tags or an mvcc which this file does not store. The
// limit of 1 GiB leaves room for key, tags and checksums below the 2^31 bytes of a block.
Status WriteState::check(const Cell& cell) const {
  const CellKey& key = cell.key;
  if (key.row.size() > kMaxRowBytes) {
    return refused(expected("row", kMaxRowBytes, key.row.size()));
  }
  if (key.family.size() > kMaxFamilyBytes) {
    return refused(expected("family", kMaxFamilyBytes, key.family.size()));
  }
  if (!is_stored(key.type)) {
    return refused("type: expected one that is stored, found " +
                   std::to_string(static_cast<unsigned>(key.type)));
  }
  if (cell.mvcc < 0 || (cell.mvcc != 0 && !plan_.layout.has_mvcc)) {
    return refused(std::string("mvcc: expected ") +
                   (plan_.layout.has_mvcc ? "0 or more" : "0 in a file without it") + ", found " +
                   std::to_string(cell.mvcc));
  }
  if (key.qualifier.size() > kMaxBlockOption || cell.value.size() > kMaxBlockOption ||
      key.qualifier.size() + cell.value.size() > kMaxBlockOption - kMaxTagsBytes - kMaxRowBytes - 1024) {
    return Error::capacity(path_ + ": cell " + std::to_string(statistics_.count + 1),
                           "expected less than 1 GiB, found a qualifier of " +
                               std::to_string(key.qualifier.size()) + " and a value of " +
                               std::to_string(cell.value.size()) + " bytes");
  }
  return cell.tags.empty() ? Status() : check_tags(cell.tags);
}

// Compares the key with that of the previous cell. Errors: kInvalidArgument for another family, and for a key
// that is out of order.
Result<WriteState::Novelty> WriteState::novelty_of(const CellKey& key) const {
  const KeyBytes* const before = last();
  if (before == nullptr) {
    return Novelty::kRow;
  }
  const CellKey& old = before->key();
  if (key.family != old.family) {
    return refused("family: expected that of the cells before it, found another");
  }
  const auto rows = key.row <=> old.row;
  if (std::is_gt(rows)) {
    return Novelty::kRow;
  }
  const auto columns = key.qualifier <=> old.qualifier;
  if (std::is_eq(rows) && std::is_gt(columns)) {
    return Novelty::kColumn;
  }
  const auto versions = key <=> old;
  if (std::is_lt(versions)) {
    const char* const part = std::is_lt(rows)      ? "row"
                             : std::is_lt(columns) ? "qualifier"
                                                   : "timestamp or type";
    return refused(
        std::string("key: expected one that is not before that of the cell before it, found its ") + part +
        " going backwards");
  }
  return std::is_eq(versions) ? Novelty::kNothing : Novelty::kVersion;
}

// Returns true if the cell's filter key differs from that of the previous cell.
bool WriteState::is_new_bloom_key(const CellKey& key, Novelty novelty) const {
  if (plan_.bloom_type == hbase::BloomType::kRowCol) {
    return novelty >= Novelty::kColumn;
  }
  if (novelty != Novelty::kRow) {
    return false;
  }
  const KeyBytes* const before = last();
  const std::size_t prefix = options_.bloom.prefix_bytes;
  return plan_.bloom_type != hbase::BloomType::kRowPrefix || before == nullptr ||
         hbase::row_prefix(before->key().row, prefix) != hbase::row_prefix(key.row, prefix);
}

void WriteState::add_to_filters(const CellKey& key, Novelty novelty) {
  if (filter_ && is_new_bloom_key(key, novelty)) {
    with_bloom_key(plan_.bloom_type, options_.bloom.prefix_bytes, key,
                   [&](std::string_view bytes) { filter_->add(bytes); });
  }
  if (columns_filter_ && novelty >= Novelty::kColumn) {
    columns_filter_->add(hbase::RowColKey({key.row, key.qualifier}).bytes());
  }
  if (delete_family_filter_ && deletes_family(key.type) && last_delete_family_row_ != key.row) {
    delete_family_filter_->add(key.row);
    last_delete_family_row_ = key.row;
  }
}

// Begins a data block with the cell of `key`. Its key in the index is a separator, except that the first
// block of a file has the key of its first cell.
void WriteState::begin_data_block(const CellKey& key) {
  index_key_.clear();
  if (const KeyBytes* const before = last()) {
    append_separator_key(index_key_, before->key(), key);
  } else {
    append_flat_key(index_key_, key);
  }
  data_block_ = &blocks_.begin(encoder_.kind());
  encoder_.begin(*data_block_);
  is_first_in_block_ = true;
}

Status WriteState::end_data_block() {
  encoder_.end(*data_block_);
  data_block_ = nullptr;
  BLOOMERY_ASSIGN_OR_RETURN(const WrittenBlock block, blocks_.finish());
  index_.add(index_key_, block);
  if (!trailer_.first_data_block_offset) {
    trailer_.first_data_block_offset = block.offset;
  }
  trailer_.last_data_block_offset = block.offset;
  return {};
}

// Writes the blocks between two data blocks, in HBase's order: a full leaf of the index, full chunks of the
// general filter, full chunks of the delete-family filter. Those of the second filter come last.
Status WriteState::write_inline_blocks() {
  BLOOMERY_RETURN_IF_ERROR(index_.write_leaf_if_full());
  for (auto* const filter : {&filter_, &delete_family_filter_, &columns_filter_}) {
    if (*filter) {
      BLOOMERY_RETURN_IF_ERROR((*filter)->write_full_chunks(blocks_));
    }
  }
  return {};
}

// Returns true if a few cheap tests show that the cell is valid. Other cells go to check(), which has the
// exact limits and the messages.
bool WriteState::is_ordinary(const Cell& cell) const {
  constexpr std::size_t kOrdinaryBytes = std::size_t{1} << 20;
  const CellKey& key = cell.key;
  return key.row.size() <= kMaxRowBytes && key.family.size() <= kMaxFamilyBytes &&
         key.qualifier.size() <= kOrdinaryBytes && cell.value.size() <= kOrdinaryBytes &&
         is_stored(key.type) && cell.mvcc == 0 && cell.tags.empty();
}

// The steps of append() in write_state.h. Most cells are ordinary and begin a new row, so this path avoids
// the full check and the comparison of complete keys.
Status WriteState::add(const Cell& cell) {
  if (!is_ordinary(cell)) {
    BLOOMERY_RETURN_IF_ERROR(check(cell));
  }
  Novelty novelty = Novelty::kRow;
  const KeyBytes* const before = last();
  if (before == nullptr || !is_same(cell.key.family, before->key().family) ||
      cell.key.row <= before->key().row) {
    BLOOMERY_ASSIGN_OR_RETURN(novelty, novelty_of(cell.key));
  }
  add_to_filters(cell.key, novelty);
  statistics_.rows += novelty == Novelty::kRow ? 1 : 0;
  statistics_.columns += novelty >= Novelty::kColumn ? 1 : 0;
  if (data_block_ != nullptr && novelty != Novelty::kNothing && encoder_.is_full(options_.block_bytes)) {
    BLOOMERY_RETURN_IF_ERROR(end_data_block());
    BLOOMERY_RETURN_IF_ERROR(write_inline_blocks());
  }
  if (data_block_ == nullptr) {
    begin_data_block(cell.key);
  }
  KeyBytes& key = keys_[1 - last_];
  key.assign(cell.key);
  encoder_.add(*data_block_, key, is_first_in_block_ ? nullptr : last(), cell);
  if (data_block_->size() > kMaxDataBlockBytes) {
    return Error::capacity(path_ + ": cell " + std::to_string(statistics_.count + 1),
                           "expected cells of one key to fit into a block, found more than 1.8 GiB");
  }
  is_first_in_block_ = false;
  statistics_.add(cell, key.flat());
  last_ = 1 - last_;
  return {};
}

Status WriteState::append(const Cell& cell) {
  if (!outcome_) {
    return outcome_;
  }
  Status added = add(cell);
  if (!added) {
    outcome_ = added;
  }
  return added;
}

Status WriteState::append_meta_block(std::string_view name, std::string_view content) {
  if (!outcome_) {
    return outcome_;
  }
  if (!meta_blocks_.emplace(name, content).second) {
    return settle(Error::invalid_argument(path_ + ": meta block " + std::string(name),
                                          "expected one of a name, found a second"));
  }
  return {};
}

Status WriteState::finish() {
  if (!outcome_) {
    return outcome_;
  }
  BLOOMERY_RETURN_IF_ERROR(settle(write_all()));
  outcome_ = Error::invalid_argument(path_, "expected no call behind finish()");
  return {};
}

// The order of the blocks is part of the format (docs/formats/hfile-writing.md, section "Order of the file").
Status WriteState::write_all() {
  BLOOMERY_RETURN_IF_ERROR(write_last_inline_blocks());
  BLOOMERY_RETURN_IF_ERROR(write_columns_filter_meta());
  BLOOMERY_ASSIGN_OR_RETURN(trailer_.meta_index_count, write_meta_blocks_and_index());
  BLOOMERY_RETURN_IF_ERROR(write_file_info());
  BLOOMERY_RETURN_IF_ERROR(write_filter_meta(filter_, BlockKind::kGeneralBloomMeta));
  BLOOMERY_RETURN_IF_ERROR(write_filter_meta(delete_family_filter_, BlockKind::kDeleteFamilyBloomMeta));
  BLOOMERY_RETURN_IF_ERROR(write_trailer());
  return output_.commit();
}

Status WriteState::write_last_inline_blocks() {
  if (data_block_ != nullptr) {
    BLOOMERY_RETURN_IF_ERROR(end_data_block());
  }
  BLOOMERY_RETURN_IF_ERROR(index_.write_last_leaf());
  for (auto* const filter : {&filter_, &delete_family_filter_, &columns_filter_}) {
    if (*filter) {
      BLOOMERY_RETURN_IF_ERROR((*filter)->write_all_chunks(blocks_));
    }
  }
  return {};
}

// Adds the list of the second filter's chunks to the meta blocks, in the form of a Bloom meta block.
Status WriteState::write_columns_filter_meta() {
  if (!columns_filter_ || columns_filter_->is_empty()) {
    return {};
  }
  ByteWriter meta;
  columns_filter_->append_meta_to(meta);
  return append_meta_block(kColumnFilterBlock, meta.text());
}

// Writes the meta blocks, the upper levels of the index and the root of the meta index. Returns the number of
// meta blocks.
Result<std::uint32_t> WriteState::write_meta_blocks_and_index() {
  IndexEntries names;
  for (const auto& [name, content] : meta_blocks_) {
    blocks_.begin(BlockKind::kMeta).append(content);
    BLOOMERY_ASSIGN_OR_RETURN(const WrittenBlock block, blocks_.finish());
    names.add(name, block.offset, block.on_disk_bytes);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const WrittenBlock root, index_.finish());
  trailer_.load_on_open_offset = root.offset;
  names.append_root_to(blocks_.begin(BlockKind::kRootIndex));
  if (const auto written = blocks_.finish(); !written) {
    return written.error();
  }
  return static_cast<std::uint32_t>(names.size());
}

// These three functions set the names of file info. docs/formats/hfile-writing.md lists them by purpose.
void WriteState::describe_cells(FileInfoWriter& info) const {
  const std::uint64_t count = statistics_.count;
  info.set_int64("hfile.CREATE_TIME_TS", options_.creation_time);
  info.set_int32("hfile.AVG_KEY_LEN", count == 0 ? 0 : statistics_.key_bytes / count);
  info.set_int32("hfile.AVG_VALUE_LEN", count == 0 ? 0 : statistics_.value_bytes / count);
  if (const KeyBytes* const key = last()) {
    info.set("hfile.LASTKEY", key->flat());
    info.set("hfile.KEY_OF_BIGGEST_CELL", statistics_.most_key);
    info.set_int64("hfile.LEN_OF_BIGGEST_CELL", static_cast<std::int64_t>(statistics_.most_bytes));
  }
  if (plan_.layout.has_tags) {
    info.set_int32("hfile.MAX_TAGS_LEN", statistics_.most_tags_bytes);
    info.set_bool("hfile.TAGS_COMPRESSED", plan_.layout.tags_by_dictionary);
  }
  if (plan_.layout.has_mvcc) {
    info.set_int32("KEY_VALUE_VERSION", 1);
    info.set_int64("MAX_MEMSTORE_TS_KEY", statistics_.max_mvcc);
  }
  if (options_.counts_rows_and_columns) {
    info.set_int64("BLOOMERY_ROWS", static_cast<std::int64_t>(statistics_.rows));
    info.set_int64("BLOOMERY_COLUMNS", static_cast<std::int64_t>(statistics_.columns));
  }
  if (plan_.encoding != DataEncoding::kNone) {
    info.set("DATA_BLOCK_ENCODING", data_encoding_name(plan_.encoding));
  }
}

void WriteState::describe_purpose(FileInfoWriter& info) const {
  if (options_.purpose == HFilePurpose::kPlain) {
    return;
  }
  ByteWriter range;
  range.number(static_cast<std::uint64_t>(statistics_.min_timestamp));
  range.number(static_cast<std::uint64_t>(statistics_.max_timestamp));
  info.set("TIMERANGE", range.text());
  info.set_int64("EARLIEST_PUT_TS", statistics_.earliest_put);
  info.set_int64("DELETE_FAMILY_COUNT", static_cast<std::int64_t>(statistics_.delete_family_count));
  info.set_bool("HISTORICAL", false);
  if (options_.purpose == HFilePurpose::kStore) {
    info.set_int64("MAX_SEQ_ID_KEY", options_.max_sequence_id);
    info.set_bool("MAJOR_COMPACTION_KEY", options_.is_major_compaction);
    ByteWriter event;
    event.append("PBUF");
    for (const std::string& name : options_.compacted_files) {
      append_bytes_field(event, 1, name);
    }
    info.set("COMPACTION_EVENT_KEY", event.text());
    return;
  }
  info.set_int64("BULKLOAD_TIMESTAMP", options_.bulk_load_time);
  info.set_bool("MAJOR_COMPACTION_KEY", true);
  info.set_bool("EXCLUDE_FROM_MINOR_COMPACTION", false);
  if (!options_.bulk_load_task.empty()) {
    info.set("BULKLOAD_SOURCE_TASK", options_.bulk_load_task);
  }
}

void WriteState::describe_filter(FileInfoWriter& info) const {
  if (!filter_ || filter_->is_empty()) {
    return;
  }
  const CellKey& key = last()->key();  // its key was added to the filter last
  info.set("BLOOM_FILTER_TYPE", hbase::bloom_type_name(plan_.bloom_type));
  with_bloom_key(plan_.bloom_type, options_.bloom.prefix_bytes, key,
                 [&](std::string_view bytes) { info.set("LAST_BLOOM_KEY", bytes); });
  if (plan_.bloom_type == hbase::BloomType::kRowPrefix) {
    info.set_int32("BLOOM_FILTER_PARAM", options_.bloom.prefix_bytes);
  }
}

Status WriteState::write_file_info() {
  FileInfoWriter info;
  for (const auto& [name, value] : options_.file_info) {
    info.set(name, value);
  }
  describe_cells(info);
  describe_purpose(info);
  describe_filter(info);
  info.append_to(blocks_.begin(BlockKind::kFileInfo));
  BLOOMERY_ASSIGN_OR_RETURN(const WrittenBlock block, blocks_.finish());
  trailer_.file_info_offset = block.offset;
  return {};
}

Status WriteState::write_filter_meta(const std::optional<FilterWriter>& filter, BlockKind kind) {
  if (!filter || filter->is_empty()) {
    return {};
  }
  filter->append_meta_to(blocks_.begin(kind));
  const auto written = blocks_.finish();
  return written ? Status() : written.error();
}

// HBase counts the uncompressed bytes of the file with the trailer, but without the index blocks above the
// leaves.
Status WriteState::write_trailer() {
  trailer_.data_index_bytes = index_.payload_bytes();
  trailer_.uncompressed_bytes = kMaxTrailerBytes + blocks_.uncompressed_bytes() - index_.upper_bytes();
  trailer_.data_index_count = static_cast<std::uint32_t>(index_.root_count());
  trailer_.entry_count = statistics_.count;
  trailer_.data_index_levels = index_.levels();
  trailer_.comparator = kComparator;
  trailer_.compression = plan_.compression;
  ByteWriter bytes;
  append_trailer(bytes, trailer_);
  return output_.append(bytes.bytes());
}

}  // namespace bloomery::hfile
