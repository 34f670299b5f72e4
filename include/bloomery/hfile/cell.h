// A cell of HBase's data model, its key, and the order of keys.
//
//   order   row, family, qualifier                as unsigned bytes, a prefix first
//           timestamp, type                       descending: the newest first, deletes before puts
//
// One rule goes before: of the keys of a row, the one of type kMinimum without family and qualifier
// (last_on_row) is the last. The flat form of a key, as files have it, is
//
//   u16 row length | row | u8 family length | family | qualifier | i64 timestamp | u8 type       big-endian
//
// All are views of bytes that somebody else keeps. Source: docs/formats/hfile.md. Not here: what a delete
// hides; the order of hbase:meta.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

// On disk; never renumber. Markers of families have an empty qualifier.
enum class CellType : std::uint8_t {
  kMinimum = 0,  // of keys to seek by, not of cells
  kPut = 4,
  kDelete = 8,                // one version
  kDeleteFamilyVersion = 10,  // of all columns, the versions of this timestamp
  kDeleteColumn = 12,         // all versions up to this timestamp
  kDeleteFamily = 14,         // the same, of all columns
  kMaximum = 255,             // of keys to seek by, not of cells
};

// HBase has none that are longer; bytes.
inline constexpr std::size_t kLongestRow = 32767;
inline constexpr std::size_t kLongestFamily = 127;

inline constexpr std::int64_t kLatestTimestamp = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kOldestTimestamp = std::numeric_limits<std::int64_t>::min();

struct CellKey {
  std::string_view row = {};
  std::string_view family = {};
  std::string_view qualifier = {};
  std::int64_t timestamp = kLatestTimestamp;
  CellType type = CellType::kMaximum;
};

struct Cell {
  CellKey key = {};
  std::string_view value = {};
  std::string_view tags = {};  // read_tag() reads them
  std::int64_t mvcc = 0;
};

// Whether the key stands behind all others of its row.
inline bool is_last_on_row(const CellKey& key) {
  return key.type == CellType::kMinimum && key.family.empty() && key.qualifier.empty();
}

// The order of keys; total, and equal only for keys that are the same.
inline std::strong_ordering operator<=>(const CellKey& a, const CellKey& b) {
  if (const auto rows = a.row <=> b.row; std::is_neq(rows)) {
    return rows;
  }
  if (const auto last = is_last_on_row(a) <=> is_last_on_row(b); std::is_neq(last)) {
    return last;
  }
  if (const auto families = a.family <=> b.family; std::is_neq(families)) {
    return families;
  }
  if (const auto qualifiers = a.qualifier <=> b.qualifier; std::is_neq(qualifiers)) {
    return qualifiers;
  }
  if (const auto times = b.timestamp <=> a.timestamp; std::is_neq(times)) {
    return times;
  }
  return b.type <=> a.type;
}
inline bool operator==(const CellKey& a, const CellKey& b) {
  return std::is_eq(a <=> b);
}

// Keys to seek by: no cell has them, and they stand before or behind those that are wanted.
inline CellKey first_on_row(std::string_view row) {
  return {.row = row};
}
inline CellKey last_on_row(std::string_view row) {
  return {.row = row, .timestamp = kOldestTimestamp, .type = CellType::kMinimum};
}
inline CellKey first_on_column(std::string_view row, std::string_view family, std::string_view qualifier) {
  return {.row = row, .family = family, .qualifier = qualifier};
}
inline CellKey last_on_column(std::string_view row, std::string_view family, std::string_view qualifier) {
  return {row, family, qualifier, kOldestTimestamp, CellType::kMinimum};
}
// Where a get begins: the markers that delete the family stand first.
inline CellKey first_delete_family_on_row(std::string_view row, std::string_view family) {
  return {.row = row, .family = family, .type = CellType::kDeleteFamily};
}

// Views into `flat`; nothing when its lengths do not fit or the type is unknown.
std::optional<CellKey> parse_flat_key(std::string_view flat);

// Precondition: the row is shorter than 2^15, the family than 2^7.
void append_flat_key(std::string& out, const CellKey& key);

// Compares two flat keys; nothing when one is none.
std::optional<std::strong_ordering> compare_flat_keys(std::string_view a, std::string_view b);

// A key that keeps its bytes.
class FlatKey {
 public:
  explicit FlatKey(const CellKey& key) { append_flat_key(bytes_, key); }
  // Nothing when `flat` is none.
  static std::optional<FlatKey> of(std::string_view flat);
  // The first key of the first row behind `row`. Precondition: a row can be longer, `row` has fewer than
  // 32,767 bytes.
  static FlatKey first_behind_row(std::string_view row);

  std::string_view bytes() const { return bytes_; }
  CellKey key() const { return *parse_flat_key(bytes_); }

 private:
  FlatKey() = default;

  std::string bytes_;
};

// "kPut" is "Put": the names that HBase prints.
const char* cell_type_name(CellType type);

}  // namespace bloomery
