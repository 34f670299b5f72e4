#include "bloomery/hfile/cell.h"

#include <array>
#include <cassert>

#include "base/endian.h"

namespace bloomery {
namespace {

constexpr std::size_t kFixedBytes = 12;  // of a key: both lengths, timestamp, type
constexpr std::size_t kMaxRowBytes = std::numeric_limits<std::int16_t>::max();
constexpr std::size_t kMaxFamilyBytes = std::numeric_limits<std::int8_t>::max();

bool is_known(CellType type) {
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

template <typename T>
void append_big(std::string& out, T value) {
  std::array<std::byte, sizeof(T)> bytes;
  store_big(bytes.data(), value);
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

std::optional<CellKey> parse_flat_key(std::string_view flat) {
  if (flat.size() < kFixedBytes) {
    return std::nullopt;
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(flat.data());
  const std::size_t variable = flat.size() - kFixedBytes;
  const std::size_t row = load_big16(bytes);
  if (row > variable || row > kMaxRowBytes) {
    return std::nullopt;
  }
  const auto family = static_cast<std::size_t>(bytes[2 + row]);
  if (family > variable - row || family > kMaxFamilyBytes) {
    return std::nullopt;
  }
  const CellKey key{.row = {flat.data() + 2, row},
                    .family = {flat.data() + 3 + row, family},
                    .qualifier = {flat.data() + 3 + row + family, variable - row - family},
                    .timestamp = static_cast<std::int64_t>(load_big64(bytes + flat.size() - 9)),
                    .type = static_cast<CellType>(bytes[flat.size() - 1])};
  return is_known(key.type) ? std::optional(key) : std::nullopt;
}

void append_flat_key(std::string& out, const CellKey& key) {
  assert(key.row.size() <= kMaxRowBytes && key.family.size() <= kMaxFamilyBytes);
  append_big(out, static_cast<std::uint16_t>(key.row.size()));
  out.append(key.row);
  out += static_cast<char>(key.family.size());
  out.append(key.family);
  out.append(key.qualifier);
  append_big(out, static_cast<std::uint64_t>(key.timestamp));
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

const char* cell_type_name(CellType type) {
  switch (type) {
    case CellType::kMinimum:
      return "Minimum";
    case CellType::kPut:
      return "Put";
    case CellType::kDelete:
      return "Delete";
    case CellType::kDeleteFamilyVersion:
      return "DeleteFamilyVersion";
    case CellType::kDeleteColumn:
      return "DeleteColumn";
    case CellType::kDeleteFamily:
      return "DeleteFamily";
    case CellType::kMaximum:
      return "Maximum";
  }
  return "unknown";
}

}  // namespace bloomery
