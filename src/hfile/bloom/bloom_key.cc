#include "hfile/bloom/bloom_key.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "base/endian.h"

namespace bloomery::hbase {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kEnd = "\x7f\xff\xff\xff\xff\xff\xff\xff\xff"sv;  // timestamp 2^63 - 1, type 255
constexpr std::size_t kRowColFixedBytes = 2 + 1 + kEnd.size();

}  // namespace

std::optional<RowCol> parse_rowcol_key(std::string_view key) {
  if (key.size() < kRowColFixedBytes || !key.ends_with(kEnd)) {
    return std::nullopt;
  }
  const std::size_t row_bytes = load_big16(reinterpret_cast<const std::byte*>(key.data()));
  if (row_bytes > key.size() - kRowColFixedBytes || key[2 + row_bytes] != '\0') {
    return std::nullopt;
  }
  return RowCol{key.substr(2, row_bytes),
                key.substr(3 + row_bytes, key.size() - kRowColFixedBytes - row_bytes)};
}

RowColKey::RowColKey(const RowCol& parts) {
  assert(parts.row.size() <= std::numeric_limits<std::uint16_t>::max());
  const std::size_t size = parts.row.size() + parts.qualifier.size() + kRowColFixedBytes;
  char* at = small_.data();
  if (size > small_.size()) {
    large_.resize(size);
    at = large_.data();
  }
  bytes_ = {at, size};
  store_big(reinterpret_cast<std::byte*>(at), static_cast<std::uint16_t>(parts.row.size()));
  at = std::ranges::copy(parts.row, at + 2).out;
  *at++ = '\0';
  at = std::ranges::copy(parts.qualifier, at).out;
  std::ranges::copy(kEnd, at);
}

}  // namespace bloomery::hbase
