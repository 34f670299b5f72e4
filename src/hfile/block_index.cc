#include "hfile/block_index.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "base/endian.h"
#include "base/hadoop_vlong.h"
#include "base/memory.h"
#include "hfile/flat_key.h"

namespace bloomery::hfile {
namespace {

constexpr std::size_t kAddressBytes = 12;
constexpr std::size_t kMiddleBytes = 16;
constexpr const char* kRoot = "root index block";

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

IndexEntry address_of(std::span<const std::byte> bytes) {
  return {.offset = load_big64(bytes.data()), .on_disk_bytes = load_big32(bytes.data() + 8)};
}

// Parses the entries one after the other. The trailer has their number.
Result<RootIndex> parse_entries(std::span<const std::byte> payload, std::uint32_t count,
                                std::uint64_t offset) {
  RootIndex root;
  if (count > payload.size() / (kAddressBytes + 1)) {
    return Error::corruption(kRoot, offset, std::to_string(count) + " entries",
                             std::to_string(payload.size()) + " bytes");
  }
  root.entries.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto size =
        payload.size() < kAddressBytes ? std::nullopt : read_hadoop_vlong(payload.subspan(kAddressBytes));
    if (!size || size->value < 0 ||
        static_cast<std::uint64_t>(size->value) > payload.size() - kAddressBytes - size->size_bytes) {
      return Error::corruption(
          kRoot, offset,
          "the entry " + std::to_string(i) + " of " + std::to_string(count) + " within the block", "its end");
    }
    IndexEntry entry = address_of(payload);
    payload = payload.subspan(kAddressBytes + size->size_bytes);
    entry.key = text_of(payload.first(static_cast<std::size_t>(size->value)));
    payload = payload.subspan(entry.key.size());
    root.entries.push_back(entry);
  }
  if (!payload.empty()) {
    return Error::corruption(kRoot, offset, "the end behind " + std::to_string(count) + " entries",
                             std::to_string(payload.size()) + " more bytes");
  }
  return root;
}

}  // namespace

Result<RootIndex> parse_root_index(std::span<const std::byte> payload, std::uint32_t count, MiddleLeaf middle,
                                   std::uint64_t offset) {
  if (middle == MiddleLeaf::kAbsent) {
    return parse_entries(payload, count, offset);
  }
  if (payload.size() < kMiddleBytes) {
    return Error::corruption(kRoot, offset, "the middle leaf behind the entries", "the end");
  }
  BLOOMERY_ASSIGN_OR_RETURN(RootIndex root,
                            parse_entries(payload.first(payload.size() - kMiddleBytes), count, offset));
  root.middle_leaf = address_of(payload.last(kMiddleBytes));
  root.middle_entry = load_big32(payload.data() + payload.size() - 4);
  return root;
}

// Checks that the starts fit into the block. An entry is checked when it is read.
Result<IndexBlockView> IndexBlockView::over(const Block& block) {
  const std::span<const std::byte> payload = block.payload();
  const std::uint64_t count = payload.size() < 4 ? 0 : load_big32(payload.data());
  if (count == 0 || 4 * (count + 2) > payload.size()) {
    return Error::corruption(
        block_kind_name(block.kind()), block.offset(),
        "an entry at least and as many as " + std::to_string(payload.size()) + " bytes hold", count);
  }
  IndexBlockView view;
  view.block_ = &block;
  view.count_ = static_cast<std::size_t>(count);
  view.starts_ = payload.subspan(4, 4 * (view.count_ + 1));
  view.entries_ = payload.subspan(4 + view.starts_.size());
  return view;
}

Result<IndexEntry> IndexBlockView::entry(std::size_t i) const {
  assert(i < count_);
  const std::uint64_t begin = load_big32(starts_.data() + 4 * i);
  const std::uint64_t end = load_big32(starts_.data() + 4 * i + 4);
  if (end > entries_.size() || begin > end || end - begin < kAddressBytes) {
    return Error::corruption(
        block_kind_name(block_->kind()), block_->offset(),
        "the entry " + std::to_string(i) + " within " + std::to_string(entries_.size()) + " bytes",
        "it from " + std::to_string(begin) + " to " + std::to_string(end));
  }
  const auto bytes = entries_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  IndexEntry entry = address_of(bytes);
  entry.key = text_of(bytes.subspan(kAddressBytes));
  return entry;
}

Result<IndexEntry> IndexBlockView::target(std::size_t i) const {
  const IndexRows* const rows = block_->index_rows().get();
  if (rows == nullptr) {
    return entry(i);
  }
  // Without a recorded address nothing is prefetched: a prefetch of an unmapped page costs a page walk each
  // time.
  if (const void* const place = rows->noted_place(i)) {
    Block::prefetch_at(place);
  }
  const IndexRows::Target target = rows->target(i);
  return IndexEntry{.offset = target.offset, .on_disk_bytes = target.on_disk_bytes};
}

void IndexBlockView::note_place(std::size_t i, const Block& block) const {
  if (const IndexRows* const rows = block_->index_rows().get()) {
    rows->note_place(i, &block);
  }
}

// Builds the rows and targets of all entries. Returns nothing if an entry is damaged, the keys do not ascend,
// or the file's memory budget is used up.
std::optional<IndexRows> IndexBlockView::make_rows() const {
  CellKey first;
  CellKey before;
  for (std::size_t i = 0; i < count_; ++i) {
    const Result<IndexEntry> found = entry(i);
    CellKey key;
    if (!found || !read_flat_key(found->key, key) || (i > 0 && key < before)) {
      return std::nullopt;
    }
    first = i == 0 ? key : first;
    before = key;
  }
  const std::string_view shared = common_front(first.row, before.row);
  MemoryShare memory(block_->memory());
  const std::size_t needed = IndexRows::bytes_for(count_, shared.size());
  if (needed > block_->room_bytes() && !memory.try_add(needed)) {
    return std::nullopt;
  }
  const auto row_at = [&](std::size_t i) {
    CellKey key;
    (void)read_flat_key(entry(i)->key, key);
    return key.row;
  };
  const auto target_at = [&](std::size_t i) {
    const IndexEntry found = *entry(i);
    return IndexRows::Target{.offset = found.offset, .on_disk_bytes = found.on_disk_bytes};
  };
  return IndexRows(count_, shared, row_at, target_at, block_->room_of<std::uint64_t>(), std::move(memory));
}

RowRange IndexBlockView::range_of(std::string_view row, BlockLife life) const {
  const IndexRows* const rows = life == BlockLife::kKept
                                    ? block_->index_rows().get_or([&] { return make_rows(); })
                                    : block_->index_rows().get();
  return rows == nullptr ? RowRange{0, count_} : rows->range_of(row);
}

// Parses all keys of the root, so that a seek need not check them.
Result<BlockIndex> BlockIndex::make(RootIndex root, std::uint32_t levels, BlockKind data_kind,
                                    std::uint64_t offset, RowOrder row_order) {
  BlockIndex index{.root = std::move(root), .levels = levels, .data_kind = data_kind, .row_order = row_order};
  index.root_keys.reserve(index.root.entries.size());
  for (const IndexEntry& entry : index.root.entries) {
    const auto key = parse_flat_key(entry.key);
    if (!key ||
        (!index.root_keys.empty() && std::is_lt(compare_keys(row_order, *key, index.root_keys.back())))) {
      return Error::corruption(kRoot, offset, "keys that ascend",
                               "another at the entry " + std::to_string(index.root_keys.size()));
    }
    index.root_keys.push_back(*key);
  }
  if (row_order != RowOrder::kBytes) {
    return index;  // heads of rows are numbers, which ascend in byte order
  }
  const auto& keys = index.root_keys;
  const std::string_view shared = keys.empty() ? "" : common_front(keys.front().row, keys.back().row);
  index.root_rows = RowHeads<std::uint64_t>(keys.size(), shared, [&](std::size_t i) { return keys[i].row; });
  return index;
}

std::size_t IndexCursor::size_at(std::size_t depth) const {
  return depth == 0 ? index_->root.entries.size() : levels_[depth - 1].view.size();
}

Result<IndexEntry> IndexCursor::entry_at(std::size_t depth) const {
  if (depth == 0) {
    return index_->root.entries[root_at_];
  }
  const Level& level = levels_[depth - 1];
  return level.view.entry(level.at);
}

// Sets entry_ to the entry at the position in level `depth`. If that is damaged, the cursor has no entry, and
// span() then begins at the file's start and ends at the next entry of the root.
Status IndexCursor::take_entry(std::size_t depth) {
  const Result<IndexEntry> entry =
      depth == 0 ? entry_at(depth) : levels_[depth - 1].view.target(levels_[depth - 1].at);
  has_entry_ = entry.has_value();
  if (!entry) {
    depth_ = 0;
    entry_ = {};
    return entry.error();
  }
  depth_ = depth;
  entry_ = *entry;
  return {};
}

KeySpan IndexCursor::span() const {
  KeySpan span{.first = FlatKey::of(key())};
  for (std::size_t depth = depth_ + 1; depth-- > 0 && !span.end;) {
    const std::size_t next = (depth == 0 ? root_at_ : levels_[depth - 1].at) + 1;
    if (next >= size_at(depth)) {
      continue;
    }
    const Result<IndexEntry> entry =
        depth == 0 ? Result<IndexEntry>(index_->root.entries[next]) : levels_[depth - 1].view.entry(next);
    span.end = entry ? FlatKey::of(entry->key) : std::nullopt;
  }
  return span;
}

// Loads the block of `entry` as the cursor's block of level `depth`. The root is level 0. A block that is
// already loaded is not read again, so neighbouring seeks share the upper levels.
Status IndexCursor::load(std::size_t depth, const IndexEntry& entry) {
  levels_.resize(index_->levels - 1);
  Level& level = levels_[depth - 1];
  if (level.block != nullptr && level.block->offset() == entry.offset) {
    return {};
  }
  level.block = nullptr;
  const bool leaf = depth + 1 == index_->levels;
  BLOOMERY_ASSIGN_OR_RETURN(
      BlockPointer block, source_->read({.kind = leaf ? BlockKind::kLeafIndex : BlockKind::kIntermediateIndex,
                                         .offset = entry.offset,
                                         .on_disk_bytes = entry.on_disk_bytes}));
  BLOOMERY_ASSIGN_OR_RETURN(level.view, IndexBlockView::over(*block));
  level.block = std::move(block);
  return {};
}

// Returns the last entry whose key is not after `key`, or the first entry if all keys are. If the range of
// entries with the row is known, only that range is searched.
Result<std::size_t> IndexCursor::find_in(const Level& level, const CellKey& key) const {
  const RowRange same = index_->row_order == RowOrder::kBytes ? level.view.range_of(key.row, life_)
                                                              : RowRange{0, level.view.size()};
  std::size_t begin = same.begin == 0 ? 0 : same.begin - 1;  // the last entry whose row is smaller
  for (std::size_t end = std::max(same.end, begin + 1); end - begin > 1;) {
    const std::size_t middle = begin + (end - begin) / 2;
    BLOOMERY_ASSIGN_OR_RETURN(const IndexEntry entry, level.view.entry(middle));
    const auto middle_key = parse_flat_key(entry.key);
    if (!middle_key) {
      return Error::corruption(block_kind_name(level.block->kind()), level.block->offset(),
                               "a key in the entry " + std::to_string(middle), "other bytes");
    }
    (std::is_lteq(compare_keys(index_->row_order, *middle_key, key)) ? begin : end) = middle;
  }
  return begin;
}

// Searches the root, then one block of each level below it, by binary search.
Result<bool> IndexCursor::seek(const CellKey& key) {
  const RowRange same = index_->row_order == RowOrder::kBytes ? index_->root_rows.find(key.row)
                                                              : RowRange{0, index_->root_keys.size()};
  const auto keys = index_->root_keys.begin();
  const auto behind = std::ranges::partition_point(
      keys + static_cast<std::ptrdiff_t>(same.begin), keys + static_cast<std::ptrdiff_t>(same.end),
      [&](const CellKey& root_key) { return std::is_lteq(compare_keys(index_->row_order, root_key, key)); });
  if (behind == index_->root_keys.begin()) {
    return false;
  }
  root_at_ = static_cast<std::size_t>(behind - index_->root_keys.begin()) - 1;
  entry_ = index_->root.entries[root_at_];
  depth_ = 0;
  has_entry_ = true;
  for (std::size_t depth = 1; depth < index_->levels; ++depth) {
    BLOOMERY_RETURN_IF_ERROR(load(depth, entry_));
    Level& level = levels_[depth - 1];
    BLOOMERY_ASSIGN_OR_RETURN(level.at, find_in(level, key));
    BLOOMERY_RETURN_IF_ERROR(take_entry(depth));
  }
  return true;
}

// Descends from the position at `depth` to a data block, along the first or the last entries.
Status IndexCursor::descend(std::size_t depth, Edge edge) {
  BLOOMERY_RETURN_IF_ERROR(take_entry(depth));
  for (++depth; depth < index_->levels; ++depth) {
    BLOOMERY_RETURN_IF_ERROR(load(depth, entry_));
    at(depth) = edge == Edge::kFirst ? 0 : size_at(depth) - 1;
    BLOOMERY_RETURN_IF_ERROR(take_entry(depth));
  }
  return {};
}

Result<bool> IndexCursor::first() {
  if (index_->root.entries.empty()) {
    return false;
  }
  root_at_ = 0;
  BLOOMERY_RETURN_IF_ERROR(descend(0, Edge::kFirst));
  return true;
}

Result<bool> IndexCursor::last() {
  if (index_->root.entries.empty()) {
    return false;
  }
  root_at_ = index_->root.entries.size() - 1;
  BLOOMERY_RETURN_IF_ERROR(descend(0, Edge::kLast));
  return true;
}

// Moves one step: forward if `edge` is kFirst, backward if it is kLast. The lowest level that has another
// entry in this direction moves; the levels below it start at their edge.
Result<bool> IndexCursor::step(Edge edge) {
  for (std::size_t depth = index_->levels; depth-- > 0;) {
    std::size_t& position = at(depth);
    if (edge == Edge::kFirst ? position + 1 < size_at(depth) : position > 0) {
      position += edge == Edge::kFirst ? 1 : std::size_t(-1);
      BLOOMERY_RETURN_IF_ERROR(descend(depth, edge));
      return true;
    }
  }
  return false;
}

Result<bool> IndexCursor::next() {
  return step(Edge::kFirst);
}

// Compares the row with the next entry of the lowest level that has one. No cell after the current data block
// sorts before that entry's key.
bool IndexCursor::is_next_behind(std::string_view row) const {
  for (std::size_t depth = index_->levels; depth-- > 0;) {
    const std::size_t next = (depth == 0 ? root_at_ : levels_[depth - 1].at) + 1;
    if (next >= size_at(depth)) {
      continue;
    }
    if (depth == 0) {
      return std::is_gt(compare_rows(index_->row_order, index_->root_keys[next].row, row));
    }
    const Result<IndexEntry> entry = levels_[depth - 1].view.entry(next);
    const auto key = entry ? parse_flat_key(entry->key) : std::nullopt;
    return key && std::is_gt(compare_rows(index_->row_order, key->row, row));
  }
  return true;
}

Result<bool> IndexCursor::previous() {
  return step(Edge::kLast);
}

BlockAddress IndexCursor::address() const {
  return {.kind = index_->data_kind, .offset = entry_.offset, .on_disk_bytes = entry_.on_disk_bytes};
}

}  // namespace bloomery::hfile
