// Measures the fill of an HFile's Bloom filter by counting the set bits in its chunks.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "hfile/open_file.h"

namespace bloomery::hfile {

// The warning for a filter whose meta block has 0 hashes.
inline constexpr const char* kWithoutHashes =
    "a Bloom filter has 0 hashes: it answers maybe to every key from its first to its last";

struct BloomFill {
  std::uint64_t bits = 0;
  std::uint64_t set_bits = 0;
  // The fpp that follows from the set bits: the mean of the chunks' fpp, weighted by their size. The weights
  // are right because full chunks have keys in proportion to their size.
  double fpp = 0;

  // Returns the fpp of a query to a filter of the type. A query of a ROWCOL filter makes two probes: for the
  // column, and for the markers that delete its family.
  double fpp_of_lookup(hbase::BloomType type) const {
    return type == hbase::BloomType::kRowCol ? 1 - (1 - fpp) * (1 - fpp) : fpp;
  }
  double ratio() const { return bits == 0 ? 0 : static_cast<double>(set_bits) / static_cast<double>(bits); }
};

// Reads one chunk of the filter. Errors: kCorruption, kIo, kUnsupported, kCapacity.
Result<BlockPointer> read_chunk(const OpenFile& file, const hbase::ChunkEntry& chunk);

// Returns the maximum total size of a filter's chunks. Each chunk but one is full of keys, of which none uses
// more than 1,024 bits. The limit is needed because zeros compress so well that a small file could claim
// gigabytes.
std::uint64_t most_chunk_bytes(const OpenFile& file, const ChunkedFilter& filter);
// Returns the error for chunks that exceed this maximum.
Error too_many_chunk_bytes(const OpenFile& file, const ChunkedFilter& filter, std::uint64_t found);

// Reads every chunk. Errors: kIo, kUnsupported, kCapacity; kCorruption also if the chunks are larger than any
// number of keys explains.
Result<BloomFill> measure_fill(const OpenFile& file, const ChunkedFilter& filter);

}  // namespace bloomery::hfile
