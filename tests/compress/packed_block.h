// Blocks as the libraries compress them.
#pragma once

#include <cstddef>
#include <string>

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include "compress/block_decompress.h"
#include "tests/base/test_bytes.h"

namespace bloomery {

inline Bytes deflated(const Bytes& plain, int window = -MAX_WBITS) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  Bytes packed(deflateBound(&stream, static_cast<uLong>(plain.size())));
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline Bytes packed_block(BlockCodec codec, const Bytes& plain) {
  const auto* const from = reinterpret_cast<const char*>(plain.data());
  std::string packed;
  if (codec == BlockCodec::kSnappy) {
    snappy::Compress(from, plain.size(), &packed);
  } else if (codec == BlockCodec::kLz4) {
    packed.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(plain.size()))));
    packed.resize(static_cast<std::size_t>(LZ4_compress_default(
        from, packed.data(), static_cast<int>(plain.size()), static_cast<int>(packed.size()))));
  } else if (codec == BlockCodec::kZstd) {
    packed.resize(ZSTD_compressBound(plain.size()));
    packed.resize(ZSTD_compress(packed.data(), packed.size(), from, plain.size(), 3));
  } else {
    return deflated(plain, codec == BlockCodec::kGzip ? MAX_WBITS + 16 : -MAX_WBITS);
  }
  const auto bytes = bytes_of(packed);
  return {bytes.begin(), bytes.end()};
}

}  // namespace bloomery
