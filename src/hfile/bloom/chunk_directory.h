// Which chunk a key is in, found without comparing keys: chunk_of(), for filters whose keys are bytes.
//
// The first keys of a filter's chunks mostly begin alike. Of each, the eight bytes behind what all have in
// common stand side by side as a number, in order; a key that begins as they do is found among the numbers by
// halving without a branch. Where that cannot tell, because a number is equal or the key begins otherwise,
// the answer is chunk_of()'s.
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
  // Copies nothing of the keys but the numbers; the views in `meta` must live on.
  explicit ChunkDirectory(const BloomMeta& meta) {
    if (meta.order != KeyOrder::kBytes || meta.chunks.empty()) {
      return;
    }
    const std::string_view first = meta.chunks.front().first_key;
    const std::string_view last = meta.chunks.back().first_key;
    const auto differing = std::ranges::mismatch(first, last).in1;
    shared_ = first.substr(0, static_cast<std::size_t>(differing - first.begin()));
    heads_.reserve(meta.chunks.size());
    for (const ChunkEntry& chunk : meta.chunks) {
      heads_.push_back(head_of(chunk.first_key));
    }
  }

  // As chunk_of(). `meta` is that of the constructor.
  std::optional<std::size_t> chunk_of(const BloomMeta& meta, std::string_view key) const {
    if (heads_.empty() || !key.starts_with(shared_)) {
      return hbase::chunk_of(meta, key);
    }
    const std::uint64_t head = head_of(key);
    std::size_t begin = 0;
    for (std::size_t size = heads_.size(); size > 1;) {
      const std::size_t half = size / 2;
      begin += heads_[begin + half] <= head ? half : 0;
      size -= half;
    }
    if (heads_[begin] == head) {
      return hbase::chunk_of(meta, key);
    }
    return heads_[begin] < head ? std::optional(begin) : std::nullopt;
  }

 private:
  // The bytes behind the shared ones, and zeros where there are no more.
  std::uint64_t head_of(std::string_view key) const {
    const std::string_view rest = key.substr(shared_.size());
    if (rest.size() >= 8) {
      return load_big64(reinterpret_cast<const std::byte*>(rest.data()));
    }
    std::byte bytes[8] = {};
    std::ranges::copy(std::as_bytes(std::span(rest)), bytes);  // of no bytes, too, whose address may be null
    return load_big64(bytes);
  }

  std::string_view shared_;
  std::vector<std::uint64_t> heads_;
};

}  // namespace bloomery::hbase
