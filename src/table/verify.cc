#include "bloomery/table/verify.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include <system_error>

#include "base/byte_text.h"
#include "base/file.h"
#include "base/memory_budget.h"
#include "base/message.h"
#include "hfile/block_index.h"
#include "hfile/bloom_fill.h"
#include "hfile/chunk_keeper.h"
#include "hfile/recognition.h"
#include "table/cell_verifier.h"
#include "table/findings.h"

namespace bloomery {
namespace table {
namespace {

using hfile::BlockKind;

// In the chain of previous blocks, plain and encoded data blocks are one kind.
BlockKind chain_of(BlockKind kind) {
  return kind == BlockKind::kEncodedData ? BlockKind::kData : kind;
}

// A bound for the memory of a block's record: its address, its pointers, and whether it is damaged. A data
// block also has its index entry, in a list that is copied when it grows.
constexpr std::uint64_t kPlaceBytes = 384;
// A damaged file is decompressed up to kMostUnpacked bytes plus kMostTimesFile times the size of the file.
constexpr std::uint64_t kMostUnpacked = std::uint64_t{256} << 20;
constexpr std::uint64_t kMostTimesFile = 1024;
constexpr const char* kPlaces = "list of the blocks that are pointed at";

// Verifies one file that could be opened:
//
//   1. collect_pointers() walks the indexes and lists which blocks are pointed at, and from where.
//   2. check_blocks() reads the file from its first byte to the trailer, block by block. It checks headers
//      and checksums, and passes data blocks to CellVerifier.
//   3. check_pointers() compares both lists: each entry must point at a block of its kind and size, and each
//      block must be pointed at.
//   4. check_sums() and check_end() compare the sums and counts with the trailer and file info. They need a
//      file without damage so far, since a lost block would make every sum wrong.
//   5. check_version() compares the trailer's version with those that HBase's releases write.
//   6. check_bulk_load() records why a cluster would refuse the file, and add_remarks() what is not a fault.
//
// Memory holds one block, both lists with the keys of the data blocks, and the kept Bloom chunks.
class Verifier {
 public:
  explicit Verifier(const hfile::OpenFilePointer& file)
      : file_(file), trailer_(file_->trailer()), cells_(file, findings_), memory_(file->memory()) {}

  Status run();
  VerifiedHFile result();

 private:
  // The pointers of the indexes and of the Bloom meta blocks.
  Result<bool> point_at(BlockKind kind, const hfile::IndexEntry& entry, const char* from);
  Status walk_index(std::uint32_t depth, const hfile::IndexEntry& entry);
  Status collect_pointers();

  // The blocks, one after the other.
  void check_chunk_sizes(hfile::FileBlockSource& disk);
  Status check_blocks();
  Status see(const hfile::Block& block);
  void check_pointers();
  void check_sums();

  void check_cells(const hfile::BlockPointer& block);
  void check_end();
  void check_version();
  void check_bulk_load();
  void add_remarks();

  hfile::OpenFilePointer file_;
  const hfile::Trailer& trailer_;
  Findings findings_;
  CellVerifier cells_;
  VerifiedHFile verified_;

  struct DataEntry {
    hfile::BlockAddress address;
    std::string key;
  };
  std::vector<DataEntry> data_;  // in index order
  std::size_t next_data_ = 0;    // the entry of the next data block in the file
  std::map<std::uint64_t, hfile::BlockAddress> pointed_;
  std::map<std::uint64_t, hfile::BlockAddress> seen_;
  std::map<BlockKind, std::int64_t> last_of_kind_;
  std::uint64_t sum_of_index_ = 0;
  std::uint64_t sum_of_all_ = 0;
  bool reads_chunks_ = true;
  bool all_read_ = true;  // no cell is missing because of damage
  MemoryShare memory_;    // for the lists of blocks
};

// Records that something points at a block. Returns false if another pointer exists, which is a finding.
// Errors: kCapacity.
Result<bool> Verifier::point_at(BlockKind kind, const hfile::IndexEntry& entry, const char* from) {
  const hfile::BlockAddress address{kind, entry.offset, entry.on_disk_bytes};
  if (!pointed_.contains(entry.offset)) {
    BLOOMERY_RETURN_IF_ERROR(memory_.add(kPlaces, kPlaceBytes + 2 * entry.key.size()));
  }
  const bool is_first = pointed_.emplace(entry.offset, address).second;
  if (!is_first) {
    all_read_ = false;
    findings_.add(hfile::block_kind_name(kind), entry.offset,
                  message("expected one entry that points here, found another in ", from));
  }
  return is_first;
}

Status Verifier::walk_index(std::uint32_t depth, const hfile::IndexEntry& entry) {
  const std::uint32_t levels = file_->index().levels;
  const BlockKind kind = depth == levels       ? file_->index().data_kind
                         : depth + 1 == levels ? BlockKind::kLeafIndex
                                               : BlockKind::kIntermediateIndex;
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_first, point_at(kind, entry, "the index"));
  if (!is_first) {
    return {};  // walking a block again could loop for ever
  }
  if (depth == levels) {
    data_.push_back({{kind, entry.offset, entry.on_disk_bytes}, std::string(entry.key)});
    return {};
  }
  const auto block = file_->source().read({kind, entry.offset, entry.on_disk_bytes});
  const auto view =
      block ? hfile::IndexBlockView::over(**block) : Result<hfile::IndexBlockView>(block.error());
  if (!view) {
    all_read_ = false;
    findings_.add(view.error());
    return view.error().code() == ErrorCode::kCapacity ? Status(view.error()) : Status();
  }
  for (std::size_t i = 0; i < view->size(); ++i) {
    const auto below = view->entry(i);
    if (!below) {
      all_read_ = false;
      findings_.add(below.error());
      continue;
    }
    BLOOMERY_RETURN_IF_ERROR(walk_index(depth + 1, *below));
  }
  return {};
}

Status Verifier::collect_pointers() {
  for (const hfile::IndexEntry& entry : file_->index().root.entries) {
    BLOOMERY_RETURN_IF_ERROR(walk_index(1, entry));
  }
  for (const hfile::IndexEntry& entry : file_->meta_index().entries) {
    BLOOMERY_RETURN_IF_ERROR(point_at(BlockKind::kMeta, entry, "the meta index"));
  }
  for (const hfile::ChunkedFilter* const filter : file_->filters()) {
    for (const hbase::ChunkEntry& chunk : filter->meta().chunks) {
      BLOOMERY_RETURN_IF_ERROR(point_at(BlockKind::kBloomChunk,
                                        {.offset = chunk.block_offset, .on_disk_bytes = chunk.block_bytes},
                                        "a Bloom meta block"));
    }
  }
  return {};
}

Status Verifier::see(const hfile::Block& block) {
  const hfile::BlockHeader& header = block.header();
  BLOOMERY_RETURN_IF_ERROR(memory_.add(kPlaces, kPlaceBytes));
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
    return {};
  }
  const auto [last, is_first] = last_of_kind_.emplace(chain_of(block.kind()), -1);
  // After a damaged block, the previous block of the kind is not known.
  if (!findings_.names_any() && header.previous_offset != last->second) {
    findings_.add(hfile::block_kind_name(block.kind()), block.offset(),
                  message("expected the block of its kind before it at ", last->second, ", found ",
                          header.previous_offset));
  }
  last->second = static_cast<std::int64_t>(block.offset());
  return {};
}

// Adds up the sizes in the headers of the chunks. If the sum is larger than the filter's keys can need, its
// chunks are not decompressed.
void Verifier::check_chunk_sizes(hfile::FileBlockSource& disk) {
  for (const hfile::ChunkedFilter* const filter : file_->filters()) {
    std::uint64_t sum = 0;
    for (const hbase::ChunkEntry& chunk : filter->meta().chunks) {
      const auto header = disk.header_at(chunk.block_offset);
      sum += header ? header->uncompressed_bytes : 0;
    }
    if (sum > hfile::most_chunk_bytes(*file_, *filter)) {
      findings_.add(hfile::too_many_chunk_bytes(*file_, *filter, sum));
      cells_.leave_out_filters();
      reads_chunks_ = false;
    }
  }
}

Status Verifier::check_blocks() {
  BLOOMERY_ASSIGN_OR_RETURN(File file, FileSystem::real().open(file_->path(), OpenFor::kReading));
  hfile::ReadCounters counters;
  const hfile::BlockRules rules{
      .compression = trailer_.compression, .end_offset = trailer_.offset, .memory = file_->memory()};
  hfile::FileBlockSource disk(file, rules, counters);
  check_chunk_sizes(disk);
  std::uint64_t unpacked = 0;
  for (std::uint64_t offset = 0; offset < trailer_.offset;) {
    // A few damaged bytes can claim gigabytes of uncompressed data, block after block.
    if (findings_.names_any() && unpacked > kMostUnpacked + kMostTimesFile * file_->file_bytes()) {
      findings_.add("file", offset,
                    message("the rest was not checked: ", unpacked, " bytes were unpacked so far"));
      all_read_ = false;
      return {};
    }
    if (!reads_chunks_) {
      const auto header = disk.header_at(offset);
      if (header && header->kind == BlockKind::kBloomChunk) {
        findings_.mark(offset);
        offset += std::max<std::uint64_t>(header->on_disk_bytes, hfile::kBlockHeaderBytes);
        continue;
      }
    }
    Result<hfile::BlockPointer> block = disk.read_at(offset);
    if (!block && block.error().code() == ErrorCode::kCapacity) {
      file_->source().forget();
      block = disk.read_at(offset);
    }
    if (block) {
      BLOOMERY_RETURN_IF_ERROR(see(**block));
      check_cells(*block);
      unpacked += (*block)->header().uncompressed_bytes;
      offset += (*block)->header().on_disk_bytes;
      continue;
    }
    if (block.error().code() == ErrorCode::kIo || block.error().code() == ErrorCode::kCapacity) {
      return block.error();  // says nothing about the file's contents
    }
    all_read_ = false;
    if (!findings_.names(offset)) {  // a damaged index block has its finding already
      findings_.add(block.error());
      findings_.mark(offset);
    }
    // The size of a damaged block is not trusted either. The check continues at the next block that is
    // pointed at.
    const auto next = pointed_.upper_bound(offset);
    const std::uint64_t behind = next == pointed_.end() ? trailer_.load_on_open_offset : next->first;
    offset = offset < trailer_.load_on_open_offset ? std::min(behind, trailer_.load_on_open_offset)
                                                   : trailer_.offset;
  }
  return {};
}

// Checks the cells of a data block during the walk of the file, so that each block is read once.
void Verifier::check_cells(const hfile::BlockPointer& block) {
  const auto is_before = [&](const DataEntry& entry) { return entry.address.offset < block->offset(); };
  while (next_data_ < data_.size() && is_before(data_[next_data_])) {
    all_read_ = false;  // the block of this entry was damaged, or does not exist
    ++next_data_;
  }
  if (next_data_ == data_.size() || data_[next_data_].address.offset != block->offset()) {
    return;
  }
  const DataEntry& entry = data_[next_data_++];
  if (block->kind() == entry.address.kind && block->header().on_disk_bytes == entry.address.on_disk_bytes) {
    cells_.check_block(block, entry.key);
  } else {
    all_read_ = false;  // check_pointers() reports it
  }
}

void Verifier::check_end() {
  if (all_read_ && next_data_ == data_.size() && cells_.could_read_all()) {
    cells_.check_end();
  }
}

void Verifier::check_pointers() {
  for (const auto& [offset, address] : pointed_) {
    const auto seen = seen_.find(offset);
    if (seen == seen_.end()) {
      if (!findings_.names(offset)) {
        findings_.add(hfile::block_kind_name(address.kind), offset,
                      "expected a block where the index points, found the inside of another, or none");
      }
    } else if (seen->second.kind != address.kind || seen->second.on_disk_bytes != address.on_disk_bytes) {
      findings_.add(hfile::block_kind_name(address.kind), offset,
                    message("expected one of ", address.on_disk_bytes, " bytes as the index says, found a ",
                            hfile::block_kind_name(seen->second.kind), " of ", seen->second.on_disk_bytes));
    }
  }
  if (findings_.names_any() || !file_->filter_status()) {
    return;  // the entry that points at a block may be damaged
  }
  for (const auto& [offset, address] : seen_) {
    if (offset < trailer_.load_on_open_offset && !pointed_.contains(offset)) {
      findings_.add(hfile::block_kind_name(address.kind), offset,
                    "expected an index that points here, found none");
    }
  }
}

void Verifier::check_sums() {
  if (findings_.names_any()) {
    return;
  }
  if (!data_.empty() && (trailer_.first_data_block_offset != data_.front().address.offset ||
                         trailer_.last_data_block_offset != data_.back().address.offset)) {
    findings_.add("trailer", trailer_.offset,
                  message("expected the first and the last data block at ", data_.front().address.offset,
                          " and ", data_.back().address.offset, ", as the index says, found ",
                          trailer_.first_data_block_offset.value_or(0), " and ",
                          trailer_.last_data_block_offset.value_or(0)));
  }
  if (sum_of_index_ != trailer_.data_index_bytes) {
    findings_.add("trailer", trailer_.offset,
                  message("expected ", sum_of_index_, " bytes of the index, as its blocks have, found ",
                          trailer_.data_index_bytes));
  }
  const std::uint64_t trailer_bytes = file_->file_bytes() - trailer_.offset;
  if (sum_of_all_ + trailer_bytes != trailer_.uncompressed_bytes) {
    findings_.add("trailer", trailer_.offset,
                  message("expected ", sum_of_all_ + trailer_bytes,
                          " uncompressed bytes, as its blocks have, found ", trailer_.uncompressed_bytes));
  }
}

// The minor version of the trailer has no checksum, and a reader accepts any from 0 to 3. HBase 0.98 and 1
// write 3.0, HBase 2 and later 3.3, and no release writes 3.1 or 3.2. Version 2 is read with the minor
// version 3 only.
void Verifier::check_version() {
  if (trailer_.major_version != 3 || trailer_.minor_version == 3) {
    return;
  }
  const std::uint64_t offset = file_->file_bytes() - 4;
  if (trailer_.minor_version != 0) {
    findings_.add(
        "trailer", offset,
        message("expected version 3.0 or 3.3, which HBase writes, found 3.", trailer_.minor_version));
    return;
  }
  for (const char* const name : {"hfile.LEN_OF_BIGGEST_CELL", "HISTORICAL"}) {
    if (file_->info().find(name)) {
      findings_.add("trailer", offset,
                    message("expected version 3.3, since file info has ", name, " of HBase 2, found 3.0"));
      return;
    }
  }
}

void Verifier::add_remarks() {
  if (std::ranges::any_of(file_->filters(),
                          [](const auto* filter) { return filter->meta().hash_count == 0; })) {
    verified_.remarks.emplace_back(hfile::kWithoutHashes);
  }
}

// Returns the name of the file's directory, as HBase's bulk load sees it.
std::string directory_name(const std::string& path) {
  std::error_code code;
  const std::filesystem::path absolute = std::filesystem::absolute(path, code);
  return absolute.lexically_normal().parent_path().filename().string();
}

// Records why a cluster would refuse the file in a bulk load, or would lose something. HBase needs no more of
// file info than every reader needs. It uses the directory's name as the family and does not compare it with
// the cells; gets of a file in another family's directory then fail.
void Verifier::check_bulk_load() {
  const auto obstacle = [&](std::string text) { verified_.bulk_load_obstacles.push_back(std::move(text)); };
  if (!findings_.empty()) {
    obstacle("it is damaged");
  }
  if (trailer_.entry_count == 0) {
    obstacle("it has no cells");
  }
  if (cells_.has_several_families()) {
    obstacle("its cells are of several families");
  }
  if (!data_.empty() && data_.front().key != cells_.first_key()) {
    obstacle("the first key of its index is not that of its first cell");
  }
  const std::string directory = directory_name(file_->path());
  if (cells_.cells() != 0 && directory != cells_.family()) {
    obstacle(message("its directory is named ", escape_bytes(directory),
                     ", which HBase takes for the family, and its cells are of ",
                     escape_bytes(cells_.family())));
  }
  const std::string name = std::filesystem::path(file_->path()).filename().string();
  if (name.starts_with('_')) {
    obstacle("its name begins with _, so that it would be passed over");
  }
}

Status Verifier::run() {
  BLOOMERY_RETURN_IF_ERROR(collect_pointers());
  BLOOMERY_RETURN_IF_ERROR(check_blocks());
  if (!file_->filter_status() && !findings_.names_any_from(trailer_.load_on_open_offset)) {
    findings_.add(file_->filter_status().error());
  }
  check_pointers();
  check_sums();
  check_end();
  check_version();
  check_bulk_load();
  add_remarks();
  return {};
}

VerifiedHFile Verifier::result() {
  verified_.findings_left_out = findings_.left_out();
  verified_.findings = findings_.release();
  verified_.cells = cells_.cells();
  verified_.probes = cells_.probes();
  verified_.denied = cells_.denied();
  verified_.denied_keys = cells_.denied_keys();
  verified_.family = cells_.family();
  verified_.first_row = cells_.first_row();
  verified_.last_row = cells_.last_row();
  return std::move(verified_);
}

}  // namespace
}  // namespace table

namespace {

Result<VerifiedHFile> verified(const std::string& path, const FileMemory& memory) {
  const Result<hfile::OpenFilePointer> file =
      hfile::open_hfile(path, hfile::ChunkKeeper::surroundings(), memory);
  if (!file) {
    if (file.error().code() != ErrorCode::kCorruption) {
      return file.error();
    }
    VerifiedHFile damaged;
    damaged.findings.push_back(file.error());
    damaged.bulk_load_obstacles.emplace_back("it is damaged");
    return damaged;
  }
  table::Verifier verifier(*file);
  BLOOMERY_RETURN_IF_ERROR(in_file(verifier.run(), path));
  return verifier.result();
}

}  // namespace

Result<VerifiedHFile> verify_hfile(const std::string& path, const FileMemory& memory) {
  return within_memory(path, [&] { return verified(path, memory); });
}

}  // namespace bloomery
