// A faster chunk_of() for filters whose keys are bytes: it finds a key's chunk mostly without comparing keys.
//
// The keys of a filter mostly share a prefix. The directory keeps, for the first key of each chunk, the eight
// bytes after this common prefix as a number (its head). The heads ascend with the keys.
//
// A query whose key has the common prefix is a branch-free binary search of the heads. In two cases the heads
// do not decide, and chunk_of() answers:
//
// - A head is equal to the head of the key.
// - The key does not begin with the common prefix.
//
// The two steps are also available alone. Directories with the same prefix share a key's head_of().
// chunk_of_head() is fast for ascending keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/endian.h"
#include "hfile/bloom/bloom_meta.h"

namespace bloomery::hbase {

class ChunkDirectory {
 public:
  ChunkDirectory() = default;
  // Copies only the heads. The views in `meta` must outlive the directory, and so must `last_key`, the last
  // key of the filter, if it is known.
  explicit ChunkDirectory(const BloomMeta& meta, std::optional<std::string_view> last_key = {}) {
    if (meta.order != KeyOrder::kBytes || meta.row_order != RowOrder::kBytes || meta.chunks.empty()) {
      return;
    }
    const std::string_view first = meta.chunks.front().first_key;
    const std::string_view last_first = meta.chunks.back().first_key;
    const std::string_view last = last_key && *last_key > last_first ? *last_key : last_first;
    const auto differing = std::ranges::mismatch(first, last).in1;
    shared_ = first.substr(0, static_cast<std::size_t>(differing - first.begin()));
    heads_.reserve(meta.chunks.size());
    for (const ChunkEntry& chunk : meta.chunks) {
      heads_.push_back(head_of(chunk.first_key));
    }
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::size_t kUndecided = kNone - 1;

  // Returns the result of chunk_of(), or kNone for nothing. `meta` is the one that was passed to the
  // constructor.
  std::size_t chunk_of(const BloomMeta& meta, std::string_view key) const {
    if (heads_.empty() || !key.starts_with(shared_)) {
      return hbase::chunk_of(meta, key).value_or(kNone);
    }
    const std::size_t chunk = chunk_of_head(head_of(key));
    return chunk == kUndecided ? hbase::chunk_of(meta, key).value_or(kNone) : chunk;
  }

  // Returns false if it has no heads, for instance for ROWCOL filters.
  bool has_heads() const { return !heads_.empty(); }
  // Returns the common prefix.
  std::string_view shared() const { return shared_; }
  // Returns the eight bytes after the common prefix, padded with zeros. Precondition: the key has the common
  // prefix.
  std::uint64_t head_of(std::string_view key) const {
    const std::string_view rest = key.substr(shared_.size());
    if (rest.size() >= 8) {
      return load_big64(reinterpret_cast<const std::byte*>(rest.data()));
    }
    std::byte bytes[8] = {};
    std::ranges::copy(std::as_bytes(std::span(rest)), bytes);  // also if `rest` is empty and its address null
    return load_big64(bytes);
  }
  // Returns the chunk that may contain keys with this head. Returns kNone if the head is before that of the
  // first chunk, and kUndecided if it equals the head of a chunk, so that the keys must be compared. Tries
  // the chunk `near` first (the result for an earlier key), then searches all heads. Precondition:
  // has_heads(), and `near` is kNone or a chunk.
  std::size_t chunk_of_head(std::uint64_t head, std::size_t near = kNone) const {
    std::size_t chunk = near;
    if (near == kNone || heads_[near] > head || (near + 1 < heads_.size() && heads_[near + 1] <= head)) {
      chunk = 0;
      for (std::size_t size = heads_.size(); size > 1;) {
        const std::size_t half = size / 2;
        chunk += heads_[chunk + half] <= head ? half : 0;
        size -= half;
      }
    }
    return heads_[chunk] == head ? kUndecided : heads_[chunk] < head ? chunk : kNone;
  }

 private:
  std::string_view shared_;
  std::vector<std::uint64_t> heads_;
};

}  // namespace bloomery::hbase
