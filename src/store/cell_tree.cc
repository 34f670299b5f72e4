#include "store/cell_tree.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/endian.h"
#include "base/prefetch.h"

namespace bloomery::store {
namespace {

using Node = CellTree::Node;

constexpr unsigned kSlots = CellTree::kSlots;
constexpr unsigned kOrderBits = 4;  // of a count and of a slot

// The order of a node: its count, and the slots of its entries by rank.
unsigned count_of(std::uint64_t order) {
  return static_cast<unsigned>(order & 15);
}
constexpr unsigned shift_of(unsigned rank) {
  return kOrderBits * (rank + 1);
}
unsigned slot_at(std::uint64_t order, unsigned rank) {
  return static_cast<unsigned>(order >> shift_of(rank) & 15);
}
std::uint64_t with_slot(std::uint64_t order, unsigned rank, unsigned slot) {
  const std::uint64_t mask = std::uint64_t{15} << shift_of(rank);
  return (order & ~mask) | std::uint64_t{slot} << shift_of(rank);
}
// Returns the order with one more entry, and the ranks from `rank` on moved up.
std::uint64_t with_new_slot(std::uint64_t order, unsigned rank, unsigned slot) {
  const unsigned shift = shift_of(rank);
  const std::uint64_t lower = order & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t upper = (order >> shift) << shift;
  return (lower | upper << kOrderBits | std::uint64_t{slot} << shift) + 1;
}
// Returns the order in which entry i is in slot i.
std::uint64_t ascending_order(unsigned count) {
  constexpr std::uint64_t kAll = 0x00dc'ba98'7654'3210 << kOrderBits;
  return (kAll & ((std::uint64_t{1} << shift_of(count)) - 1)) | count;
}

std::uint64_t word_at(std::string_view text, std::size_t skip) {
  const std::string_view rest = text.substr(std::min(skip, text.size()));
  if (rest.size() >= sizeof(std::uint64_t)) {
    return load_big<std::uint64_t>(reinterpret_cast<const std::byte*>(rest.data()));
  }
  std::array<std::byte, sizeof(std::uint64_t)> padded = {};
  std::memcpy(padded.data(), rest.data(), rest.size());
  return load_big<std::uint64_t>(padded.data());
}
std::uint64_t word_of(const Node& node, const CellKey& key) {
  return word_at(node.of_qualifiers ? key.qualifier : key.row, node.skip);
}

std::uint32_t common_prefix(std::string_view a, std::string_view b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::uint32_t>(differ.first - a.begin());
}

// Chooses where the words of [low, high] begin.
void choose_words(Node& node) {
  if (node.low == nullptr || node.high == nullptr) {
    return;
  }
  const CellKey low = node.low->key();
  const CellKey high = node.high->key();
  node.of_qualifiers = low.row == high.row && low.family == high.family;
  node.skip =
      node.of_qualifiers ? common_prefix(low.qualifier, high.qualifier) : common_prefix(low.row, high.row);
}

Node* child_at(const Node& node, std::uint64_t order, unsigned rank) {
  return static_cast<Node*>(node.entries[slot_at(order, rank)]);
}

const CellRecord* least_of(const void* entry, bool is_record) {
  return is_record ? static_cast<const CellRecord*>(entry) : static_cast<const Node*>(entry)->low;
}

// Returns the first rank, not below `rank`, of an entry that is not before the position.
unsigned rank_from(unsigned rank, const Node& node, std::uint64_t order, std::uint64_t word,
                   const CellPosition& position) {
  const unsigned count = count_of(order);
  unsigned smaller = 0;  // counted without a branch, because none could be predicted
  for (unsigned i = rank; i < count; ++i) {
    smaller += node.words[slot_at(order, i)] < word ? 1U : 0U;
  }
  rank += smaller;
  unsigned end = rank;
  while (end < count && node.words[slot_at(order, end)] == word) {
    ++end;
  }
  while (rank < end) {
    const unsigned middle = (rank + end) / 2;
    const void* const entry = node.entries[slot_at(order, middle)];
    if (is_before(*least_of(entry, node.is_leaf), position)) {
      rank = middle + 1;
    } else {
      end = middle;
    }
  }
  return rank;
}

// Returns the rank of the child whose range has the position: the last one with a lower bound before it.
unsigned child_rank(const Node& node, std::uint64_t order, const CellPosition& position) {
  return rank_from(1, node, order, word_of(node, position.key), position) - 1;
}

void prefetch(const Node& node) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&node);
  for (std::size_t line = 0; line < sizeof(Node); line += 64) {
    prefetch_to_read(bytes + line);
  }
}

CellTree::Place leftmost(const Node* node) {
  while (true) {
    const std::uint64_t order = node->order.load(std::memory_order_acquire);
    if (node->is_leaf) {
      return count_of(order) == 0 ? CellTree::Place() : CellTree::Place{node, order, 0};
    }
    node = child_at(*node, order, 0);
  }
}

void publish(Node& node, std::uint64_t order) {
  node.order.store(order, std::memory_order_release);
}

std::uint8_t fill_slot(Node& node, std::uint64_t word, void* entry) {
  node.words[node.used] = word;
  node.entries[node.used] = entry;
  return node.used++;
}

void* entry_of(const CellRecord& record) {
  return const_cast<CellRecord*>(&record);  // NOLINT(cppcoreguidelines-pro-type-const-cast): read as const
}

}  // namespace

// The entries of a node that is replaced, with those of the replacement.
struct CellTree::Entries {
  std::array<void*, kSlots + 2> entries;
  std::array<std::uint64_t, kSlots + 2> words;
  unsigned count = 0;

  explicit Entries(const Node& node) {
    const std::uint64_t order = node.order.load(std::memory_order_relaxed);
    for (; count < count_of(order); ++count) {
      entries[count] = node.entries[slot_at(order, count)];
      words[count] = node.words[slot_at(order, count)];
    }
  }
  void insert(unsigned rank, std::uint64_t word, void* entry) {
    std::copy_backward(entries.begin() + rank, entries.begin() + count, entries.begin() + count + 1);
    std::copy_backward(words.begin() + rank, words.begin() + count, words.begin() + count + 1);
    entries[rank] = entry;
    words[rank] = word;
    ++count;
  }
};

const CellRecord& CellTree::Place::record() const {
  return *static_cast<const CellRecord*>(leaf->entries[slot_at(order, rank)]);
}

bool CellTree::Place::move_next() {
  if (rank + 1 == count_of(order)) {
    return false;
  }
  ++rank;
  return true;
}

bool CellTree::Place::move_previous() {
  if (rank == 0) {
    return false;
  }
  --rank;
  return true;
}

CellTree::Place CellTree::first() const {
  return leftmost(root_.load(std::memory_order_acquire));
}

CellTree::Place CellTree::last() const {
  const Node* node = root_.load(std::memory_order_acquire);
  while (true) {
    const std::uint64_t order = node->order.load(std::memory_order_acquire);
    if (count_of(order) == 0) {
      return {};
    }
    if (node->is_leaf) {
      return {node, order, count_of(order) - 1};
    }
    node = child_at(*node, order, count_of(order) - 1);
  }
}

// If no record of the leaf qualifies, the first record of the next subtree does: the search has the position
// in a subtree whose successor begins at or after it.
CellTree::Place CellTree::lower_bound(const CellPosition& position) const {
  const Node* node = root_.load(std::memory_order_acquire);
  const Node* next = nullptr;
  while (true) {
    prefetch(*node);
    const std::uint64_t order = node->order.load(std::memory_order_acquire);
    if (node->is_leaf) {
      const unsigned rank = rank_from(0, *node, order, word_of(*node, position.key), position);
      if (rank < count_of(order)) {
        return {node, order, rank};
      }
      return next == nullptr ? Place() : leftmost(next);
    }
    const unsigned rank = child_rank(*node, order, position);
    if (rank + 1 < count_of(order)) {
      next = child_at(*node, order, rank + 1);
    }
    node = child_at(*node, order, rank);
  }
}

// The leaf of the search has the record that is its lower bound, which is before the position. So only the
// first leaf of the tree can be without such a record.
CellTree::Place CellTree::last_before(const CellPosition& position) const {
  const Node* node = root_.load(std::memory_order_acquire);
  while (true) {
    prefetch(*node);
    const std::uint64_t order = node->order.load(std::memory_order_acquire);
    if (node->is_leaf) {
      const unsigned rank = rank_from(0, *node, order, word_of(*node, position.key), position);
      return rank == 0 ? Place() : Place{node, order, rank - 1};
    }
    node = child_at(*node, order, child_rank(*node, order, position));
  }
}

CellTree::Path CellTree::find(const CellPosition& position) {
  Path path;
  Node* node = root_.load(std::memory_order_relaxed);
  while (true) {
    prefetch(*node);
    const std::uint64_t order = node->order.load(std::memory_order_relaxed);
    Path::Step& step = path.steps[path.levels++];
    step.node = node;
    if (node->is_leaf) {
      path.word = word_of(*node, position.key);
      step.rank = rank_from(0, *node, order, path.word, position);
      return path;
    }
    step.rank = child_rank(*node, order, position);
    node = child_at(*node, order, step.rank);
  }
}

// An insert makes at most two nodes on each level, and a root.
Status CellTree::reserve(const Path& path) {
  return path.leaf().node->used < kSlots ? Status() : nodes_.reserve((2 * path.levels + 1) * sizeof(Node));
}

void CellTree::insert(const Path& path, const CellRecord& record) {
  Node& leaf = *path.leaf().node;
  if (leaf.used == kSlots) {
    split_leaf(path, record);
  } else {
    const std::uint64_t order = leaf.order.load(std::memory_order_relaxed);
    publish(leaf, with_new_slot(order, path.leaf().rank, fill_slot(leaf, path.word, entry_of(record))));
  }
  last_added_ = &record;
}

// Makes a node of a part of the entries. The node reads its words where the model does, unless its narrower
// range allows to read them at least three bytes later: then equal words are rarer.
Node& CellTree::make(const Entries& entries, unsigned from, unsigned to, const CellRecord* high,
                     const Node& model) {
  constexpr std::uint32_t kWorthIt = 3;
  Node& node = *new (nodes_.take(sizeof(Node))) Node;
  node.is_leaf = model.is_leaf;
  node.low = from == 0 ? model.low : least_of(entries.entries[from], node.is_leaf);
  node.high = high;
  choose_words(node);
  const bool keeps = node.of_qualifiers == model.of_qualifiers && node.skip < model.skip + kWorthIt;
  if (keeps) {
    node.skip = model.skip;
  }
  for (unsigned i = from; i < to; ++i) {
    const CellRecord* const least = least_of(entries.entries[i], node.is_leaf);
    const bool has_word = keeps || least == nullptr;
    fill_slot(node, has_word ? entries.words[i] : word_of(node, least->key()), entries.entries[i]);
  }
  publish(node, ascending_order(to - from));
  return node;
}

// Cells that are added in their order fill their leaves.
void CellTree::split_leaf(const Path& path, const CellRecord& record) {
  Node& leaf = *path.leaf().node;
  const unsigned rank = path.leaf().rank;
  Entries entries(leaf);
  const bool follows_last =
      rank == kSlots && (leaf.high == nullptr || entries.entries[kSlots - 1] == last_added_);
  entries.insert(rank, path.word, entry_of(record));
  const unsigned cut = follows_last ? kSlots : entries.count / 2;
  Node& right = make(entries, cut, entries.count, leaf.high, leaf);
  if (follows_last) {
    leaf.high = right.low;
    replace_child(path, path.levels - 1, leaf, &right);
  } else {
    replace_child(path, path.levels - 1, make(entries, 0, cut, right.low, leaf), &right);
  }
}

// Puts `left` in the place of the child that the path follows on the last of `levels`, and `right` after it.
// `left` may be that child itself.
void CellTree::replace_child(const Path& path, unsigned levels, Node& left, Node* right) {
  if (levels == 0) {
    return replace_root(left, right);
  }
  Node& node = *path.steps[levels - 1].node;
  const unsigned rank = path.steps[levels - 1].rank;
  std::uint64_t order = node.order.load(std::memory_order_relaxed);
  const unsigned slot = slot_at(order, rank);
  const bool keeps = node.entries[slot] == &left;
  if (node.used + (keeps ? 0u : 1u) + (right == nullptr ? 0u : 1u) > kSlots) {
    return rebuild(path, levels, left, right);
  }
  if (!keeps) {
    order = with_slot(order, rank, fill_slot(node, node.words[slot], &left));
  }
  if (right != nullptr) {
    order = with_new_slot(order, rank + 1, fill_slot(node, word_of(node, right->low->key()), right));
  }
  publish(node, order);
}

// Replaces an inner node without enough free slots.
void CellTree::rebuild(const Path& path, unsigned levels, Node& left, Node* right) {
  constexpr unsigned kMostOfOne = 9;  // so that a new node has slots for two splits
  Node& node = *path.steps[levels - 1].node;
  const unsigned rank = path.steps[levels - 1].rank;
  Entries entries(node);
  const bool keeps = entries.entries[rank] == &left;
  entries.entries[rank] = &left;
  if (right != nullptr) {
    entries.insert(rank + 1, word_of(node, right->low->key()), right);
  }
  if (keeps && node.high == nullptr && rank + 2 == entries.count) {
    Node& last = make(entries, rank + 1, entries.count, nullptr, node);
    node.high = last.low;
    return replace_child(path, levels - 1, node, &last);
  }
  if (entries.count <= kMostOfOne) {
    return replace_child(path, levels - 1, make(entries, 0, entries.count, node.high, node), nullptr);
  }
  const unsigned cut = entries.count / 2;
  Node& upper = make(entries, cut, entries.count, node.high, node);
  replace_child(path, levels - 1, make(entries, 0, cut, upper.low, node), &upper);
}

void CellTree::replace_root(Node& left, Node* right) {
  Node* root = &left;
  if (right != nullptr) {
    root = new (nodes_.take(sizeof(Node))) Node;
    root->is_leaf = false;
    fill_slot(*root, 0, &left);
    fill_slot(*root, word_of(*root, right->low->key()), right);
    publish(*root, ascending_order(2));
  }
  root_.store(root, std::memory_order_release);
}

}  // namespace bloomery::store
