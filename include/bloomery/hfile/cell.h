// A cell of HBase's data model, its key, and the order of keys.
//
//   row, family, qualifier    ascend as unsigned bytes; a prefix comes first
//   timestamp, type           descend: the newest first, deletes before puts
//
// One rule precedes these: the key of type kMinimum without family and qualifier (last_on_row) is the last
// key of its row. The flat form of a key, as files store it, is big-endian:
//
//   u16 row length | row | u8 family length | family | qualifier | i64 timestamp | u8 type
//
// All types are views of bytes that the caller keeps, except FlatKey.
//
// Example:
//    const FlatKey key(CellKey{.row = "row", .family = "f", .qualifier = "q", .type = CellType::kPut});
//    const std::optional<CellKey> parsed = parse_flat_key(key.bytes());   // a view into `key`
//
// Source: docs/formats/hfile.md. The effect of delete markers is not implemented here; the order of
// hbase:meta is in row_order.h.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

// These numbers are stored in files; never renumber them. Markers of families have an empty qualifier, unless
// a client set one.
enum class CellType : std::uint8_t {
  kMinimum = 0,  // for keys to seek by, not for cells
  kPut = 4,
  kDelete = 8,                // deletes one version
  kDeleteFamilyVersion = 10,  // deletes the versions of this timestamp in all columns
  kDeleteColumn = 12,         // deletes all versions up to this timestamp
  kDeleteFamily = 14,         // deletes all versions up to this timestamp in all columns
  kMaximum = 255,             // for keys to seek by, not for cells
};

// Whether it is a marker that deletes cells of all columns of a family.
inline bool deletes_family(CellType type) {
  return type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion;
}

// The longest row and family that HBase allows, in bytes.
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

// Returns true if the key sorts after all other keys of its row.
inline bool is_last_on_row(const CellKey& key) {
  return key.type == CellType::kMinimum && key.family.empty() && key.qualifier.empty();
}

// The order of keys of one row.
inline std::strong_ordering compare_in_row(const CellKey& a, const CellKey& b) {
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
// The order of keys. It is total, and only identical keys are equal.
inline std::strong_ordering operator<=>(const CellKey& a, const CellKey& b) {
  const auto rows = a.row <=> b.row;
  return std::is_neq(rows) ? rows : compare_in_row(a, b);
}
inline bool operator==(const CellKey& a, const CellKey& b) {
  return std::is_eq(a <=> b);
}

// Keys to seek by. No cell has such a key; each sorts directly before or directly after the wanted cells.
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
// Returns the key at which a get begins: the markers that delete the family come first.
inline CellKey first_delete_family_on_row(std::string_view row, std::string_view family) {
  return {.row = row, .family = family, .type = CellType::kDeleteFamily};
}

// Returns views into `flat`, or nothing if its lengths do not fit or the type is unknown.
std::optional<CellKey> parse_flat_key(std::string_view flat);

// Precondition: the row is shorter than 2^15 bytes, and the family shorter than 2^7.
void append_flat_key(std::string& out, const CellKey& key);

// Compares two flat keys. Returns nothing if one of them is not a flat key.
std::optional<std::strong_ordering> compare_flat_keys(std::string_view a, std::string_view b);

// A key that owns its bytes.
class FlatKey {
 public:
  explicit FlatKey(const CellKey& key) { append_flat_key(bytes_, key); }
  // Returns nothing if `flat` is not a flat key.
  static std::optional<FlatKey> of(std::string_view flat);
  // Returns the first key of the first row after `row`. Precondition: `row` has fewer than 32,767 bytes, so
  // that a longer row is possible.
  static FlatKey first_behind_row(std::string_view row);

  std::string_view bytes() const { return bytes_; }
  CellKey key() const { return *parse_flat_key(bytes_); }

 private:
  FlatKey() = default;

  std::string bytes_;
};

// Returns the name that HBase prints: kPut is "Put".
const char* cell_type_name(CellType type);

}  // namespace bloomery
