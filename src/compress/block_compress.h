// Compresses one block at a time, and keeps the state of the codec between blocks.
//
//   kGzip            zlib at its usual level; the header has no time, name or system, like Java's before
//                    version 16
//   kZstd            one frame of level 3, in one of two forms
//   kSnappy, kLz4    the libraries' defaults
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
  kSized,     // the frame states its size, from which Zstandard chooses its tables
  kStreamed,  // like a stream of unknown length, which Hadoop's own class writes
};

class BlockCompressor {
 public:
  // Errors: kCapacity; kUnsupported for kRawDeflate and kZlib.
  static Result<BlockCompressor> create(BlockCodec codec, ZstdForm zstd_form = ZstdForm::kSized);
  BlockCompressor(BlockCompressor&&) noexcept;
  BlockCompressor& operator=(BlockCompressor&&) noexcept;
  ~BlockCompressor();

  BlockCodec codec() const;
  // Returns the largest compressed size of a block with `size_bytes` bytes.
  std::size_t largest_compressed(std::size_t size_bytes) const;
  // Compresses `block` to the beginning of `out`. Returns the number of bytes. Precondition: `out` has room
  // for largest_compressed(block.size()). Errors: kCapacity above 2^31 - 1 bytes less the codec's overhead.
  Result<std::size_t> compress(std::span<const std::byte> block, std::span<std::byte> out);

 private:
  struct State;

  explicit BlockCompressor(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bloomery
