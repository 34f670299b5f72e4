#include "hfile/payload_compressor.h"

#include "compress/hadoop_framing_writer.h"

namespace bloomery::hfile {
namespace {

// Returns the maximum payload in one block of a frame, or 0 without framing. A block of this size fits into
// Hadoop's buffer even if it does not compress. Each compressor class of HBase and Hadoop reserves its own
// share for that case (docs/formats/hfile-writing.md, section "Compression").
std::size_t frame_block_bytes(Compression compression, HFileCodecs codecs) {
  constexpr std::size_t kBufferBytes = std::size_t{256} << 10;  // io.compression.codec.*.buffersize
  const bool of_hadoop = codecs == HFileCodecs::kHadoop;
  if (compression == Compression::kGz || (compression == Compression::kZstd && of_hadoop)) {
    return 0;
  }
  if (compression == Compression::kZstd) {
    return kBufferBytes - kBufferBytes / 256;
  }
  return compression == Compression::kLz4 && of_hadoop ? kBufferBytes - (kBufferBytes / 255 + 16)
                                                       : kBufferBytes - (kBufferBytes / 6 + 32);
}

}  // namespace

Result<PayloadCompressor> PayloadCompressor::create(Compression compression, HFileCodecs codecs) {
  // HBase's module compresses a block in one call; Hadoop's class compresses a stream.
  const ZstdForm zstd_form = codecs == HFileCodecs::kHadoop ? ZstdForm::kStreamed : ZstdForm::kSized;
  BLOOMERY_ASSIGN_OR_RETURN(auto compressor, BlockCompressor::create(block_codec_of(compression), zstd_form));
  return PayloadCompressor(std::move(compressor), frame_block_bytes(compression, codecs));
}

std::size_t PayloadCompressor::largest_stored(std::size_t payload_bytes) const {
  return frame_block_bytes_ == 0 ? compressor_.largest_compressed(payload_bytes)
                                 : largest_hadoop_frame(compressor_, payload_bytes, frame_block_bytes_);
}

Result<std::size_t> PayloadCompressor::compress(std::span<const std::byte> payload,
                                                std::span<std::byte> out) {
  return frame_block_bytes_ == 0 ? compressor_.compress(payload, out)
                                 : compress_hadoop_frame(compressor_, payload, frame_block_bytes_, out);
}

}  // namespace bloomery::hfile
