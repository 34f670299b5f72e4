// Logs of LevelDB and RocksDB that tests make piece by piece, with right checksums around any contents.
#pragma once

#include <cstdint>
#include <string>

#include "base/endian.h"
#include "codec/sstable/block_checksum.h"
#include "tests/base/test_bytes.h"
#include "tests/codec/crafted_table.h"

namespace bloomery {

template <typename Number>
std::string little_bytes(Number value) {
  std::string bytes(sizeof value, '\0');
  store_little(reinterpret_cast<std::byte*>(bytes.data()), value);
  return bytes;
}

// One piece of a record. `number` is that of the log, for the types that have it.
inline std::string log_piece(unsigned type, const std::string& bytes, const std::string& number = "") {
  const std::string checked = static_cast<char>(type) + number + bytes;
  return little_bytes(sstable::block_checksum(sstable::ChecksumKind::kCrc32c, bytes_of(checked))) +
         little_bytes(static_cast<std::uint16_t>(bytes.size())) + checked;
}

// A text as it stands in a record: its size, and its bytes.
inline std::string sized_text(const std::string& text) {
  return varint_of(text.size()) + text;
}

// The header of a write batch: sequence number and number of writes.
inline std::string batch_header(std::uint32_t writes) {
  return little_bytes(std::uint64_t{1}) + little_bytes(writes);
}

}  // namespace bloomery
