// Reads the part of Thrift's compact protocol that Parquet's metadata needs.
//
//   struct   fields, then a byte 0
//   field    byte (id - last id) * 16 + type, or byte `type` and the id as a zigzag varint; then the value
//   integer  zigzag varint
//   binary   varint length, bytes
//   list     byte count * 16 + element type, or f0 + element type and the count as a varint; then the values
//   map      varint count; if not 0, byte key type * 16 + value type; then keys and values in turn
//
// The reader trusts nothing. It compares every length and count with the bytes that remain, bounds the depth,
// and refuses a struct that names a field twice. So the work is at most linear in the bytes. A varint may be
// longer than necessary. Source: the Thrift project, doc/specs/thrift-compact-protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/base/result.h"

namespace bloomery::parquet {

enum class CompactType : std::uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kInt16 = 4,
  kInt32 = 5,
  kInt64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
  kUuid = 13,
};

struct CompactField {
  std::int16_t id = 0;
  CompactType type = CompactType::kStop;
};

class CompactReader {
 public:
  // `offset` is the offset of `bytes` in their file. `subject` is their name in errors.
  CompactReader(std::span<const std::byte> bytes, std::uint64_t offset, std::string subject)
      : bytes_(bytes), offset_(offset), subject_(std::move(subject)) {}

  std::uint64_t bytes_read() const { return read_; }

  // Calls visit(field) for each field of the struct that begins here. visit() reads the value or skips it.
  template <typename Visit>
  Status read_struct(const Visit& visit) {
    CompactField field;
    std::uint64_t seen = 0;  // bit i: field i was seen
    for (;;) {
      BLOOMERY_ASSIGN_OR_RETURN(field, next_field(field.id));
      if (field.type == CompactType::kStop) {
        return {};
      }
      BLOOMERY_RETURN_IF_ERROR(mark_seen(field.id, seen));
      BLOOMERY_RETURN_IF_ERROR(visit(field));
    }
  }
  // Calls visit() for each element of the list in `field`. The elements must be of `type`.
  template <typename Visit>
  Status read_list(const CompactField& field, CompactType type, const Visit& visit) {
    BLOOMERY_RETURN_IF_ERROR(expect(field, CompactType::kList));
    BLOOMERY_ASSIGN_OR_RETURN(const Elements elements, list_elements());
    if (elements.count > 0 && elements.type != type) {
      return damaged("expected a list of another type");
    }
    for (std::uint64_t i = 0; i < elements.count; ++i) {
      BLOOMERY_RETURN_IF_ERROR(visit());
    }
    return {};
  }
  // Does the same as read_list(), but skips a list of other elements and any field that is not a list, since
  // those are fields of another writer.
  template <typename Visit>
  Status read_list_if(const CompactField& field, CompactType type, const Visit& visit) {
    if (field.type != CompactType::kList) {
      return skip(field);
    }
    BLOOMERY_ASSIGN_OR_RETURN(const Elements elements, list_elements());
    for (std::uint64_t i = 0; i < elements.count; ++i) {
      BLOOMERY_RETURN_IF_ERROR(elements.type == type ? visit() : skip_element(elements.type, 0));
    }
    return {};
  }
  Result<std::int32_t> read_int8(const CompactField& field);
  Result<std::int32_t> read_int32(const CompactField& field);
  Result<std::int64_t> read_int64(const CompactField& field);
  // Returns a view of the bytes.
  Result<std::string_view> read_binary(const CompactField& field);
  Result<std::string_view> read_binary();  // an element of a list, or a field whose type was checked
  Status expect(const CompactField& field, CompactType type) const;
  Status skip(const CompactField& field) { return skip(field.type, 0); }

 private:
  struct Elements {
    std::uint64_t count;
    CompactType type;
  };

  std::uint64_t left() const { return bytes_.size() - read_; }
  Error damaged(const std::string& detail) const;
  Result<CompactField> next_field(std::int16_t last_id);
  Status mark_seen(std::int16_t id, std::uint64_t& seen) const;
  Result<std::uint8_t> read_byte();
  Result<std::uint64_t> read_varint();
  Result<std::int64_t> read_zigzag();
  Result<CompactType> checked_type(unsigned type) const;
  Result<Elements> list_elements();
  Status skip_bytes(std::uint64_t count);
  Status skip(CompactType type, int depth);
  Status skip_element(CompactType type, int depth);
  Status skip_map(int depth);

  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
  std::string subject_;
  std::uint64_t read_ = 0;
};

}  // namespace bloomery::parquet
