#include "table/store_walk.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hfile/key_text.h"
#include "table/store_file_cursor.h"

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
  explicit WalkedFile(const hfile::OpenFilePointer& file)
      : cursor(file), kind(bloom_kind_of(file->bloom_type())), own_prefix_bytes(file->bloom_prefix_bytes()) {}

  bool is_on(std::string_view row) const { return !cursor.is_at_end() && cursor.key().row == row; }
  bool is_on(std::string_view row, const Column& column) const {
    return is_on(row) && column_of(cursor.key()) == column;
  }
  // Returns true if a neighbouring row of the file, before or after `row`, has the same prefix.
  bool shares_prefix(std::string_view row, std::size_t prefix_bytes) const {
    const std::string_view prefix = hbase::row_prefix(row, prefix_bytes);
    return (has_row_before && hbase::row_prefix(row_before, prefix_bytes) == prefix) ||
           (!cursor.is_at_end() && hbase::row_prefix(cursor.key().row, prefix_bytes) == prefix);
  }
  // Returns the number of blocks that a get of a column reads: the blocks that are read to find the row, and
  // the blocks from `first` to `last` that are not among them.
  std::uint64_t blocks_to(std::uint64_t first, std::uint64_t last) const {
    const std::uint64_t more = std::max(first, row_last_block + 1);
    return row_last_block - row_first_block + 1 + (last >= more ? last - more + 1 : 0);
  }

  StoreFileCursor cursor;
  BloomKind kind;
  std::size_t own_prefix_bytes;
  FileCounts counts = {};
  bool has_row_before = false;
  std::string row_before = {};
  bool has_row = false;
  bool is_in_range = false;
  bool has_no_qualifier = false;      // in this row, so a ROWCOL filter answers maybe
  std::uint64_t row_first_block = 0;  // first and last block that is read to find the row
  std::uint64_t row_last_block = 0;
};

// The merge. These functions run for each row in turn:
//
//   begin_row()    (walk_column() for each column of the row)    end_row()    ask_absent_row()
//
// Invariant: between these calls, each file's cursor is at the file's first cell that is not before the
// position of the merge. This position is row_, family_ and qualifier_.
class StoreWalk {
 public:
  StoreWalk(const std::vector<hfile::OpenFilePointer>& files, const WalkOptions& options, std::size_t& failed)
      : options_(options), failed_(failed) {
    files_.reserve(files.size());
    for (const hfile::OpenFilePointer& file : files) {
      files_.emplace_back(file);
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
  bool find_row();
  bool find_column();
  void begin_row();
  Status walk_column();
  Status pass_column(std::size_t file);
  void ask_absent_column();
  void end_row();
  void ask_absent_row();
  Status walk_row();
  Status go_to(std::string_view row);
  void count(GetKind get, WalkedFile& file, std::string_view row, bool has_row, bool has_column,
             std::uint64_t blocks) const;

  WalkOptions options_;
  std::size_t& failed_;
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

// Sets row_ to the least remaining row. Returns false at the end of the store.
bool StoreWalk::find_row() {
  const WalkedFile* least = nullptr;
  for (const WalkedFile& file : files_) {
    if (!file.cursor.is_at_end() && (least == nullptr || file.cursor.key().row < least->cursor.key().row)) {
      least = &file;
    }
  }
  if (least == nullptr) {
    return false;
  }
  row_ = least->cursor.key().row;
  return true;
}

// Sets family_ and qualifier_ to the least remaining column of the row. Returns false at the end of the row.
bool StoreWalk::find_column() {
  const WalkedFile* least = nullptr;
  for (const WalkedFile& file : files_) {
    if (file.is_on(row_) &&
        (least == nullptr || column_of(file.cursor.key()) < column_of(least->cursor.key()))) {
      least = &file;
    }
  }
  if (least == nullptr) {
    return false;
  }
  family_ = least->cursor.key().family;
  qualifier_ = least->cursor.key().qualifier;
  return true;
}

// Counts the row, and records for each file the blocks that a get reads to find it.
void StoreWalk::begin_row() {
  std::size_t holders = 0;
  for (WalkedFile& file : files_) {
    file.has_row = file.is_on(row_);
    file.is_in_range = !file.cursor.is_at_end() && (file.has_row_before || file.has_row);
    file.has_no_qualifier = false;
    file.row_first_block = file.cursor.landing(first_on_row(row_));
    file.row_last_block = file.cursor.block();
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

// Moves one of the files over the versions of the column.
Status StoreWalk::pass_column(std::size_t i) {
  WalkedFile& file = files_[i];
  while (file.is_on(row_, {family_, qualifier_})) {
    ++file.counts.cells;
    BLOOMERY_RETURN_IF_ERROR(at(i, file.cursor.next()));
  }
  if (file.cursor.is_at_end() || file.cursor.key().row > row_ ||
      (file.cursor.key().row == row_ && column_of(file.cursor.key()) > Column(family_, qualifier_))) {
    return {};
  }
  return at(i, Error(ErrorCode::kCorruption, file.cursor.file().path(),
                     "expected cells in order, found some behind (" +
                         hfile::show_column(row_, family_, qualifier_) +
                         ") that belong before: `bloomery hfile verify` says which"));
}

// Counts the get of the present column (row_, family_, qualifier_) in all files, moves past it, and counts
// the get of the absent column after it.
Status StoreWalk::walk_column() {
  std::size_t holders = 0;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    WalkedFile& file = files_[i];
    if (!file.is_in_range) {
      continue;
    }
    const bool has_column = file.is_on(row_, {family_, qualifier_});
    const std::uint64_t first =
        file.has_row ? file.cursor.landing(first_on_column(row_, family_, qualifier_)) : file.row_first_block;
    if (has_column) {
      ++holders;
      ++file.counts.columns;
      BLOOMERY_RETURN_IF_ERROR(pass_column(i));
    }
    const std::uint64_t last = file.cursor.block();
    if (has_column && qualifier_.empty()) {  // every get of a column of the row reads past it
      file.has_no_qualifier = true;
      file.row_last_block = last;
    }
    count(GetKind::kPresentCell, file, row_, file.has_row, has_column || file.has_no_qualifier,
          file.blocks_to(first, last));
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
      const std::uint64_t first = file.has_row
                                      ? file.cursor.landing(first_on_column(row_, family_, qualifier_))
                                      : file.row_first_block;
      count(GetKind::kAbsentColumn, file, row_, file.has_row, file.has_no_qualifier,
            file.blocks_to(first, file.cursor.block()));
    }
  }
}

// Counts the get of the entire row.
void StoreWalk::end_row() {
  ++counts_.gets[static_cast<std::size_t>(GetKind::kWholeRow)];
  for (WalkedFile& file : files_) {
    if (file.is_in_range) {
      count(GetKind::kWholeRow, file, row_, file.has_row, false,
            file.cursor.block() - file.row_first_block + 1);
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
  const auto is_behind = [&](const WalkedFile& file) {
    return !file.cursor.is_at_end() && file.cursor.key().row > row_;
  };
  if (row_.size() > kLongestRow || std::ranges::none_of(files_, is_behind) ||
      std::ranges::any_of(files_, [&](const WalkedFile& file) { return file.is_on(row_); })) {
    return;
  }
  ++counts_.gets[static_cast<std::size_t>(GetKind::kAbsentRow)];
  ++counts_.gets[static_cast<std::size_t>(GetKind::kColumnOfAbsentRow)];
  for (WalkedFile& file : files_) {
    if (file.has_row_before && !file.cursor.is_at_end()) {
      const std::uint64_t blocks = file.cursor.block() - file.cursor.landing(first_on_row(row_)) + 1;
      count(GetKind::kAbsentRow, file, row_, false, false, blocks);
      count(GetKind::kColumnOfAbsentRow, file, row_, false, false, blocks);
    }
  }
}

// Precondition: find_row() returned true.
Status StoreWalk::walk_row() {
  begin_row();
  while (find_column()) {
    BLOOMERY_RETURN_IF_ERROR(walk_column());
  }
  end_row();
  ask_absent_row();
  return {};
}

Status StoreWalk::walk_all() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    BLOOMERY_RETURN_IF_ERROR(at(i, files_[i].cursor.to_first()));
  }
  while (find_row()) {
    BLOOMERY_RETURN_IF_ERROR(walk_row());
  }
  return {};
}

// Moves each file to its first cell that is not before the row. Skipped cells are not counted.
Status StoreWalk::go_to(std::string_view row) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    WalkedFile& file = files_[i];
    BLOOMERY_RETURN_IF_ERROR(at(i, file.cursor.to_block_of(row)));
    file.row_before.clear();
    file.has_row_before = file.cursor.block() > 1;  // true if the file begins before the row
    while (!file.cursor.is_at_end() && file.cursor.key().row < row) {
      file.row_before = file.cursor.key().row;
      file.has_row_before = true;
      BLOOMERY_RETURN_IF_ERROR(at(i, file.cursor.next()));
    }
  }
  return {};
}

// Walks kRowsPerStretch rows from each start. A start within the previous range is left out.
Status StoreWalk::walk_stretches(const std::vector<std::string>& starts) {
  std::string reached;
  for (const std::string& start : starts) {
    if (start < reached) {
      continue;
    }
    BLOOMERY_RETURN_IF_ERROR(go_to(start));
    for (std::uint64_t rows = 0; rows < kRowsPerStretch && find_row(); ++rows) {
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
