// Compresses one block at a time, and keeps the state of the codec between blocks.
//
//   kGzip            zlib at its usual level; the header has no time, name or system, as Java wrote it before
//                    version 16
//   kZstd            one frame of level 3, in one of two forms
//   kSnappy, kLz4    as their libraries do
//
// kRawDeflate and kZlib are not supported. Reading is in block_decompress.h, streams are in gzip_writer.h.
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
  kStreamed,  // as for a stream of unknown length, which Hadoop's own class writes
};

class BlockCompressor {
 public:
  // Errors: kCapacity; kUnsupported for kRawDeflate and kZlib.
  static Result<BlockCompressor> create(BlockCodec codec, ZstdForm zstd_form = ZstdForm::kSized);
  BlockCompressor(BlockCompressor&&) noexcept;
  BlockCompressor& operator=(BlockCompressor&&) noexcept;
  ~BlockCompressor();

  BlockCodec codec() const;
  // Returns the most bytes that a block of so many bytes can become.
  std::size_t largest_compressed(std::size_t size_bytes) const;
  // Compresses `block` to the front of `out`. Returns the number of bytes. Precondition: `out` has room for
  // largest_compressed(block.size()). Errors: kCapacity above 2^31 - 1 bytes less what the codec adds.
  Result<std::size_t> compress(std::span<const std::byte> block, std::span<std::byte> out);

 private:
  struct State;

  explicit BlockCompressor(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bloomery
