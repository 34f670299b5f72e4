// Compresses one block at a time, with the state of the codec kept between blocks.
//
//   kGzip          zlib at its usual level; a header without time, name or system, as Java wrote before
//                  version 16
//   kZstd          one frame of level 3, in one of two forms
//   kSnappy, kLz4  as their libraries do
//
// Not here: kRawDeflate; reading (block_decompress.h); streams (gzip_writer.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bloomery/base/result.h"
#include "compress/block_decompress.h"

namespace bloomery {

enum class ZstdForm {
  kSized,     // the frame states its size, by which Zstandard chooses its tables
  kStreamed,  // as of a stream of unknown length: what Hadoop's own class writes
};

class BlockCompressor {
 public:
  // Errors: kCapacity; kUnsupported for kRawDeflate.
  static Result<BlockCompressor> create(BlockCodec codec, ZstdForm zstd_form = ZstdForm::kSized);
  BlockCompressor(BlockCompressor&&) noexcept;
  BlockCompressor& operator=(BlockCompressor&&) noexcept;
  ~BlockCompressor();

  BlockCodec codec() const;
  // The most bytes that so many can become.
  std::size_t largest_compressed(std::size_t size_bytes) const;
  // Returns how many bytes at the front of `out` the block became. Precondition: `out` has room for
  // largest_compressed(block.size()). Errors: kCapacity above 2^31 - 1 bytes less what the codec adds.
  Result<std::size_t> compress(std::span<const std::byte> block, std::span<std::byte> out);

 private:
  struct State;

  explicit BlockCompressor(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bloomery
