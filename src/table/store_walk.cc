#include "table/store_walk.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/key_text.h"
#include "hfile/reader_access.h"
#include "table/read/store_merge.h"

namespace bloomery::table {
namespace {

// The number of successive rows in a range of a sample (docs/hfile-advise.md, section "Samples").
constexpr std::uint64_t kRowsPerStretch = 100;

using Column = std::pair<std::string_view, std::string_view>;  // family, qualifier

Column column_of(const CellKey& key) {
  return {key.family, key.qualifier};
}

// One of the files, at the row and the column of the merge.
struct WalkedFile {
  explicit WalkedFile(const hfile::OpenFile& file)
      : kind(bloom_kind_of(file.bloom_type())), own_prefix_bytes(file.bloom_prefix_bytes()) {}

  bool is_at_end() const { return cursor->is_at_end(); }
  // Precondition: !is_at_end().
  const CellKey& key() const { return cursor->cell().key; }
  bool is_on(std::string_view row) const { return !is_at_end() && key().row == row; }
  bool is_on(std::string_view row, const Column& column) const {
    return is_on(row) && column_of(key()) == column;
  }
  // Counts the block if the cursor has moved to another one.
  void note_move() {
    is_first_in_block = !is_at_end() && cursor->position().block_offset() != block_offset;
    if (is_first_in_block) {
      block_offset = cursor->position().block_offset();
      ++block;
    }
  }
  // Returns the number of the block in which a seek for `target` begins. It is the previous block if `target`
  // is before this block's key in the index. Precondition: the cells before this one are before `target`, and
  // this one is not.
  std::uint64_t landing(const CellKey& target) const {
    if (!is_first_in_block || block == 1) {
      return block;
    }
    const auto separator = parse_flat_key(cursor->position().index_key());
    return separator && target < *separator ? block - 1 : block;
  }
  // Returns true if a neighbouring row of the file, before or after `row`, has the same prefix.
  bool shares_prefix(std::string_view row, std::size_t prefix_bytes) const {
    const std::string_view prefix = hbase::row_prefix(row, prefix_bytes);
    return (has_row_before && hbase::row_prefix(row_before, prefix_bytes) == prefix) ||
           (!is_at_end() && hbase::row_prefix(key().row, prefix_bytes) == prefix);
  }
  // Returns the number of blocks that a get of a column reads: the blocks that are read to find the row, and
  // the blocks from `first` to `last` that are not among them.
  std::uint64_t blocks_to(std::uint64_t first, std::uint64_t last) const {
    const std::uint64_t more = std::max(first, row_last_block + 1);
    return row_last_block - row_first_block + 1 + (last >= more ? last - more + 1 : 0);
  }

  const FileCursor* cursor = nullptr;  // the merge has it
  BloomKind kind;
  std::size_t own_prefix_bytes;
  FileCounts counts = {};
  // The number of the cursor's data block. The first one that is met has number 1, or 2 if there are rows
  // before it. At the end it is the number of the last block.
  std::uint64_t block = 0;
  std::optional<std::uint64_t> block_offset = {};
  bool is_first_in_block = false;
  bool has_row_before = false;
  std::string row_before = {};
  bool has_row = false;
  bool is_in_range = false;
  bool has_no_qualifier = false;      // in this row, so a ROWCOL filter answers maybe
  std::uint64_t row_first_block = 0;  // first and last block that is read to find the row
  std::uint64_t row_last_block = 0;
  bool has_column = false;
  std::uint64_t column_first_block = 0;
};

// Walks the merge. These functions run for each row in turn:
//
//   begin_row()    (walk_column() for each column of the row)    end_row()    ask_absent_row()
//
// Invariant: between these calls, each file's cursor is at the file's first cell that is not before the
// position of the merge. This position is row_, family_ and qualifier_.
class StoreWalk {
 public:
  StoreWalk(const std::vector<hfile::OpenFilePointer>& files, const WalkOptions& options, std::size_t& failed)
      : options_(options), failed_(failed) {
    for (const hfile::OpenFilePointer& file : files) {
      store_.push_back(std::make_shared<StoreFile>(store_file_of(file)));
      files_.emplace_back(*file);
    }
    counts_.rows_in_files.resize(files.size() + 1);
    counts_.columns_in_files.resize(files.size() + 1);
  }

  Status walk_all();
  Status walk_stretches(const std::vector<std::string>& starts);
  StoreCounts result();

 private:
  Status at(std::size_t file, Status status) {
    failed_ = status ? failed_ : file;
    return status;
  }
  bool is_on_row() const { return !merge_->is_at_end() && merge_->cell().key.row == row_; }
  Status start(const std::string& row);
  void begin_row();
  Status walk_column();
  void begin_column();
  Status pass_column();
  Status pass_cell();
  void ask_absent_column();
  void end_row();
  void ask_absent_row();
  Status walk_row();
  Status go_to(const std::string& row);
  void count(GetKind get, WalkedFile& file, std::string_view row, bool has_row, bool has_column,
             std::uint64_t blocks) const;

  WalkOptions options_;
  std::size_t& failed_;
  std::vector<StoreFilePointer> store_;
  std::optional<StoreMerge> merge_;
  std::vector<WalkedFile> files_;
  StoreCounts counts_;
  std::string row_;
  std::string family_;
  std::string qualifier_;
};

// Counts the blocks that a get of kind `get` reads of a file, and the types of filter for which the file is
// needed.
void StoreWalk::count(GetKind get, WalkedFile& file, std::string_view row, bool has_row, bool has_column,
                      std::uint64_t blocks) const {
  const auto has_prefix = [&](std::size_t bytes) {
    return bytes == 0 || has_row || file.shares_prefix(row, bytes);
  };
  std::array<bool, kBloomKinds> needed = {true, has_row, has_column || !names_column(get),
                                          has_prefix(options_.prefix_bytes), true};
  needed[static_cast<std::size_t>(BloomKind::kToday)] = file.kind == BloomKind::kRowPrefix
                                                            ? has_prefix(file.own_prefix_bytes)
                                                            : needed[static_cast<std::size_t>(file.kind)];
  FileReads& reads = file.counts.reads[static_cast<std::size_t>(get)];
  reads.in_range.add(blocks);
  for (std::size_t kind = 0; kind < kBloomKinds; ++kind) {
    if (needed[kind]) {
      reads.needed[kind].add(blocks);
    }
  }
}

// Counts the row, and records for each file the blocks that a get reads to find it.
void StoreWalk::begin_row() {
  std::size_t holders = 0;
  for (WalkedFile& file : files_) {
    file.has_row = file.is_on(row_);
    file.is_in_range = !file.is_at_end() && (file.has_row_before || file.has_row);
    file.has_no_qualifier = false;
    file.row_first_block = file.landing(first_on_row(row_));
    file.row_last_block = file.block;
    if (!file.has_row) {
      continue;
    }
    ++holders;
    ++file.counts.rows;
    const std::size_t prefix = options_.prefix_bytes;
    if (!file.has_row_before ||
        hbase::row_prefix(file.row_before, prefix) != hbase::row_prefix(row_, prefix)) {
      ++file.counts.prefixes;
    }
  }
  ++counts_.rows_in_files[holders];
}

// Records for each file whether it has the column, and the block in which a get begins to look for it.
void StoreWalk::begin_column() {
  family_ = merge_->cell().key.family;
  qualifier_ = merge_->cell().key.qualifier;
  for (WalkedFile& file : files_) {
    file.has_column = file.is_on(row_, {family_, qualifier_});
    file.column_first_block =
        file.has_row ? file.landing(first_on_column(row_, family_, qualifier_)) : file.row_first_block;
  }
}

// Moves past a cell of the column.
Status StoreWalk::pass_cell() {
  const std::size_t i = merge_->first_file();
  WalkedFile& file = files_[i];
  ++file.counts.cells;
  BLOOMERY_RETURN_IF_ERROR(at(i, merge_->next()));
  file.note_move();
  if (file.is_at_end() || file.key().row > row_ ||
      (file.key().row == row_ && column_of(file.key()) >= Column(family_, qualifier_))) {
    return {};
  }
  return at(i, Error(ErrorCode::kCorruption, store_[i]->file->path(),
                     "expected cells in order, found some behind (" +
                         hfile::show_column(row_, family_, qualifier_) +
                         ") that belong before: `bloomery hfile verify` says which"));
}

// Moves all files over the versions of the column.
Status StoreWalk::pass_column() {
  while (is_on_row() && column_of(merge_->cell().key) == Column(family_, qualifier_)) {
    BLOOMERY_RETURN_IF_ERROR(pass_cell());
  }
  return {};
}

// Counts the get of the next column (row_, family_, qualifier_) in all files, moves past it, and counts the
// get of the absent column after it.
Status StoreWalk::walk_column() {
  begin_column();
  BLOOMERY_RETURN_IF_ERROR(pass_column());
  std::size_t holders = 0;
  for (WalkedFile& file : files_) {
    if (!file.is_in_range) {
      continue;
    }
    if (file.has_column) {
      ++holders;
      ++file.counts.columns;
    }
    if (file.has_column && qualifier_.empty()) {  // every get of a column of the row reads past it
      file.has_no_qualifier = true;
      file.row_last_block = file.block;
    }
    count(GetKind::kPresentCell, file, row_, file.has_row, file.has_column || file.has_no_qualifier,
          file.blocks_to(file.column_first_block, file.block));
  }
  ++counts_.columns_in_files[holders];
  ++counts_.gets[static_cast<std::size_t>(GetKind::kPresentCell)];
  ask_absent_column();
  return {};
}

// Counts the get of the column right after the current one, unless a file has it.
void StoreWalk::ask_absent_column() {
  qualifier_ += '\0';
  const Column column(family_, qualifier_);
  if (std::ranges::any_of(files_, [&](const WalkedFile& file) { return file.is_on(row_, column); })) {
    return;
  }
  ++counts_.gets[static_cast<std::size_t>(GetKind::kAbsentColumn)];
  for (WalkedFile& file : files_) {
    if (file.is_in_range) {
      const std::uint64_t first =
          file.has_row ? file.landing(first_on_column(row_, family_, qualifier_)) : file.row_first_block;
      count(GetKind::kAbsentColumn, file, row_, file.has_row, file.has_no_qualifier,
            file.blocks_to(first, file.block));
    }
  }
}

// Counts the get of the entire row.
void StoreWalk::end_row() {
  ++counts_.gets[static_cast<std::size_t>(GetKind::kWholeRow)];
  for (WalkedFile& file : files_) {
    if (file.is_in_range) {
      count(GetKind::kWholeRow, file, row_, file.has_row, false, file.block - file.row_first_block + 1);
    }
    if (file.has_row) {
      file.has_row_before = true;
      file.row_before = row_;
    }
  }
}

// Counts the gets of the row right after the current one, unless a file has it or the store ends here.
void StoreWalk::ask_absent_row() {
  row_ += '\0';
  const auto is_behind = [&](const WalkedFile& file) { return !file.is_at_end() && file.key().row > row_; };
  if (row_.size() > kLongestRow || std::ranges::none_of(files_, is_behind) ||
      std::ranges::any_of(files_, [&](const WalkedFile& file) { return file.is_on(row_); })) {
    return;
  }
  ++counts_.gets[static_cast<std::size_t>(GetKind::kAbsentRow)];
  ++counts_.gets[static_cast<std::size_t>(GetKind::kColumnOfAbsentRow)];
  for (WalkedFile& file : files_) {
    if (file.has_row_before && !file.is_at_end()) {
      const std::uint64_t blocks = file.block - file.landing(first_on_row(row_)) + 1;
      count(GetKind::kAbsentRow, file, row_, false, false, blocks);
      count(GetKind::kColumnOfAbsentRow, file, row_, false, false, blocks);
    }
  }
}

// Precondition: the merge is not at its end.
Status StoreWalk::walk_row() {
  row_ = merge_->cell().key.row;
  begin_row();
  while (is_on_row()) {
    BLOOMERY_RETURN_IF_ERROR(walk_column());
  }
  end_row();
  ask_absent_row();
  return {};
}

// Starts the merge at the row, or at the first one if it is empty. The merge starts file by file, so that
// after an error the last file with a cursor is the one that failed.
Status StoreWalk::start(const std::string& row) {
  merge_.emplace(store_, false, nullptr);
  const Status started = merge_->start({.row = row});
  std::size_t last = 0;
  for (std::size_t i = 0; i < files_.size() && merge_->cursor(i) != nullptr; ++i) {
    files_[i].cursor = merge_->cursor(i);
    files_[i].note_move();
    last = i;
  }
  return at(last, started);
}

Status StoreWalk::walk_all() {
  BLOOMERY_RETURN_IF_ERROR(start({}));
  while (!merge_->is_at_end()) {
    BLOOMERY_RETURN_IF_ERROR(walk_row());
  }
  return {};
}

// Moves each file to its first cell that is not before the row. Skipped cells are not counted.
Status StoreWalk::go_to(const std::string& row) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    WalkedFile& file = files_[i];
    HFileScanner scanner = hfile::ReaderAccess::reader_of(store_[i]->file).scan();
    const Result<bool> found = scanner.seek_before(first_on_row(row));
    if (!found) {
      return at(i, found.error());
    }
    file.has_row_before = *found;
    file.row_before = *found ? scanner.cell().key.row : std::string_view();
    file.block = *found ? 1 : 0;
    file.block_offset.reset();
  }
  return start(row);
}

// Walks kRowsPerStretch rows from each start. A start within the previous range is left out.
Status StoreWalk::walk_stretches(const std::vector<std::string>& starts) {
  std::string reached;
  for (const std::string& start : starts) {
    if (start < reached) {
      continue;
    }
    BLOOMERY_RETURN_IF_ERROR(go_to(start));
    for (std::uint64_t rows = 0; rows < kRowsPerStretch && !merge_->is_at_end(); ++rows) {
      BLOOMERY_RETURN_IF_ERROR(walk_row());
    }
    reached = row_;
  }
  return {};
}

StoreCounts StoreWalk::result() {
  for (WalkedFile& file : files_) {
    counts_.files.push_back(file.counts);
  }
  return std::move(counts_);
}

// Calls `see` with the row of each data block's key in the index. Errors: kCorruption if the blocks do not
// ascend, since a damaged index could lead to the same blocks for ever.
template <typename See>
Status each_block(const hfile::OpenFilePointer& file, const See& see) {
  hfile::IndexCursor index(file->index(), file->source());
  Result<bool> found = index.first();
  std::uint64_t behind = 0;
  for (; found && *found; found = index.next()) {
    const std::uint64_t offset = index.address().offset;
    if (offset < behind) {
      return Error::corruption("data block index", offset, "expected blocks that ascend, found one again")
          .in_file(file->path());
    }
    behind = offset + 1;
    if (const auto key = parse_flat_key(index.key())) {
      see(key->row);
    }
  }
  return found ? Status() : Status(found.error().in_file(file->path()));
}

// Returns the starts of the sampled ranges: rows of data blocks that are evenly spread over the store.
Result<std::vector<std::string>> spread_rows(const std::vector<hfile::OpenFilePointer>& files,
                                             std::uint64_t stretches, std::size_t& failed) {
  std::uint64_t blocks = 0;
  for (failed = 0; failed < files.size(); ++failed) {
    BLOOMERY_RETURN_IF_ERROR(each_block(files[failed], [&](std::string_view) { ++blocks; }));
  }
  const std::uint64_t step = std::max<std::uint64_t>(1, blocks / std::max<std::uint64_t>(1, stretches));
  std::vector<std::string> rows;
  std::uint64_t number = 0;
  for (failed = 0; failed < files.size(); ++failed) {
    BLOOMERY_RETURN_IF_ERROR(each_block(files[failed], [&](std::string_view row) {
      if (number++ % step == 0) {
        rows.emplace_back(row);
      }
    }));
  }
  std::ranges::sort(rows);
  return rows;
}

}  // namespace

Result<StoreCounts> walk_store(const std::vector<hfile::OpenFilePointer>& files, const WalkOptions& options,
                               std::size_t& failed) {
  StoreWalk walk(files, options, failed);
  if (options.sample_rows == 0) {
    BLOOMERY_RETURN_IF_ERROR(walk.walk_all());
    return walk.result();
  }
  BLOOMERY_ASSIGN_OR_RETURN(
      const std::vector<std::string> starts,
      spread_rows(files, (options.sample_rows + kRowsPerStretch - 1) / kRowsPerStretch, failed));
  BLOOMERY_RETURN_IF_ERROR(walk.walk_stretches(starts));
  StoreCounts counts = walk.result();
  counts.is_sample = true;
  return counts;
}

}  // namespace bloomery::table
