#include "codec/parquet/compact_reader.h"

#include <limits>

#include "base/varint.h"

namespace bloomery::parquet {
namespace {

// The deepest nesting that is accepted. Parquet's own structs nest five deep.
constexpr int kMaxDepth = 32;

}  // namespace

Error CompactReader::damaged(const std::string& detail) const {
  return Error::corruption(subject_, offset_ + read_, detail);
}

Result<std::uint8_t> CompactReader::read_byte() {
  if (left() == 0) {
    return damaged("expected another byte, found the end");
  }
  return std::to_integer<std::uint8_t>(bytes_[read_++]);
}

Result<std::uint64_t> CompactReader::read_varint() {
  const VarintGroups varint = join_varint(bytes_.subspan(read_));
  read_ += varint.size_bytes;
  switch (varint.end) {
    case VarintEnd::kCut:
      return damaged("expected another byte, found the end");
    case VarintEnd::kTooLong:
      return damaged("expected a number of at most 64 bits, found more");
    case VarintEnd::kWhole:
      break;
  }
  return varint.value;
}

Result<std::int64_t> CompactReader::read_zigzag() {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t value, read_varint());
  return unzigzagged(value);
}

Result<CompactType> CompactReader::checked_type(unsigned type) const {
  if (type == 0 || type > static_cast<unsigned>(CompactType::kUuid)) {
    return damaged("expected a type from 1 to 13, found " + std::to_string(type));
  }
  return static_cast<CompactType>(type);
}

Result<CompactField> CompactReader::next_field(std::int16_t last_id) {
  BLOOMERY_ASSIGN_OR_RETURN(const unsigned byte, read_byte());
  if (byte == 0) {
    return CompactField{};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const CompactType type, checked_type(byte & 0xf));
  std::int64_t id = std::int64_t{last_id} + (byte >> 4);
  if (byte >> 4 == 0) {
    BLOOMERY_ASSIGN_OR_RETURN(id, read_zigzag());
  }
  if (id < std::numeric_limits<std::int16_t>::min() || id > std::numeric_limits<std::int16_t>::max()) {
    return damaged("expected a field id of 16 bits, found " + std::to_string(id));
  }
  return CompactField{static_cast<std::int16_t>(id), type};
}

Status CompactReader::mark_seen(std::int16_t id, std::uint64_t& seen) const {
  if (id < 0 || id > 63) {  // no caller reads such a field
    return {};
  }
  const std::uint64_t bit = std::uint64_t{1} << id;
  if ((seen & bit) != 0) {
    return damaged("expected a field once, found " + std::to_string(id) + " again");
  }
  seen |= bit;
  return {};
}

Status CompactReader::expect(const CompactField& field, CompactType type) const {
  if (field.type != type) {
    return damaged("field " + std::to_string(field.id) + ": expected type " +
                   std::to_string(static_cast<int>(type)) + ", found " +
                   std::to_string(static_cast<int>(field.type)));
  }
  return {};
}

Result<std::int32_t> CompactReader::read_int8(const CompactField& field) {
  BLOOMERY_RETURN_IF_ERROR(expect(field, CompactType::kByte));
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint8_t byte, read_byte());
  return byte < 128 ? std::int32_t{byte} : std::int32_t{byte} - 256;
}

Result<std::int32_t> CompactReader::read_int32(const CompactField& field) {
  BLOOMERY_RETURN_IF_ERROR(expect(field, CompactType::kInt32));
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t value, read_zigzag());
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) {
    return damaged("field " + std::to_string(field.id) + ": expected 32 bits, found " +
                   std::to_string(value));
  }
  return static_cast<std::int32_t>(value);
}

Result<std::int64_t> CompactReader::read_int64(const CompactField& field) {
  BLOOMERY_RETURN_IF_ERROR(expect(field, CompactType::kInt64));
  return read_zigzag();
}

Result<std::string_view> CompactReader::read_binary(const CompactField& field) {
  BLOOMERY_RETURN_IF_ERROR(expect(field, CompactType::kBinary));
  return read_binary();
}

Result<std::string_view> CompactReader::read_binary() {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, read_varint());
  const std::uint64_t begin = read_;
  BLOOMERY_RETURN_IF_ERROR(skip_bytes(size));
  return std::string_view(reinterpret_cast<const char*>(bytes_.data()) + begin, size);
}

Result<CompactReader::Elements> CompactReader::list_elements() {
  BLOOMERY_ASSIGN_OR_RETURN(const unsigned byte, read_byte());
  std::uint64_t count = byte >> 4;
  if (count == 15) {
    BLOOMERY_ASSIGN_OR_RETURN(count, read_varint());
  }
  if (count > left()) {  // an element has at least one byte
    return damaged("a list of " + std::to_string(count) + " elements in " + std::to_string(left()) +
                   " bytes");
  }
  if (count == 0) {  // writers do not agree on the type of an empty list
    return Elements{0, CompactType::kStop};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const CompactType type, checked_type(byte & 0xf));
  return Elements{count, type};
}

Status CompactReader::skip_bytes(std::uint64_t count) {
  if (count > left()) {
    return damaged("expected " + std::to_string(count) + " bytes, found " + std::to_string(left()));
  }
  read_ += count;
  return {};
}

Status CompactReader::skip(CompactType type, int depth) {
  if (depth > kMaxDepth) {
    return damaged("nested deeper than " + std::to_string(kMaxDepth));
  }
  switch (type) {
    case CompactType::kStop:
    case CompactType::kTrue:
    case CompactType::kFalse:
      return {};
    case CompactType::kByte:
      return skip_bytes(1);
    case CompactType::kInt16:
    case CompactType::kInt32:
    case CompactType::kInt64: {
      BLOOMERY_RETURN_IF_ERROR(read_varint());
      return {};
    }
    case CompactType::kDouble:
      return skip_bytes(8);
    case CompactType::kBinary: {
      BLOOMERY_RETURN_IF_ERROR(read_binary());
      return {};
    }
    case CompactType::kList:
    case CompactType::kSet: {
      BLOOMERY_ASSIGN_OR_RETURN(const Elements elements, list_elements());
      for (std::uint64_t i = 0; i < elements.count; ++i) {
        BLOOMERY_RETURN_IF_ERROR(skip_element(elements.type, depth));
      }
      return {};
    }
    case CompactType::kMap:
      return skip_map(depth);
    case CompactType::kStruct:
      return read_struct([&](const CompactField& field) { return skip(field.type, depth + 1); });
    case CompactType::kUuid:
      return skip_bytes(16);
  }
  return damaged("a type that is none");
}

// A boolean is one byte in a list or a map, and no byte elsewhere.
Status CompactReader::skip_element(CompactType type, int depth) {
  return type == CompactType::kTrue || type == CompactType::kFalse ? skip_bytes(1) : skip(type, depth + 1);
}

Status CompactReader::skip_map(int depth) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t count, read_varint());
  if (count == 0) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const unsigned byte, read_byte());
  BLOOMERY_ASSIGN_OR_RETURN(const CompactType key, checked_type(byte >> 4));
  BLOOMERY_ASSIGN_OR_RETURN(const CompactType value, checked_type(byte & 0xf));
  if (count > left() / 2) {
    return damaged("a map of " + std::to_string(count) + " entries in " + std::to_string(left()) + " bytes");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    BLOOMERY_RETURN_IF_ERROR(skip_element(key, depth));
    BLOOMERY_RETURN_IF_ERROR(skip_element(value, depth));
  }
  return {};
}

}  // namespace bloomery::parquet
