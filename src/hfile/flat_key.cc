#include "hfile/flat_key.h"

#include <cassert>
#include <compare>
#include <optional>
#include <string>

#include "hfile/byte_writer.h"

namespace bloomery {

std::optional<CellKey> parse_flat_key(std::string_view flat) {
  CellKey key;
  return hfile::read_flat_key(flat, key) ? std::optional(key) : std::nullopt;
}

void append_flat_key(std::string& out, const CellKey& key) {
  assert(key.row.size() <= hfile::kMaxRowBytes && key.family.size() <= hfile::kMaxFamilyBytes);
  hfile::append_big(out, static_cast<std::uint16_t>(key.row.size()));
  out.append(key.row);
  out += static_cast<char>(key.family.size());
  out.append(key.family);
  out.append(key.qualifier);
  hfile::append_big(out, static_cast<std::uint64_t>(key.timestamp));
  out += static_cast<char>(key.type);
}

std::optional<std::strong_ordering> compare_flat_keys(std::string_view a, std::string_view b) {
  const auto left = parse_flat_key(a);
  const auto right = parse_flat_key(b);
  return left && right ? std::optional(*left <=> *right) : std::nullopt;
}

std::optional<FlatKey> FlatKey::of(std::string_view flat) {
  if (!parse_flat_key(flat)) {
    return std::nullopt;
  }
  FlatKey key;
  key.bytes_ = flat;
  return key;
}

FlatKey FlatKey::first_behind_row(std::string_view row) {
  const std::string next = std::string(row) + '\0';
  return FlatKey(first_on_row(next));
}

}  // namespace bloomery
