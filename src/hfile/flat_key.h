// Parses flat keys inline. It is parse_flat_key() without a call, for loops over every cell of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/endian.h"
#include "bloomery/hfile/cell.h"
#include "hfile/encoding/flat_cell.h"

namespace bloomery::hfile {

inline constexpr std::size_t kMaxRowBytes = std::numeric_limits<std::int16_t>::max();
inline constexpr std::size_t kMaxFamilyBytes = std::numeric_limits<std::int8_t>::max();

inline bool is_known(CellType type) {
  switch (type) {
    case CellType::kMinimum:
    case CellType::kPut:
    case CellType::kDelete:
    case CellType::kDeleteFamilyVersion:
    case CellType::kDeleteColumn:
    case CellType::kDeleteFamily:
    case CellType::kMaximum:
      return true;
  }
  return false;
}

// Returns false if `flat` is not a key. Some members of `key` may then be overwritten.
inline bool read_flat_key(std::string_view flat, CellKey& key) {
  if (flat.size() < kKeyFixedBytes) {
    return false;
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(flat.data());
  const std::size_t variable = flat.size() - kKeyFixedBytes;
  const std::size_t row = load_big16(bytes);
  if (row > variable || row > kMaxRowBytes) {
    return false;
  }
  const auto family = static_cast<std::size_t>(bytes[2 + row]);
  if (family > variable - row || family > kMaxFamilyBytes) {
    return false;
  }
  key.row = {flat.data() + 2, row};
  key.family = {flat.data() + 3 + row, family};
  key.qualifier = {flat.data() + 3 + row + family, variable - row - family};
  key.timestamp = static_cast<std::int64_t>(load_big64(bytes + flat.size() - kTimestampTypeBytes));
  key.type = static_cast<CellType>(bytes[flat.size() - 1]);
  return is_known(key.type);
}

}  // namespace bloomery::hfile
