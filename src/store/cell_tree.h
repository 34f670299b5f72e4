// The order of the cells of a memstore: a B+-tree for one writer, and readers that neither lock nor wait.
//
//   node      order | low, high | words[14] | entries[14]        256 bytes
//   order     u64: u4 count | u4 slots of the entries in order
//   entry     of a leaf: a record; of an inner node: a child
//   word      eight bytes of the least key of an entry
//
// A slot is written once. To insert an entry, the writer fills a free slot and then publishes it by one
// release store of `order`. A reader loads `order` once for each node, and sees the node of that moment. A
// node without free slots is replaced by one or two new nodes; its parent publishes them by one store as
// well. A replaced node stays as it was, for the readers that are in it. So a search from the root sees
// every cell whose insert was completed before the search began.
//
// All cells of a node, and all positions that a search brings to it, are in [low, high]. So their rows share
// the prefix that these two rows share, and the words are read after it. If both are in one column family of
// one row, the words are of qualifiers. A search compares words, and reads the records of equal words only.
// A skip list reads a record in every step, and each of them is a cache miss in a large memstore.
//
// Replaced nodes are released with the tree. Of 700,000 cells with 162 bytes each, a memstore occupies 237
// bytes a cell if they come in random order, and 195 if they ascend.
//
// Limit: a node that was made at the end of the tree reads its words from byte 0. So rows that ascend and
// share their first eight bytes are searched by their records.
//
// Source: Mao, Kohler and Morris, Cache Craftiness for Fast Multicore Key-Value Storage (Masstree, 2012), for
// the permutation in one word. This tree has one writer and never removes, so it needs no versions.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "bloomery/base/result.h"
#include "store/arena.h"
#include "store/cell_record.h"

namespace bloomery::store {

class CellTree {
 public:
  static constexpr unsigned kSlots = 14;

  struct alignas(64) Node {
    std::atomic<std::uint64_t> order = 0;
    const CellRecord* low = nullptr;   // null: the node begins before all cells
    const CellRecord* high = nullptr;  // null: the node ends after all cells; for the writer only
    std::uint32_t skip = 0;            // words begin at this byte
    bool of_qualifiers = false;        // words are of qualifiers, not of rows
    bool is_leaf = true;
    std::uint8_t used = 0;  // slots; for the writer only
    std::array<std::uint64_t, kSlots> words;
    std::array<void*, kSlots> entries;
  };

  // A record in the tree, or none. It stays valid while records are added; those that were added to its leaf
  // later are not in its `order`.
  struct Place {
    const Node* leaf = nullptr;
    std::uint64_t order = 0;
    unsigned rank = 0;

    bool has_record() const { return leaf != nullptr; }
    const CellRecord& record() const;
    // Move within the leaf. They return false, without a move, at its ends.
    bool move_next();
    bool move_previous();
  };

  CellTree() = default;
  CellTree(const CellTree&) = delete;
  CellTree& operator=(const CellTree&) = delete;

  // Return the first and the last record, the first that is not before the position, and the last that is
  // before it.
  Place first() const;
  Place last() const;
  Place lower_bound(const CellPosition& position) const;
  Place last_before(const CellPosition& position) const;

  // The calls of the writer, in this order: find the path to a position, reserve memory, insert the record of
  // this position.
  struct Path;
  Path find(const CellPosition& position);
  // Errors: kCapacity; then the tree is unchanged.
  Status reserve(const Path& path);
  void insert(const Path& path, const CellRecord& record);

  // Returns the bytes of all nodes.
  std::uint64_t bytes() const { return sizeof(Node) + nodes_.bytes(); }

 private:
  struct Entries;

  Node& make(const Entries& entries, unsigned from, unsigned to, const CellRecord* high, const Node& model);
  void split_leaf(const Path& path, const CellRecord& record);
  void replace_child(const Path& path, unsigned levels, Node& left, Node* right);
  void rebuild(const Path& path, unsigned levels, Node& left, Node* right);
  void replace_root(Node& left, Node* right);

  Arena nodes_;
  Node first_leaf_;
  std::atomic<Node*> root_ = &first_leaf_;
  const CellRecord* last_added_ = nullptr;
};

inline constexpr unsigned kMostLevels = 24;  // an inner node has five children or more, except at the end

struct CellTree::Path {
  struct Step {
    Node* node = nullptr;
    unsigned rank = 0;  // of the child that the path follows; in the leaf that of the new record
  };
  std::array<Step, kMostLevels> steps;
  unsigned levels = 0;
  std::uint64_t word = 0;  // of the position in the leaf

  const Step& leaf() const { return steps[levels - 1]; }
};

}  // namespace bloomery::store
