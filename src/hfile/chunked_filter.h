// A Bloom filter of an HFile: its meta block, kept, and its chunks, read from the file when they are asked.
#pragma once

#include <string_view>
#include <utility>

#include "bloomery/base/result.h"
#include "codec/hbase/bloom_meta.h"
#include "hfile/block_source.h"

namespace bloomery::hfile {

class ChunkedFilter {
 public:
  // Errors: those of parse_bloom_meta().
  static Result<ChunkedFilter> make(BlockPointer meta_block);

  const hbase::BloomMeta& meta() const { return meta_; }
  // Whether the key, in the bytes that the filter's type hashes, may be in. Errors: the chunk could not be
  // read; the answer is then maybe.
  Result<bool> may_contain(BlockSource& source, std::string_view key) const;

 private:
  ChunkedFilter(BlockPointer block, hbase::BloomMeta meta)
      : block_(std::move(block)), meta_(std::move(meta)) {}

  BlockPointer block_;  // of which the meta's first keys are views
  hbase::BloomMeta meta_;
};

}  // namespace bloomery::hfile
