// The index of an HFile's data blocks: a tree whose root is loaded when the file is opened.
//
//   root        (i64 offset | i32 bytes on disk | vint length, key)*   and with more than one level
//               i64 offset of the middle leaf | i32 its bytes on disk | i32 number of the entry in it
//   the others  i32 n | i32 starts[n + 1], from their end | (i64 offset | i32 bytes on disk | key)*
//
// Entries point at blocks of the level below; those of the last level at data blocks. The key of an entry is
// behind every cell before its block, and not behind any in it: a made-up one, mostly. The meta index has the
// root's form, with names for keys. Source: docs/formats/hfile.md.
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
  std::uint32_t middle_entry = 0;  // of that leaf
};

enum class MiddleLeaf { kAbsent, kPresent };

// The entries of a root's payload, exactly `count`; keys are views of it. Errors: kCorruption.
Result<RootIndex> parse_root_index(std::span<const std::byte> payload, std::uint32_t count, MiddleLeaf middle,
                                   std::uint64_t offset);

// The entries of a leaf or intermediate block, read where they lie.
class IndexBlockView {
 public:
  IndexBlockView() = default;
  // Errors: kCorruption.
  static Result<IndexBlockView> over(const Block& block);

  std::size_t size() const { return count_; }
  // Errors: kCorruption when the entry is damaged. Precondition: i < size().
  Result<IndexEntry> entry(std::size_t i) const;
  // The range outside which no key has the row; that of all entries where the rows are not known. They are found
  // out if `life` says that it pays, and only where all keys are sound and ascend.
  RowRange range_of(std::string_view row, BlockLife life) const;

 private:
  std::unique_ptr<const IndexRows> make_rows() const;

  const Block* block_ = nullptr;
  std::size_t count_ = 0;
  std::span<const std::byte> starts_;
  std::span<const std::byte> entries_;
};

// The index of one file: what is needed to walk it.
struct BlockIndex {
  RootIndex root;
  std::vector<CellKey> root_keys = {};  // parsed, of root.entries
  RowHeads<std::uint64_t> root_rows = {};
  std::uint32_t levels = 1;
  BlockKind data_kind = BlockKind::kData;

  // Errors: kCorruption.
  static Result<BlockIndex> make(RootIndex root, std::uint32_t levels, BlockKind data_kind,
                                 std::uint64_t offset);
};

// A position among the data blocks of a file.   Calls: (seek | first | last) (next | previous)*
class IndexCursor {
 public:
  // Both outlive it.
  IndexCursor(const BlockIndex& index, BlockSource& source, BlockLife life = BlockLife::kShort)
      : index_(&index), source_(&source), life_(life) {}

  // Goes to the last block whose key is not behind `key`: the only one that can hold it. False when there is
  // none: `key` is before the file. Errors, here and below: those of BlockSource::read().
  Result<bool> seek(const CellKey& key);
  Result<bool> first();
  Result<bool> last();
  // False at the end, where the position stays.
  Result<bool> next();
  Result<bool> previous();

  // The data block at the position, and its key in the index.
  BlockAddress address() const;
  std::string_view key() const { return entry_.key; }

 private:
  struct Level {
    BlockPointer block;
    IndexBlockView view;
    std::size_t at = 0;
  };

  Status load(std::size_t depth, const IndexEntry& entry);
  Result<IndexEntry> entry_at(std::size_t depth) const;
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
  std::vector<Level> levels_;  // below the root
  IndexEntry entry_;
};

}  // namespace bloomery::hfile
