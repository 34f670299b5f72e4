// Compresses the payloads of an HFile's blocks; decompress_payload() reads the result.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "bloomery/hfile/hfile_write_options.h"
#include "compress/block_compress.h"
#include "hfile/compression.h"

namespace bloomery::hfile {

class PayloadCompressor {
 public:
  // Precondition: compression is not kNone. Errors: kCapacity.
  static Result<PayloadCompressor> create(Compression compression, HFileCodecs codecs);

  // Returns the maximum compressed size of a payload of this size.
  std::size_t largest_stored(std::size_t payload_bytes) const;
  // Compresses the payload into the front of `out` and returns the size. Precondition: `out` has room for
  // largest_stored() bytes. Errors: kCapacity.
  Result<std::size_t> compress(std::span<const std::byte> payload, std::span<std::byte> out);

 private:
  PayloadCompressor(BlockCompressor compressor, std::size_t frame_block_bytes)
      : compressor_(std::move(compressor)), frame_block_bytes_(frame_block_bytes) {}

  BlockCompressor compressor_;
  std::size_t frame_block_bytes_;  // the maximum block size in a frame; 0 without framing
};

}  // namespace bloomery::hfile
