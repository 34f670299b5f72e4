#include "codec/parquet/filter_header.h"

#include <array>
#include <cassert>
#include <limits>
#include <string_view>

#include "base/varint.h"
#include "codec/parquet/compact_reader.h"
#include "codec/parquet/split_blocks.h"

namespace bloomery::parquet {
namespace {

constexpr const char* kFilterHeaderSubject = "parquet filter header";
// Fields 2 to 4, each a union: its field 1 is an empty struct, and both structs end with a stop. Then the
// stop of the header.
constexpr std::string_view kUnions("\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 13);

// Reads a union whose only known member is field 1, an empty struct.
Status read_sole_choice(CompactReader& reader, const CompactField& field, std::string_view what,
                        std::uint64_t offset) {
  BLOOMERY_RETURN_IF_ERROR(reader.expect(field, CompactType::kStruct));
  bool found = false;
  BLOOMERY_RETURN_IF_ERROR(reader.read_struct([&](const CompactField& choice) -> Status {
    if (choice.id != 1 || choice.type != CompactType::kStruct) {
      return Error::unsupported(kFilterHeaderSubject, offset + reader.bytes_read(),
                                std::string(what) + ", found choice " + std::to_string(choice.id));
    }
    found = true;
    return reader.read_struct([&](const CompactField& parameter) -> Status {
      return Error::unsupported(
          kFilterHeaderSubject, offset + reader.bytes_read(),
          std::string(what) + " without parameters, found field " + std::to_string(parameter.id));
    });
  }));
  if (!found) {
    return Error::corruption(kFilterHeaderSubject, offset + reader.bytes_read(),
                             std::string(what) + ", found none");
  }
  return {};
}

}  // namespace

Result<FilterHeader> read_filter_header(std::span<const std::byte> bytes, std::uint64_t offset) {
  static constexpr std::array<std::string_view, 3> kChoices = {
      "algorithm: expected 1 (split blocks)", "hash: expected 1 (XXH64)", "compression: expected 1 (none)"};
  CompactReader reader(bytes, offset, kFilterHeaderSubject);
  std::int32_t size = 0;
  std::size_t fields = 0;
  BLOOMERY_RETURN_IF_ERROR(reader.read_struct([&](const CompactField& field) -> Status {
    ++fields;
    if (field.id == 1) {
      BLOOMERY_ASSIGN_OR_RETURN(size, reader.read_int32(field));
      return {};
    }
    if (field.id < 1 || field.id > 4) {
      const std::uint64_t place = offset + reader.bytes_read();
      // A later version may add a field after the four. No version omits one of the four.
      return field.id > 4 && fields > 4
                 ? Error::unsupported(kFilterHeaderSubject, place,
                                      "expected fields 1 to 4, found " + std::to_string(field.id))
                 : Error::corruption(kFilterHeaderSubject, place, "fields 1 to 4", field.id);
    }
    return read_sole_choice(reader, field, kChoices[static_cast<std::size_t>(field.id - 2)], offset);
  }));
  if (fields != 4) {  // the reader refuses repeated fields, so 4 are all of them
    return Error::corruption(kFilterHeaderSubject, offset, "4 fields", fields);
  }
  if (size < static_cast<std::int32_t>(kBlockBytes) || size % static_cast<std::int32_t>(kBlockBytes) != 0) {
    return Error::corrupt_field(kFilterHeaderSubject, offset, "bytes", "a multiple of 32, at least 32", size);
  }
  return FilterHeader{.header_bytes = reader.bytes_read(), .bitset_bytes = static_cast<std::uint64_t>(size)};
}

std::string filter_header_bytes(std::uint64_t bitset_bytes) {
  assert(bitset_bytes <= std::numeric_limits<std::int32_t>::max());
  std::array<std::byte, kMaxVarintBytes> zigzag;
  const std::size_t size = write_varint(zigzag.data(), bitset_bytes * 2);
  std::string bytes = "\x15";  // field 1 of type i32
  bytes.append(reinterpret_cast<const char*>(zigzag.data()), size);
  return bytes.append(kUnions);
}

}  // namespace bloomery::parquet
