#include "codec/parquet/page_header.h"

#include <array>

#include "base/message.h"
#include "codec/parquet/compact_reader.h"

namespace bloomery::parquet {
namespace {

constexpr const char* kPageHeaderSubject = "parquet page header";

// The fields of the three structs that describe pages, by their ids. A struct that lacks a name has another
// field in its place, which is skipped.
struct DescriptionFields {
  std::int16_t values;
  std::int16_t nulls;
  std::int16_t encoding;
  std::int16_t definition;  // an encoding, or a number of bytes
  std::int16_t repetition;
  std::int16_t is_compressed;
};
constexpr std::int16_t kNoField = -1;
constexpr DescriptionFields kDataFields = {1, kNoField, 2, 3, 4, kNoField};
constexpr DescriptionFields kDictionaryFields = {1, kNoField, 2, kNoField, kNoField, kNoField};
constexpr DescriptionFields kDataV2Fields = {1, 2, 4, 5, 6, 7};

class PageHeaderReader {
 public:
  PageHeaderReader(std::span<const std::byte> bytes, std::uint64_t offset)
      : offset_(offset), reader_(bytes, offset, kPageHeaderSubject) {}

  Result<PageHeader> read() {
    std::optional<std::int32_t> type;
    bool has_size = false;
    bool has_page_size = false;
    BLOOMERY_RETURN_IF_ERROR(reader_.read_struct([&](const CompactField& field) -> Status {
      switch (field.id) {
        case 1: {
          BLOOMERY_ASSIGN_OR_RETURN(type, reader_.read_int32(field));
          return {};
        }
        case 2:
          has_size = true;
          return read_count(field, header_.decompressed_bytes);
        case 3:
          has_page_size = true;
          return read_count(field, header_.page_bytes);
        case 4:
          return read_crc(field);
        case 5:
          return read_description(field, PageType::kData, kDataFields);
        case 7:
          return read_description(field, PageType::kDictionary, kDictionaryFields);
        case 8:
          return read_description(field, PageType::kDataV2, kDataV2Fields);
        default:
          return reader_.skip(field);
      }
    }));
    if (!type || !has_size || !has_page_size) {
      return damaged("expected a type and two sizes, found fewer");
    }
    return checked(*type);
  }

 private:
  Result<PageHeader> checked(std::int32_t type) {
    if (type < 0) {
      return damaged(message("page type: expected 0 to 3, found ", type));
    }
    if (type > static_cast<std::int32_t>(PageType::kDataV2)) {
      return Error::unsupported(kPageHeaderSubject, offset_, message("a page of type ", type));
    }
    header_.type = static_cast<PageType>(type);
    header_.header_bytes = reader_.bytes_read();
    if (header_.type != PageType::kIndex && described_ != header_.type) {
      return damaged(message("expected the description of a page of type ", type, ", found none"));
    }
    return header_;
  }

  // Reads the struct that describes pages of `type`.
  Status read_description(const CompactField& outer, PageType type, const DescriptionFields& fields) {
    BLOOMERY_RETURN_IF_ERROR(reader_.expect(outer, CompactType::kStruct));
    if (described_) {
      return damaged("expected one description of the page, found two");
    }
    described_ = type;
    bool has_values = false;
    bool has_encoding = false;
    BLOOMERY_RETURN_IF_ERROR(reader_.read_struct([&](const CompactField& field) -> Status {
      has_values |= field.id == fields.values;
      has_encoding |= field.id == fields.encoding;
      return read_described(field, type, fields);
    }));
    return has_values && has_encoding
               ? Status()
               : Status(damaged("expected a number of values and their encoding, found fewer"));
  }

  Status read_described(const CompactField& field, PageType type, const DescriptionFields& fields) {
    if (field.id == fields.values) {
      return read_count(field, header_.values);
    }
    if (field.id == fields.nulls) {
      return read_count(field, header_.nulls);
    }
    if (field.id == fields.encoding) {
      return read_encoding(field, header_.encoding);
    }
    if (field.id == fields.definition) {
      return type == PageType::kDataV2 ? read_count(field, header_.definition_bytes)
                                       : read_encoding(field, header_.definition_encoding);
    }
    if (field.id == fields.repetition) {
      return type == PageType::kDataV2 ? read_count(field, header_.repetition_bytes)
                                       : read_encoding(field, header_.repetition_encoding);
    }
    if (field.id == fields.is_compressed &&
        (field.type == CompactType::kTrue || field.type == CompactType::kFalse)) {
      header_.is_compressed = field.type == CompactType::kTrue;
    }
    return reader_.skip(field);
  }

  Status read_count(const CompactField& field, std::uint64_t& count) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::int32_t number, reader_.read_int32(field));
    if (number < 0) {
      return damaged(message("field ", field.id, ": expected a number from 0, found ", number));
    }
    count = static_cast<std::uint64_t>(number);
    return {};
  }

  Status read_encoding(const CompactField& field, Encoding& encoding) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::int32_t number, reader_.read_int32(field));
    encoding = static_cast<Encoding>(number);
    return {};
  }

  Status read_crc(const CompactField& field) {
    if (field.type != CompactType::kInt32) {
      return reader_.skip(field);
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::int32_t crc, reader_.read_int32(field));
    header_.crc = static_cast<std::uint32_t>(crc);
    return {};
  }

  Error damaged(const std::string& detail) const {
    return Error::corruption(kPageHeaderSubject, offset_ + reader_.bytes_read(), detail);
  }

  std::uint64_t offset_;
  CompactReader reader_;
  PageHeader header_;
  std::optional<PageType> described_;
};

}  // namespace

std::string encoding_name(Encoding encoding) {
  constexpr std::array<const char*, 10> kNames = {
      "PLAIN",          "GROUP_VAR_INT",       "PLAIN_DICTIONARY",        "RLE",
      "BIT_PACKED",     "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
      "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"};
  const auto number = static_cast<std::int32_t>(encoding);
  return number >= 0 && static_cast<std::size_t>(number) < kNames.size()
             ? kNames[static_cast<std::size_t>(number)]
             : std::to_string(number);
}

Result<PageHeader> read_page_header(std::span<const std::byte> bytes, std::uint64_t offset) {
  return PageHeaderReader(bytes, offset).read();
}

}  // namespace bloomery::parquet
