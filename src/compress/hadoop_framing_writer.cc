#include "compress/hadoop_framing_writer.h"

#include <algorithm>
#include <cstdint>

#include "base/endian.h"
#include "compress/hadoop_framing.h"

namespace bloomery {
std::size_t largest_hadoop_frame(const BlockCompressor& compressor, std::size_t size_bytes,
                                 std::size_t most) {
  const std::size_t whole = size_bytes / most;
  return kHadoopNumberBytes + whole * (kHadoopNumberBytes + compressor.largest_compressed(most)) +
         kHadoopNumberBytes + compressor.largest_compressed(size_bytes % most) + kHadoopNumberBytes;
}

Result<std::size_t> compress_hadoop_frame(BlockCompressor& compressor, std::span<const std::byte> bytes,
                                          std::size_t most, std::span<std::byte> out) {
  const bool is_split = bytes.size() > most;
  store_big(out.data(), static_cast<std::uint32_t>(bytes.size()));
  std::size_t written = kHadoopNumberBytes;
  while (!bytes.empty()) {
    const auto block = bytes.first(std::min(bytes.size(), most));
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t size,
                              compressor.compress(block, out.subspan(written + kHadoopNumberBytes)));
    store_big(out.data() + written, static_cast<std::uint32_t>(size));
    written += kHadoopNumberBytes + size;
    bytes = bytes.subspan(block.size());
  }
  if (is_split) {
    store_big(out.data() + written, std::uint32_t{0});
    written += kHadoopNumberBytes;
  }
  return written;
}

}  // namespace bloomery
