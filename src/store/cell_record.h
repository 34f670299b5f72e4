// A cell in the arena of a memstore, and its position in the order of the memstore.
//
//   CellRecord | row | family | qualifier | tags | value
//
// Cells are ordered by key, then the greatest mvcc first, then the one that was added last first. Thus of
// equal cells of one entry of the log the last one counts, as in HBase. The number of a record, a counter of
// the memstore, decides the last step, so no two records are equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/short_copy.h"
#include "bloomery/hfile/cell.h"

namespace bloomery::store {

struct CellRecord {
  std::int64_t timestamp = 0;
  std::int64_t mvcc = 0;
  std::uint64_t number = 0;  // 1 for the first cell that was added
  std::uint32_t qualifier_size = 0;
  std::uint32_t tags_size = 0;
  std::uint32_t value_size = 0;
  std::uint16_t row_size = 0;
  std::uint8_t family_size = 0;
  CellType type = CellType::kPut;

  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
  std::string_view row() const { return {bytes(), row_size}; }
  CellKey key() const {
    const char* const family = bytes() + row_size;
    return {.row = row(),
            .family = {family, family_size},
            .qualifier = {family + family_size, qualifier_size},
            .timestamp = timestamp,
            .type = type};
  }
  Cell cell() const {
    const CellKey views = key();
    const char* const tags = views.qualifier.data() + qualifier_size;
    return {.key = views, .value = {tags + tags_size, value_size}, .tags = {tags, tags_size}, .mvcc = mvcc};
  }
};

// A place before, between or after records.
struct CellPosition {
  static constexpr std::int64_t kNewestMvcc = std::numeric_limits<std::int64_t>::max();
  static constexpr std::uint64_t kLastNumber = std::numeric_limits<std::uint64_t>::max();

  CellKey key = {};
  std::int64_t mvcc = kNewestMvcc;
  std::uint64_t number = kLastNumber;

  // Returns the place of the record, and the place directly after it.
  static CellPosition of(const CellRecord& record) { return {record.key(), record.mvcc, record.number}; }
  static CellPosition after(const CellRecord& record) {
    return {record.key(), record.mvcc, record.number - 1};
  }
};

inline bool is_before(const CellRecord& record, const CellPosition& position) {
  if (const auto rows = record.row() <=> position.key.row; std::is_neq(rows)) {
    return std::is_lt(rows);
  }
  if (const auto keys = compare_in_row(record.key(), position.key); std::is_neq(keys)) {
    return std::is_lt(keys);
  }
  return record.mvcc != position.mvcc ? record.mvcc > position.mvcc : record.number > position.number;
}

inline std::size_t record_bytes(const Cell& cell) {
  const CellKey& key = cell.key;
  return sizeof(CellRecord) + key.row.size() + key.family.size() + key.qualifier.size() + cell.tags.size() +
         cell.value.size();
}

// Writes a record of record_bytes(cell) bytes to `memory`, which is at a multiple of 8.
inline const CellRecord& write_record(std::byte* memory, const Cell& cell, std::uint64_t number) {
  const CellKey& key = cell.key;
  const auto* const record =
      new (memory) CellRecord{.timestamp = key.timestamp,
                              .mvcc = cell.mvcc,
                              .number = number,
                              .qualifier_size = static_cast<std::uint32_t>(key.qualifier.size()),
                              .tags_size = static_cast<std::uint32_t>(cell.tags.size()),
                              .value_size = static_cast<std::uint32_t>(cell.value.size()),
                              .row_size = static_cast<std::uint16_t>(key.row.size()),
                              .family_size = static_cast<std::uint8_t>(key.family.size()),
                              .type = key.type};
  char* to = reinterpret_cast<char*>(memory) + sizeof(CellRecord);
  for (const std::string_view part : {key.row, key.family, key.qualifier, cell.tags, cell.value}) {
    copy_short(to, part);
    to += part.size();
  }
  return *record;
}

}  // namespace bloomery::store
