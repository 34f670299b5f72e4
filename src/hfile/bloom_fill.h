// How full an HFile's Bloom filter is, counted in its chunks.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "hfile/open_file.h"

namespace bloomery::hfile {

struct BloomFill {
  std::uint64_t bits = 0;
  std::uint64_t set_bits = 0;
  // That an absent key is a maybe, by the bits that are set: the mean of the chunks', by their size, since
  // full ones have keys in proportion to it.
  double fpp = 0;

  // The same of a question to a filter of the type: a column is asked for twice, by itself and by the
  // markers that delete its family.
  double fpp_of_lookup(hbase::BloomType type) const {
    return type == hbase::BloomType::kRowCol ? 1 - (1 - fpp) * (1 - fpp) : fpp;
  }
  double ratio() const { return bits == 0 ? 0 : static_cast<double>(set_bits) / static_cast<double>(bits); }
};

// One of the filter's chunks. Errors: those of BlockSource::read().
Result<BlockPointer> read_chunk(const OpenFile& file, const hbase::ChunkEntry& chunk);

// Reads every chunk. Errors: those of BlockSource::read().
Result<BloomFill> measure_fill(const OpenFile& file, const ChunkedFilter& filter);

}  // namespace bloomery::hfile
