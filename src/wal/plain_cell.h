// A cell of a log that is not compressed.
//
//   i32 length | i32 key length | i32 value length | flat key | value | [u16 tags length | tags]
//
// `length` counts everything after it. The tags and their length are there only if the cell has tags. There
// is no mvcc: the key of the entry has it. Source: docs/formats/hbase-wal.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/tag.h"
#include "hfile/byte_writer.h"
#include "hfile/flat_key.h"
#include "wal/entry_bytes.h"

namespace bloomery::wal {

inline constexpr std::size_t kPlainLengthBytes = 4;
inline constexpr std::size_t kCellLengthsBytes = 8;  // of key and value
inline constexpr std::size_t kTagsLengthBytes = 2;

// Returns false if the tags of a cell are not what `rest`, its bytes after the value, says.
inline bool read_plain_tags(std::string_view rest, std::string_view& tags) {
  if (rest.empty()) {
    tags = {};
    return true;
  }
  if (rest.size() <= kTagsLengthBytes) {
    return false;
  }
  tags = rest.substr(kTagsLengthBytes);
  return load_big16(reinterpret_cast<const std::byte*>(rest.data())) == tags.size() && has_whole_tags(tags);
}

// Returns true for the types of keys to seek by, which no cell has. Zeros over a key would be such a type.
constexpr bool is_only_for_seeks(CellType type) {
  return type == CellType::kMinimum || type == CellType::kMaximum;
}

// Reads a cell as views. Returns nullptr, or what was expected where `in` failed.
inline const char* read_plain_cell(EntryBytes& in, Cell& cell) {
  const std::uint64_t length = in.number<std::uint32_t>();
  const std::uint64_t key = in.number<std::uint32_t>();
  const std::uint64_t value = in.number<std::uint32_t>();
  const std::uint64_t most_rest = kTagsLengthBytes + hfile::kMaxTagsBytes;
  if (in.failed()) {
    return "the lengths of a cell";
  }
  const std::uint64_t sum = kCellLengthsBytes + key + value;
  if (length >> 31 != 0 || sum > length || length - sum > most_rest) {
    in.fail();
    return "a cell whose length is that of its key, value and tags";
  }
  const std::string_view bytes = in.bytes(static_cast<std::size_t>(length - kCellLengthsBytes));
  if (in.failed()) {
    return "a cell";
  }
  cell.value = bytes.substr(static_cast<std::size_t>(key), static_cast<std::size_t>(value));
  if (!hfile::read_flat_key(bytes.substr(0, static_cast<std::size_t>(key)), cell.key) ||
      is_only_for_seeks(cell.key.type)) {
    in.fail();
    return "the key of a cell";
  }
  if (!read_plain_tags(bytes.substr(static_cast<std::size_t>(key + value)), cell.tags)) {
    in.fail();
    return "the tags of a cell";
  }
  return nullptr;
}

// Returns the stored size of a cell.
inline std::size_t plain_cell_bytes(const Cell& cell) {
  const std::size_t tags = cell.tags.empty() ? 0 : kTagsLengthBytes + cell.tags.size();
  return kPlainLengthBytes + kCellLengthsBytes + hfile::kKeyFixedBytes + cell.key.row.size() +
         cell.key.family.size() + cell.key.qualifier.size() + cell.value.size() + tags;
}

// Writes the fields of a cell one after the other.
class CellBytes {
 public:
  explicit CellBytes(std::byte* at) : at_(at) {}

  template <typename T>
  void number(T value) {
    store_big(at_, value);
    at_ += sizeof(T);
  }
  void bytes(std::string_view bytes) {
    if (!bytes.empty()) {
      std::memcpy(at_, bytes.data(), bytes.size());
      at_ += bytes.size();
    }
  }

 private:
  std::byte* at_;
};

// Precondition: the lengths of row, family and tags fit into their fields. The cell has less than 2^31 bytes.
inline void append_plain_cell(hfile::ByteWriter& out, const Cell& cell) {
  const CellKey& key = cell.key;
  const std::size_t size = plain_cell_bytes(cell);
  const std::size_t key_bytes =
      hfile::kKeyFixedBytes + key.row.size() + key.family.size() + key.qualifier.size();
  CellBytes bytes(out.extend(size));
  bytes.number(static_cast<std::uint32_t>(size - kPlainLengthBytes));
  bytes.number(static_cast<std::uint32_t>(key_bytes));
  bytes.number(static_cast<std::uint32_t>(cell.value.size()));
  bytes.number(static_cast<std::uint16_t>(key.row.size()));
  bytes.bytes(key.row);
  bytes.number(static_cast<std::uint8_t>(key.family.size()));
  bytes.bytes(key.family);
  bytes.bytes(key.qualifier);
  bytes.number(static_cast<std::uint64_t>(key.timestamp));
  bytes.number(static_cast<std::uint8_t>(key.type));
  bytes.bytes(cell.value);
  if (!cell.tags.empty()) {
    bytes.number(static_cast<std::uint16_t>(cell.tags.size()));
    bytes.bytes(cell.tags);
  }
}

}  // namespace bloomery::wal
