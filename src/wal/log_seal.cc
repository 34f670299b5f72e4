#include "wal/log_seal.h"

#include <cassert>

#include "base/crc32c.h"
#include "base/endian.h"

namespace bloomery::wal {

Seal load_seal(const std::byte* at) {
  return {.previous = load_big32(at), .link = load_big32(at + kLinkBytes)};
}

std::uint32_t link_of(std::span<const std::byte> record, std::size_t link_at) {
  assert(link_at + kLinkBytes <= record.size());
  return crc32c(record.subspan(link_at + kLinkBytes), crc32c(record.first(link_at)));
}

Seal store_seal(std::span<std::byte> record, std::size_t seal_end, std::uint32_t previous) {
  store_big(&record[seal_end - kSealBytes], previous);
  const Seal seal{.previous = previous, .link = link_of(record, seal_end - kLinkBytes)};
  store_big(&record[seal_end - kLinkBytes], seal.link);
  return seal;
}

std::optional<Seal> seal_of_key(std::span<const std::byte> key) {
  if (key.size() < kSealAttributeBytes) {
    return std::nullopt;
  }
  const auto tail = key.last(kSealAttributeBytes);
  const std::string_view prefix(reinterpret_cast<const char*>(tail.data()), kSealPrefix.size());
  return prefix == kSealPrefix ? std::optional(load_seal(&tail[kSealPrefix.size()])) : std::nullopt;
}

}  // namespace bloomery::wal
