// The bytes of a value in a shared cache.
//
//   offset   size   field
//   0        4      "BGv1"
//   4        8      fresh until, milliseconds since 1970, little-endian
//   12       4      length of the key, little-endian
//   16       -      the key, then the value up to the end
//
// The stored key is compared, because a cache may index entries by a hash of the key. There is no checksum:
// network and server have theirs, and the program validates the value.
#include <chrono>
#include <cstring>
#include <limits>

#include "base/endian.h"
#include "bloomery/guard/value_cache.h"

namespace bloomery::guard {
namespace {

constexpr std::string_view kMagic = "BGv1";
constexpr std::size_t kHeaderBytes = 16;

}  // namespace

std::int64_t unix_now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string stored_bytes(std::string_view key, const CachedValue& value) {
  std::string bytes(kMagic);
  bytes.resize(kHeaderBytes);
  auto* const at = reinterpret_cast<std::byte*>(bytes.data());
  store_little(at + 4, static_cast<std::uint64_t>(value.fresh_until_ms));
  store_little(at + 12, static_cast<std::uint32_t>(key.size()));
  bytes.reserve(kHeaderBytes + key.size() + value.bytes.size());
  return bytes.append(key).append(value.bytes);
}

std::optional<CachedValue> read_stored(std::string_view key, std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) {
    return std::nullopt;
  }
  const auto* const at = reinterpret_cast<const std::byte*>(bytes.data());
  const std::string_view rest = bytes.substr(kHeaderBytes);
  if (load_little32(at + 12) != key.size() || !rest.starts_with(key)) {
    return std::nullopt;
  }
  return CachedValue{std::string(rest.substr(key.size())), static_cast<std::int64_t>(load_little64(at + 4))};
}

Result<std::optional<Lease>> ValueCache::take_lease(std::string_view /*key*/,
                                                    std::chrono::milliseconds /*duration*/) {
  return Error(ErrorCode::kUnsupported, "cache", "expected a cache with leases, found one without");
}

Status ValueCache::give_back(std::string_view /*key*/, const Lease& /*lease*/) {
  return {};
}

}  // namespace bloomery::guard
