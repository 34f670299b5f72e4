#include "cli/hfile/file_verifier.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/hfile/cell_text.h"
#include "cli/hfile/open_hfile.h"
#include "codec/hbase/bloom_key.h"
#include "hfile/block_index.h"
#include "hfile/data_block_cursor.h"

namespace bloomery::cli {
namespace {

using hfile::BlockKind;

constexpr std::size_t kMostFindings = 100;

std::string show_cell(const CellKey& key) {
  return fmt::format("{}, {}, {}", show_column(key.row, key.family, key.qualifier), key.timestamp,
                     cell_type_name(key.type));
}

// Plain and encoded data are one kind in the chain of blocks.
BlockKind chain_of(BlockKind kind) {
  return kind == BlockKind::kEncodedData ? BlockKind::kData : kind;
}

std::optional<std::int64_t> note(const hfile::OpenFile& file, std::string_view name) {
  return file.info().int64_of(name).value_or(std::nullopt);
}

class Verifier {
 public:
  explicit Verifier(OpenHFile file)
      : file_(std::move(file)),
        trailer_(file_->trailer()),
        times_(times_of(*file_)),
        max_mvcc_(note(*file_, "MAX_MEMSTORE_TS_KEY")),
        delete_families_(note(*file_, "DELETE_FAMILY_COUNT")) {}

  Status run();
  VerifiedHFile take() { return std::move(verified_); }

 private:
  void found(const Error& error);
  void found(std::string_view part, std::uint64_t offset, std::string detail) {
    found(Error::corruption(std::string(part), offset, std::move(detail)));
  }

  // The index, and what else points at blocks.
  void point_at(BlockKind kind, const hfile::IndexEntry& entry, const char* from);
  void walk_index(std::uint32_t depth, const hfile::IndexEntry& entry);
  void collect_pointers();

  // The blocks, one behind the other.
  Status check_blocks();
  void see(const hfile::Block& block);
  void check_pointers();
  void check_sums();

  // The cells.
  void check_data();
  void check_data_block(std::size_t i);
  void check_cell(const Cell& cell, const hfile::Block& block);
  void check_notes(const Cell& cell, const hfile::Block& block);
  void check_end();

  // The filters.
  void check_bloom(const CellKey& key, const hfile::Block& block);
  void check_probe(const hfile::ChunkedFilter& filter, std::string_view bloom_key, const CellKey& key,
                   const hfile::Block& block);
  void check_key_count(const std::optional<hfile::ChunkedFilter>& filter, BlockKind meta, std::uint64_t keys);
  std::uint64_t offset_of(BlockKind kind) const;

  void check_bulk_load();

  OpenHFile file_;
  const hfile::Trailer& trailer_;
  std::optional<TimeSpan> times_;
  std::optional<std::int64_t> max_mvcc_;
  std::optional<std::int64_t> delete_families_;
  VerifiedHFile verified_;

  struct DataEntry {
    hfile::BlockAddress address;
    std::string key;
  };
  std::vector<DataEntry> data_;
  std::map<std::uint64_t, hfile::BlockAddress> pointed_;
  std::map<std::uint64_t, hfile::BlockAddress> seen_;
  std::set<std::uint64_t> damaged_;
  std::map<BlockKind, std::int64_t> last_of_kind_;
  std::uint64_t sum_of_index_ = 0;
  std::uint64_t sum_of_all_ = 0;
  bool all_read_ = true;  // no cell is missing because of damage

  std::string last_key_;  // flat, of the cell before
  std::string first_key_;
  std::uint64_t bloom_keys_ = 0;
  std::uint64_t delete_family_keys_ = 0;
  std::string last_delete_family_row_;
  bool has_several_families_ = false;
  bool has_times_outside_ = false;
  bool has_mvcc_above_ = false;
};

void Verifier::found(const Error& error) {
  if (error.offset()) {
    damaged_.insert(*error.offset());
  }
  if (verified_.findings.size() < kMostFindings) {
    verified_.findings.push_back(error.to_string());
  } else {
    ++verified_.findings_left_out;
  }
}

void Verifier::point_at(BlockKind kind, const hfile::IndexEntry& entry, const char* from) {
  const hfile::BlockAddress address{kind, entry.offset, entry.on_disk_bytes};
  if (!pointed_.emplace(entry.offset, address).second) {
    found(hfile::block_kind_name(kind), entry.offset,
          fmt::format("expected one entry that points here, found another in {}", from));
  }
}

void Verifier::walk_index(std::uint32_t depth, const hfile::IndexEntry& entry) {
  const std::uint32_t levels = file_->index().levels;
  if (depth == levels) {
    point_at(file_->index().data_kind, entry, "the index");
    data_.push_back({{file_->index().data_kind, entry.offset, entry.on_disk_bytes}, std::string(entry.key)});
    return;
  }
  const BlockKind kind = depth + 1 == levels ? BlockKind::kLeafIndex : BlockKind::kIntermediateIndex;
  point_at(kind, entry, "the index");
  const auto block = file_->source().read({kind, entry.offset, entry.on_disk_bytes});
  const auto view =
      block ? hfile::IndexBlockView::over(**block) : Result<hfile::IndexBlockView>(block.error());
  if (!view) {
    all_read_ = false;
    found(view.error());
    return;
  }
  for (std::size_t i = 0; i < view->size(); ++i) {
    const auto below = view->entry(i);
    if (!below) {
      all_read_ = false;
      found(below.error());
      continue;
    }
    walk_index(depth + 1, *below);
  }
}

void Verifier::collect_pointers() {
  for (const hfile::IndexEntry& entry : file_->index().root.entries) {
    walk_index(1, entry);
  }
  for (const hfile::IndexEntry& entry : file_->meta_index().entries) {
    point_at(BlockKind::kMeta, entry, "the meta index");
  }
  for (const auto* const filter : {&file_->bloom(), &file_->delete_family_bloom()}) {
    if (*filter) {
      for (const hbase::ChunkEntry& chunk : (*filter)->meta().chunks) {
        point_at(BlockKind::kBloomChunk, {.offset = chunk.block_offset, .on_disk_bytes = chunk.block_bytes},
                 "a Bloom meta block");
      }
    }
  }
}

void Verifier::see(const hfile::Block& block) {
  const hfile::BlockHeader& header = block.header();
  ++verified_.blocks;
  seen_.emplace(block.offset(), hfile::BlockAddress{block.kind(), block.offset(), header.on_disk_bytes});
  const bool is_root =
      block.kind() == BlockKind::kRootIndex && block.offset() == trailer_.load_on_open_offset;
  const bool is_index =
      is_root || block.kind() == BlockKind::kLeafIndex || block.kind() == BlockKind::kIntermediateIndex;
  sum_of_index_ += is_index ? header.uncompressed_bytes : 0;
  const bool in_sum = !is_root && block.kind() != BlockKind::kIntermediateIndex;
  sum_of_all_ += in_sum ? header.uncompressed_bytes + hfile::kBlockHeaderBytes : 0;
  if (block.offset() >= trailer_.load_on_open_offset) {
    return;
  }
  const auto [last, is_first] = last_of_kind_.emplace(chain_of(block.kind()), -1);
  // What stood before a damaged block is not known.
  if (damaged_.empty() && header.previous_offset != last->second) {
    found(hfile::block_kind_name(block.kind()), block.offset(),
          fmt::format("expected the block of its kind before it at {}, found {}", last->second,
                      header.previous_offset));
  }
  last->second = static_cast<std::int64_t>(block.offset());
}

Status Verifier::check_blocks() {
  BLOOMERY_ASSIGN_OR_RETURN(File file, FileSystem::real().open(file_->path(), OpenFor::kReading));
  hfile::ReadCounters counters;
  const hfile::BlockRules rules{.compression = trailer_.compression, .end_offset = trailer_.offset};
  hfile::FileBlockSource disk(file, rules, counters);
  for (std::uint64_t offset = 0; offset < trailer_.offset;) {
    const Result<hfile::BlockPointer> block = disk.read_at(offset);
    if (block) {
      see(**block);
      offset += (*block)->header().on_disk_bytes;
      continue;
    }
    if (block.error().code() == ErrorCode::kIo) {
      return block.error();
    }
    all_read_ = false;
    if (!damaged_.contains(offset)) {  // an index block was met before
      found(block.error());
      damaged_.insert(offset);
    }
    // Its size is not to be believed either: on with the next one that something points at.
    const auto next = pointed_.upper_bound(offset);
    const std::uint64_t behind = next == pointed_.end() ? trailer_.load_on_open_offset : next->first;
    offset = offset < trailer_.load_on_open_offset ? std::min(behind, trailer_.load_on_open_offset)
                                                   : trailer_.offset;
  }
  return {};
}

void Verifier::check_pointers() {
  for (const auto& [offset, address] : pointed_) {
    const auto seen = seen_.find(offset);
    if (seen == seen_.end()) {
      if (!damaged_.contains(offset)) {
        found(hfile::block_kind_name(address.kind), offset,
              "expected a block where the index points, found the inside of another, or none");
      }
    } else if (seen->second.kind != address.kind || seen->second.on_disk_bytes != address.on_disk_bytes) {
      found(hfile::block_kind_name(address.kind), offset,
            fmt::format("expected one of {} bytes as the index says, found a {} of {}", address.on_disk_bytes,
                        hfile::block_kind_name(seen->second.kind), seen->second.on_disk_bytes));
    }
  }
  if (!damaged_.empty() || !file_->filter_status()) {
    return;  // what points at the others may be what is damaged
  }
  for (const auto& [offset, address] : seen_) {
    if (offset < trailer_.load_on_open_offset && !pointed_.contains(offset)) {
      found(hfile::block_kind_name(address.kind), offset, "expected an index that points here, found none");
    }
  }
}

void Verifier::check_sums() {
  if (!damaged_.empty()) {
    return;
  }
  if (sum_of_index_ != trailer_.data_index_bytes) {
    found("trailer", trailer_.offset,
          fmt::format("expected {} bytes of the index, as its blocks have, found {}", sum_of_index_,
                      trailer_.data_index_bytes));
  }
  const std::uint64_t trailer_bytes = file_->facts().file_bytes - trailer_.offset;
  if (sum_of_all_ + trailer_bytes != trailer_.uncompressed_bytes) {
    found("trailer", trailer_.offset,
          fmt::format("expected {} uncompressed bytes, as its blocks have, found {}",
                      sum_of_all_ + trailer_bytes, trailer_.uncompressed_bytes));
  }
}

void Verifier::check_probe(const hfile::ChunkedFilter& filter, std::string_view bloom_key, const CellKey& key,
                           const hfile::Block& block) {
  ++verified_.probes;
  const Result<bool> answer = filter.may_contain(file_->source(), bloom_key);
  if (answer && !*answer) {  // a chunk that cannot be read was met before
    const auto chunk = hbase::chunk_of(filter.meta(), bloom_key);
    found(chunk ? "Bloom chunk" : "Bloom meta block",
          chunk ? filter.meta().chunks[*chunk].block_offset : offset_of(BlockKind::kGeneralBloomMeta),
          fmt::format("expected the key of a cell ({}) of the data block at {}, found that it says no",
                      show_cell(key), block.offset()));
  }
}

void Verifier::check_bloom(const CellKey& key, const hfile::Block& block) {
  const auto last = last_key_.empty() ? std::nullopt : parse_flat_key(last_key_);
  const bool new_row = !last || last->row != key.row;
  const bool new_column = new_row || last->family != key.family || last->qualifier != key.qualifier;
  const std::size_t prefix = file_->bloom_prefix_bytes();
  switch (file_->bloom_type()) {
    case hbase::BloomType::kNone:
      break;
    case hbase::BloomType::kRow:
      if (new_row) {
        ++bloom_keys_;
        check_probe(*file_->bloom(), key.row, key, block);
      }
      break;
    case hbase::BloomType::kRowPrefix:
      if (!last || hbase::row_prefix(last->row, prefix) != hbase::row_prefix(key.row, prefix)) {
        ++bloom_keys_;
        check_probe(*file_->bloom(), hbase::row_prefix(key.row, prefix), key, block);
      }
      break;
    case hbase::BloomType::kRowCol:
      if (new_column) {
        ++bloom_keys_;
        check_probe(*file_->bloom(), hbase::RowColKey({key.row, key.qualifier}).bytes(), key, block);
      }
      break;
  }
  // As a reader asks, with LAST_BLOOM_KEY.
  if (new_column && !file_->may_contain_column(key.row, key.qualifier)) {
    found("file info block", trailer_.file_info_offset,
          fmt::format("expected LAST_BLOOM_KEY not before the cell ({}) of the data block at {}, found it so",
                      show_cell(key), block.offset()));
  }
  if (key.type != CellType::kDeleteFamily && key.type != CellType::kDeleteFamilyVersion) {
    return;
  }
  if (delete_family_keys_ != 0 && last_delete_family_row_ == key.row) {
    return;
  }
  ++delete_family_keys_;
  last_delete_family_row_ = key.row;
  if (file_->delete_family_bloom()) {
    check_probe(*file_->delete_family_bloom(), key.row, key, block);
  }
  if (delete_families_ == 0) {
    found("file info block", trailer_.file_info_offset,
          fmt::format("expected DELETE_FAMILY_COUNT with the marker ({}) of the data block at {}, found 0",
                      show_cell(key), block.offset()));
  }
}

// What file info says of all cells.
void Verifier::check_notes(const Cell& cell, const hfile::Block& block) {
  const std::int64_t time = cell.key.timestamp;
  if (times_ && !has_times_outside_ && (time < times_->oldest || time > times_->newest)) {
    has_times_outside_ = true;
    found("file info block", trailer_.file_info_offset,
          fmt::format("expected a TIMERANGE with the cell ({}) of the data block at {}, found {} to {}",
                      show_cell(cell.key), block.offset(), times_->oldest, times_->newest));
  }
  if (max_mvcc_ && !has_mvcc_above_ && cell.mvcc > *max_mvcc_) {
    has_mvcc_above_ = true;
    found("file info block", trailer_.file_info_offset,
          fmt::format(
              "expected MAX_MEMSTORE_TS_KEY not below the {} of a cell of the data block at {}, found {}",
              cell.mvcc, block.offset(), *max_mvcc_));
  }
}

void Verifier::check_cell(const Cell& cell, const hfile::Block& block) {
  const auto last = last_key_.empty() ? std::nullopt : parse_flat_key(last_key_);
  if (last && cell.key < *last) {
    found(hfile::block_kind_name(block.kind()), block.offset(),
          fmt::format("expected cells in order, found ({}) behind ({})", show_cell(cell.key),
                      show_cell(*last)));
  }
  if (!last) {
    verified_.family = cell.key.family;
    append_flat_key(first_key_, cell.key);
  }
  has_several_families_ = has_several_families_ || cell.key.family != verified_.family;
  check_bloom(cell.key, block);
  check_notes(cell, block);
  last_key_.clear();
  append_flat_key(last_key_, cell.key);
  ++verified_.cells;
}

void Verifier::check_data_block(std::size_t i) {
  const DataEntry& entry = data_[i];
  const auto read = file_->source().read(entry.address);
  if (!read) {
    all_read_ = false;
    return;  // met before
  }
  const hfile::Block& block = **read;
  const auto index_key = parse_flat_key(entry.key);
  const auto last = last_key_.empty() ? std::nullopt : parse_flat_key(last_key_);
  if (!index_key || (last && *index_key <= *last)) {
    found(hfile::block_kind_name(block.kind()), block.offset(),
          "expected a key in the index that is behind the cells before this block, found another");
  }
  hfile::DataBlockCursor cursor;
  const Status started = cursor.start(*read, file_->encoding(), file_->layout());
  Result<bool> more = started ? cursor.next() : Result<bool>(started.error());
  if (more && *more && index_key && cursor.cell().key < *index_key) {
    found(hfile::block_kind_name(block.kind()), block.offset(),
          fmt::format("expected cells that are not before its key in the index ({}), found ({})",
                      show_cell(*index_key), show_cell(cursor.cell().key)));
  }
  if (more && !*more) {
    found(hfile::block_kind_name(block.kind()), block.offset(), "expected a cell at least, found none");
  }
  for (; more && *more; more = cursor.next()) {
    check_cell(cursor.cell(), block);
  }
  if (!more) {
    all_read_ = false;
    found(more.error());
  }
}

// Of a kind of which there is one.
std::uint64_t Verifier::offset_of(BlockKind kind) const {
  for (const auto& [offset, address] : seen_) {
    if (address.kind == kind) {
      return offset;
    }
  }
  return trailer_.load_on_open_offset;
}

void Verifier::check_key_count(const std::optional<hfile::ChunkedFilter>& filter, BlockKind meta,
                               std::uint64_t keys) {
  if (all_read_ && filter && filter->meta().key_count != keys) {
    found(hfile::block_kind_name(meta), offset_of(meta),
          fmt::format("expected {} keys, as the cells have, found {}", keys, filter->meta().key_count));
  }
}

void Verifier::check_end() {
  if (!all_read_) {
    return;
  }
  if (verified_.cells != trailer_.entry_count) {
    found("trailer", trailer_.offset,
          fmt::format("expected {} cells, as there are, found {}", verified_.cells, trailer_.entry_count));
  }
  if (!last_key_.empty() && file_->info().find("hfile.LASTKEY") != last_key_) {
    found("file info block", trailer_.file_info_offset,
          "expected the key of the last cell in hfile.LASTKEY, found another");
  }
  if (file_->bloom_type() != hbase::BloomType::kNone) {
    check_key_count(file_->bloom(), BlockKind::kGeneralBloomMeta, bloom_keys_);
  }
  check_key_count(file_->delete_family_bloom(), BlockKind::kDeleteFamilyBloomMeta, delete_family_keys_);
}

void Verifier::check_data() {
  for (std::size_t i = 0; i < data_.size(); ++i) {
    check_data_block(i);
  }
  check_end();
}

// What a cluster asks of a file that is loaded into it, beyond being whole.
void Verifier::check_bulk_load() {
  const auto obstacle = [&](std::string text) { verified_.bulk_load.push_back(std::move(text)); };
  const auto has = [&](const char* note) { return file_->info().find(note).has_value(); };
  if (!verified_.is_whole()) {
    obstacle("it is damaged");
  }
  if (trailer_.entry_count == 0) {
    obstacle("it has no cells");
  }
  if (has_several_families_) {
    obstacle("its cells are of several families");
  }
  if (!data_.empty() && data_.front().key != first_key_) {
    obstacle("the first key of its index is not that of its first cell");
  }
  for (const char* const note : {"KEY_VALUE_VERSION", "BULKLOAD_TIMESTAMP", "TIMERANGE"}) {
    if (!has(note)) {
      obstacle(fmt::format("file info has no {}", note));
    }
  }
  if (has("MAX_SEQ_ID_KEY")) {
    obstacle("file info has MAX_SEQ_ID_KEY, which the cluster gives");
  }
  const std::string name = std::filesystem::path(file_->path()).filename().string();
  if (name.starts_with('_')) {
    obstacle("its name begins with _, so that it would be passed over");
  }
}

Status Verifier::run() {
  collect_pointers();
  BLOOMERY_RETURN_IF_ERROR(check_blocks());
  if (!file_->filter_status() && damaged_.lower_bound(trailer_.load_on_open_offset) == damaged_.end()) {
    found(file_->filter_status().error());
  }
  check_pointers();
  check_sums();
  check_data();
  check_bulk_load();
  return {};
}

}  // namespace

Result<VerifiedHFile> verify_hfile(const std::string& path) {
  const Result<OpenHFile> file = open_hfile(path, ChunkKeeper::options());
  if (!file) {
    if (file.error().code() != ErrorCode::kCorruption) {
      return file.error();
    }
    VerifiedHFile damaged;
    damaged.findings.push_back(file.error().to_string());
    damaged.bulk_load.emplace_back("it is damaged");
    return damaged;
  }
  Verifier verifier(*file);
  BLOOMERY_RETURN_IF_ERROR(verifier.run());
  return verifier.take();
}

}  // namespace bloomery::cli
