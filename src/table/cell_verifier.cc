#include "table/cell_verifier.h"

#include "base/message.h"
#include "bloomery/hfile/tag.h"
#include "hfile/bloom/bloom_key.h"
#include "hfile/data_block_cursor.h"
#include "hfile/key_text.h"

namespace bloomery::table {
namespace {

std::optional<std::int64_t> number_in_info(const hfile::OpenFile& file, std::string_view name) {
  return file.info().int64_of(name).value_or(std::nullopt);
}

}  // namespace

CellVerifier::CellVerifier(hfile::OpenFilePointer file, Findings& findings)
    : file_(std::move(file)),
      findings_(findings),
      trailer_(file_->trailer()),
      times_(hfile::times_of(*file_)),
      max_mvcc_(number_in_info(*file_, "MAX_MEMSTORE_TS_KEY")),
      delete_families_(number_in_info(*file_, "DELETE_FAMILY_COUNT")) {}

std::optional<CellKey> CellVerifier::last() const {
  return last_key_.empty() ? std::nullopt : parse_flat_key(last_key_);
}

std::string_view CellVerifier::row_of(std::string_view flat_key) {
  const auto key = parse_flat_key(flat_key);
  return key ? key->row : std::string_view();
}

// Queries one filter for the key of an existing cell. A no is a finding: a get would lose the cell.
void CellVerifier::check_probe(const hfile::ChunkedFilter& filter, std::string_view bloom_key,
                               const CellKey& key, const hfile::Block& block) {
  if (!asks_filters_) {
    return;
  }
  ++probes_;
  const Result<bool> answer = filter.may_contain(file_->source(), bloom_key);
  if (answer && !*answer) {  // check_blocks() (verify.cc) reports unreadable chunks
    constexpr std::size_t kMostDeniedKeys = 10;
    if (denied_++ < kMostDeniedKeys) {
      denied_keys_.emplace_back(bloom_key);
    }
    const auto chunk = hbase::chunk_of(filter.meta(), bloom_key);
    findings_.add(chunk ? "Bloom chunk" : "Bloom meta block",
                  chunk ? filter.meta().chunks[*chunk].block_offset : filter.offset(),
                  message("expected the key of a cell (", hfile::show_key(key), ") of the data block at ",
                          block.offset(), ", found that it says no"));
  }
}

// Queries the filter once for each of its keys: when the row, prefix or column differs from that of the
// previous cell. Counts these keys, for check_end().
void CellVerifier::check_bloom(const CellKey& key, bool is_new_row, bool is_new_column,
                               const hfile::Block& block) {
  const std::size_t prefix = file_->bloom_prefix_bytes();
  switch (file_->bloom_type()) {
    case hbase::BloomType::kNone:
      break;
    case hbase::BloomType::kRow:
      if (is_new_row) {
        ++bloom_keys_;
        check_probe(*file_->bloom(), key.row, key, block);
      }
      break;
    case hbase::BloomType::kRowPrefix:
      if (const auto before = last();
          !before || hbase::row_prefix(before->row, prefix) != hbase::row_prefix(key.row, prefix)) {
        ++bloom_keys_;
        check_probe(*file_->bloom(), hbase::row_prefix(key.row, prefix), key, block);
      }
      break;
    case hbase::BloomType::kRowCol:
      if (is_new_column) {
        ++bloom_keys_;
        check_probe(*file_->bloom(), hbase::RowColKey({key.row, key.qualifier}).bytes(), key, block);
      }
      break;
  }
}

// Queries the delete-family filter once for each row with such a marker. A DELETE_FAMILY_COUNT of 0 is a
// finding.
void CellVerifier::check_delete_family(const CellKey& key, const hfile::Block& block) {
  if (delete_family_keys_ != 0 && last_delete_family_row_ == key.row) {
    return;
  }
  ++delete_family_keys_;
  last_delete_family_row_ = key.row;
  if (file_->delete_family_bloom()) {
    check_probe(*file_->delete_family_bloom(), key.row, key, block);
  }
  if (delete_families_ == 0) {
    findings_.add("file info block", trailer_.file_info_offset,
                  message("expected DELETE_FAMILY_COUNT with the marker (", hfile::show_key(key),
                          ") of the data block at ", block.offset(), ", found 0"));
  }
}

void CellVerifier::check_filters(const CellKey& key, const hfile::Block& block) {
  const auto before = last();
  const bool is_new_row = !before || before->row != key.row;
  const bool is_new_column = is_new_row || before->family != key.family || before->qualifier != key.qualifier;
  check_bloom(key, is_new_row, is_new_column, block);
  if (file_->second_bloom() && is_new_column) {
    ++second_keys_;
    check_probe(*file_->second_bloom(), hbase::RowColKey({key.row, key.qualifier}).bytes(), key, block);
  }
  // A reader also answers no to keys after LAST_BLOOM_KEY, whatever the filter's bits are.
  if (is_new_column && file_->is_behind_last_bloom_key(key.row, key.qualifier)) {
    findings_.add("file info block", trailer_.file_info_offset,
                  message("expected LAST_BLOOM_KEY not before the cell (", hfile::show_key(key),
                          ") of the data block at ", block.offset(), ", found it so"));
  }
  if (deletes_family(key.type)) {
    check_delete_family(key, block);
  }
}

// Compares the cell with the statements of file info about all cells: their times and their largest mvcc. A
// wrong time range and a wrong mvcc are each reported once.
void CellVerifier::check_file_info(const Cell& cell, const hfile::Block& block) {
  const std::int64_t time = cell.key.timestamp;
  if (times_ && !has_times_outside_ && (time < times_->oldest || time > times_->newest)) {
    has_times_outside_ = true;
    findings_.add(
        "file info block", trailer_.file_info_offset,
        message("expected a TIMERANGE with the cell (", hfile::show_key(cell.key), ") of the data block at ",
                block.offset(), ", found ", times_->oldest, " to ", times_->newest));
  }
  if (max_mvcc_ && !has_mvcc_above_ && cell.mvcc > *max_mvcc_) {
    has_mvcc_above_ = true;
    findings_.add("file info block", trailer_.file_info_offset,
                  message("expected MAX_MEMSTORE_TS_KEY not below the ", cell.mvcc,
                          " of a cell of the data block at ", block.offset(), ", found ", *max_mvcc_));
  }
}

// Compares a cell with the previous one, checks its tags, and queries the filters.
void CellVerifier::check_cell(const Cell& cell, const hfile::Block& block) {
  const auto before = last();
  if (before && std::is_lt(compare_keys(trailer_.row_order, cell.key, *before))) {
    findings_.add(hfile::block_kind_name(block.kind()), block.offset(),
                  message("expected cells in order, found (", hfile::show_key(cell.key), ") behind (",
                          hfile::show_key(*before), ")"));
  }
  if (!before) {
    family_ = cell.key.family;
    append_flat_key(first_key_, cell.key);
  }
  has_several_families_ = has_several_families_ || cell.key.family != family_;
  if (!has_whole_tags(cell.tags)) {
    findings_.add(hfile::block_kind_name(block.kind()), block.offset(),
                  message("expected whole tags, found other bytes in (", hfile::show_key(cell.key), ")"));
  }
  check_filters(cell.key, block);
  check_file_info(cell, block);
  last_key_.clear();
  append_flat_key(last_key_, cell.key);
  ++cells_;
}

// The key in the index must sort after all cells of earlier blocks, and not after any cell of this one.
// Damage within the block ends its check; later blocks are still checked.
void CellVerifier::check_block(const hfile::BlockPointer& block_pointer, std::string_view flat_index_key) {
  const hfile::Block& block = *block_pointer;
  const auto index_key = parse_flat_key(flat_index_key);
  const auto before = last();
  if (!index_key || (before && std::is_lteq(compare_keys(trailer_.row_order, *index_key, *before)))) {
    findings_.add(hfile::block_kind_name(block.kind()), block.offset(),
                  "expected a key in the index that is behind the cells before this block, found another");
  }
  hfile::DataBlockCursor cursor;
  const Status started = cursor.start(block_pointer, file_->encoding(), file_->layout());
  Result<bool> more = started ? cursor.next() : Result<bool>(started.error());
  if (more && *more && index_key &&
      std::is_lt(compare_keys(trailer_.row_order, cursor.cell().key, *index_key))) {
    findings_.add(
        hfile::block_kind_name(block.kind()), block.offset(),
        message("expected cells that are not before its key in the index (", hfile::show_key(*index_key),
                "), found (", hfile::show_key(cursor.cell().key), ")"));
  }
  if (more && !*more) {
    findings_.add(hfile::block_kind_name(block.kind()), block.offset(),
                  "expected a cell at least, found none");
  }
  for (; more && *more; more = cursor.next()) {
    check_cell(cursor.cell(), block);
  }
  if (!more) {
    could_read_all_ = false;
    findings_.add(more.error());
  }
}

void CellVerifier::check_key_count(const std::optional<hfile::ChunkedFilter>& filter, hfile::BlockKind meta,
                                   std::uint64_t keys) {
  if (filter && filter->meta().key_count != keys) {
    findings_.add(hfile::block_kind_name(meta), filter->offset(),
                  message("expected ", keys, " keys, as the cells have, found ", filter->meta().key_count));
  }
}

void CellVerifier::check_end() {
  if (cells_ != trailer_.entry_count) {
    findings_.add("trailer", trailer_.offset,
                  message("expected ", cells_, " cells, as there are, found ", trailer_.entry_count));
  }
  if (!last_key_.empty() && file_->info().find("hfile.LASTKEY") != last_key_) {
    findings_.add("file info block", trailer_.file_info_offset,
                  "expected the key of the last cell in hfile.LASTKEY, found another");
  }
  if (file_->bloom_type() != hbase::BloomType::kNone) {
    check_key_count(file_->bloom(), hfile::BlockKind::kGeneralBloomMeta, bloom_keys_);
  }
  check_key_count(file_->delete_family_bloom(), hfile::BlockKind::kDeleteFamilyBloomMeta,
                  delete_family_keys_);
  check_key_count(file_->second_bloom(), hfile::BlockKind::kMeta, second_keys_);
}

}  // namespace bloomery::table
