#include "codec/cassandra/data_digest.h"

#include <charconv>
#include <string>

#include <zlib.h>

namespace bloomery {

Result<std::uint32_t> read_data_digest(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  std::uint32_t digest = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), digest);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Error::corruption("digest", 0, "a decimal number of 32 bits", std::string(text.substr(0, 32)));
  }
  return digest;
}

std::uint32_t initial_data_digest(DataDigestKind kind) {
  return kind == DataDigestKind::kCrc32 ? 0 : 1;
}

std::uint32_t continue_data_digest(DataDigestKind kind, std::uint32_t digest,
                                   std::span<const std::byte> bytes) {
  const auto* const data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(kind == DataDigestKind::kCrc32 ? crc32_z(digest, data, bytes.size())
                                                                   : adler32_z(digest, data, bytes.size()));
}

}  // namespace bloomery
