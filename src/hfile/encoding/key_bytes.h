// The key of a cell that is being written: as a flat key in a reused buffer, and as fields, which are views
// of that buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "bloomery/hfile/cell.h"
#include "hfile/byte_writer.h"
#include "hfile/encoding/flat_cell.h"

namespace bloomery::hfile {

class KeyBytes {
 public:
  // Precondition: the row is shorter than 2^15, the family than 2^7.
  void assign(const CellKey& key) {
    const std::size_t size = kKeyFixedBytes + key.row.size() + key.family.size() + key.qualifier.size();
    bytes_.clear();
    std::byte* at = bytes_.extend(size);
    store_big(at, static_cast<std::uint16_t>(key.row.size()));
    at += 2;
    key_.row = put(at, key.row);
    *at++ = static_cast<std::byte>(key.family.size());
    key_.family = put(at, key.family);
    key_.qualifier = put(at, key.qualifier);
    store_big(at, static_cast<std::uint64_t>(key.timestamp));
    at[kTimestampBytes] = static_cast<std::byte>(key.type);
    key_.timestamp = key.timestamp;
    key_.type = key.type;
  }

  const CellKey& key() const { return key_; }
  std::string_view flat() const { return bytes_.text(); }

 private:
  static std::string_view put(std::byte*& at, std::string_view part) {
    if (part.size() == 1) {  // a common size of families and qualifiers, without a call
      *at = static_cast<std::byte>(part[0]);
    } else if (!part.empty()) {
      std::memcpy(at, part.data(), part.size());
    }
    const std::string_view placed(reinterpret_cast<const char*>(at), part.size());
    at += part.size();
    return placed;
  }

  ByteWriter bytes_;
  CellKey key_;
};

}  // namespace bloomery::hfile
