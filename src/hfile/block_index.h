// The index of an HFile's data blocks: a tree whose root is loaded when the file is opened.
//
//   root:      (i64 offset | i32 bytes on disk | vint length | key)*
//              and, if there is more than one level, the middle of the file:
//              i64 offset of the middle leaf | i32 its bytes on disk | i32 number of the middle entry in it
//   others:    i32 n | i32 start[n + 1] | (i64 offset | i32 bytes on disk | key)*
//              a start counts from the end of the starts array; start[n] is the end of the last entry
//
//   root -> intermediate block -> ... -> leaf block -> data block      1 to 16 levels, including the root
//
// An entry of the lowest level points at a data block, any other at a block of the next level. The key of an
// entry sorts after every cell before its block, and not after any cell in it. Most such keys are separators
// (separator_key.h), not keys of cells.
//
// The meta index has the format of a root, with the names of meta blocks as keys.
//
// Source: HBase's HFileBlockIndex; docs/formats/hfile.md. index_writer.h writes the index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "hfile/block.h"
#include "hfile/block_header.h"
#include "hfile/block_source.h"
#include "hfile/row_heads.h"

namespace bloomery::hfile {

struct IndexEntry {
  std::uint64_t offset = 0;
  std::uint32_t on_disk_bytes = 0;
  std::string_view key = {};
};

struct RootIndex {
  std::vector<IndexEntry> entries = {};
  std::optional<IndexEntry> middle_leaf = {};
  std::uint32_t middle_entry = 0;  // the number of the middle entry in that leaf
};

enum class MiddleLeaf { kAbsent, kPresent };

// Parses exactly `count` entries of a root's payload; keys are views of it. Errors: kCorruption.
Result<RootIndex> parse_root_index(std::span<const std::byte> payload, std::uint32_t count, MiddleLeaf middle,
                                   std::uint64_t offset);

// The entries of a leaf or intermediate block, read in place.
class IndexBlockView {
 public:
  IndexBlockView() = default;
  // Errors: kCorruption.
  static Result<IndexBlockView> over(const Block& block);

  std::size_t size() const { return count_; }
  // Errors: kCorruption when the entry is damaged. Precondition: i < size().
  Result<IndexEntry> entry(std::size_t i) const;
  // Returns entry i without its key. If the rows are known, this reads one cache line, and prefetches the
  // block that it points at if note_place() recorded its address. Errors: kCorruption when the entry is
  // damaged. Precondition: i < size().
  Result<IndexEntry> target(std::size_t i) const;
  // Records the address in memory of the block that entry i points at, if the rows are known. Precondition: i
  // < size().
  void note_place(std::size_t i, const Block& block) const;
  // Returns the range of entries outside which no key has the row. It is the range of all entries if the rows
  // are not known. The rows are built on first use if `life` is kKept and all keys are valid and ascend.
  // While another thread builds them, they are not known.
  RowRange range_of(std::string_view row, BlockLife life) const;

 private:
  std::optional<IndexRows> make_rows() const;

  const Block* block_ = nullptr;
  std::size_t count_ = 0;
  std::span<const std::byte> starts_;
  std::span<const std::byte> entries_;
};

// The index of one file, with the parts of it that a cursor needs in memory.
struct BlockIndex {
  RootIndex root;
  std::vector<CellKey> root_keys = {};  // the parsed keys of root.entries
  RowHeads<std::uint64_t> root_rows = {};
  std::uint32_t levels = 1;
  BlockKind data_kind = BlockKind::kData;
  RowOrder row_order = RowOrder::kBytes;  // root_rows is empty in another order

  // Errors: kCorruption.
  static Result<BlockIndex> make(RootIndex root, std::uint32_t levels, BlockKind data_kind,
                                 std::uint64_t offset, RowOrder row_order = RowOrder::kBytes);
};

// The cells from `first` on and before `end`. A missing key means no bound.
struct KeySpan {
  std::optional<FlatKey> first = {};
  std::optional<FlatKey> end = {};
};

// A position among the data blocks of a file.   Calls: (seek | first | last) (next | previous)*
//
// The cursor holds one block of each level below the root: the path from the root to its position.
class IndexCursor {
 public:
  // `index` and `source` must outlive the cursor.
  IndexCursor(const BlockIndex& index, BlockSource& source, BlockLife life = BlockLife::kShort)
      : index_(&index), source_(&source), life_(life) {}

  // Moves to the last block whose key is not after `key`, the only one that can hold it. Returns false if
  // `key` is before the file. Errors of all moves: kCorruption, kIo, kUnsupported, kCapacity.
  Result<bool> seek(const CellKey& key);
  Result<bool> first();
  Result<bool> last();
  // Returns false at the end of the file (next) or its start (previous). The position then does not change.
  Result<bool> next();
  Result<bool> previous();

  // Returns true if next() has to read blocks of the index, unless it finds the end.
  bool is_at_end_of_block() const {
    return index_->levels > 1 && levels_.back().at + 1 >= levels_.back().view.size();
  }
  // Returns true if next() is certain to move past all cells of the row. Reads no block.
  bool is_next_behind(std::string_view row) const;

  // Returns the address of the data block at the position; key() returns its key in the index.
  BlockAddress address() const;
  // Records the address in memory of the data block at the position, so that the next seek to it prefetches
  // it.
  void note_block(const Block& block) const {
    if (depth_ > 0) {
      levels_[depth_ - 1].view.note_place(levels_[depth_ - 1].at, block);
    }
  }
  std::string_view key() const {
    const Result<IndexEntry> entry = has_entry_ ? entry_at(depth_) : Result<IndexEntry>(IndexEntry());
    return entry ? entry->key : std::string_view();
  }
  // Returns keys that bound all cells below the entry at the position, or, after an error, below the entry
  // that could not be followed. The span may be wider, never narrower.
  KeySpan span() const;

 private:
  struct Level {
    BlockPointer block;
    IndexBlockView view;
    std::size_t at = 0;
  };

  Status load(std::size_t depth, const IndexEntry& entry);
  Result<IndexEntry> entry_at(std::size_t depth) const;
  Status take_entry(std::size_t depth);
  Result<std::size_t> find_in(const Level& level, const CellKey& key) const;
  std::size_t size_at(std::size_t depth) const;
  std::size_t& at(std::size_t depth) { return depth == 0 ? root_at_ : levels_[depth - 1].at; }
  enum class Edge { kFirst, kLast };
  Status descend(std::size_t depth, Edge edge);
  Result<bool> step(Edge edge);

  const BlockIndex* index_;
  BlockSource* source_;
  BlockLife life_;
  std::size_t root_at_ = 0;
  std::vector<Level> levels_;  // the levels below the root
  IndexEntry entry_;           // without its key
  std::size_t depth_ = 0;      // the level of entry_
  bool has_entry_ = false;     // false: the position is damaged or not set yet
};

}  // namespace bloomery::hfile
