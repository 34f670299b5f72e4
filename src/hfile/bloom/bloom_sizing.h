// The size of a chunk of HBase's Bloom filters, and the number of its hashes, in HBase's own arithmetic.
//
//   bytes    = the hint, rounded up to a multiple of 2^fold          bits = 8 bytes
//   ideal    = trunc(bits (ln 2)^2 / -ln e)                          e is a Java float, widened to double
//   k        = ceil(ln 2 (bits div ideal))                           div is an integer division
//   max keys = trunc(-bits / k ln(1 - exp(ln(e) / k)))
//   folding: while bytes is even and max keys > 2 n, both are halved           n = keys in the chunk
//
// A query of a ROWCOL filter makes two probes, so its e is 1 - sqrt(1 - e). In it only the inner difference
// is a float. All other arithmetic is in doubles. By default (e = 0.01, 131,072 bytes) a chunk of ROW has 7
// hashes and holds 109,306 keys.
//
// Source: HBase's BloomFilterUtil and BloomFilterChunk; docs/formats/hfile.md. bloom_chunk.h has the bits.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery::hbase {

struct ChunkOptions {
  std::uint32_t hint_bytes = 131072;  // io.storefile.bloom.block.size
  float error_rate = 0.01F;           // io.storefile.bloom.error.rate
  std::uint32_t max_fold = 7;         // io.storefile.bloom.max.fold
};

struct ChunkShape {
  std::uint32_t byte_size = 0;
  std::uint32_t hash_count = 0;
  std::uint32_t max_keys = 0;

  bool operator==(const ChunkShape&) const = default;
};

// Returns e of a ROWCOL filter for the error rate of a query.
float rowcol_error_rate(float error_rate);

// Errors: kInvalidArgument if HBase's arithmetic leaves no room for a key, no hash or more than 255, or more
// than 2^31 - 1 bits.
Result<ChunkShape> chunk_shape(const ChunkOptions& options);

// Returns the shape of a chunk of `key_count` keys after folding.
ChunkShape folded_shape(ChunkShape shape, std::uint32_t key_count);

}  // namespace bloomery::hbase
