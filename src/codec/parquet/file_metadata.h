// Walks the footer of a Parquet file and finds the filters.
//
//   "PAR1"  data, filters  FileMetaData (Thrift)  u32 length of it, little-endian  "PAR1"
//
// The walk reads the column chunks of each row group and skips everything else. Of each chunk it takes:
//
//   path, physical type, number of values, bloom_filter_offset, bloom_filter_length
//
// It also adds up the row groups' numbers of rows. The sum shows whether a row group is missing in the list.
// Nothing is collected, so a footer of any size costs no memory. Encrypted footers ("PARE") are refused.
// Source: docs/formats/parquet.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery::parquet {

// Numbered as in Parquet's enum Type.
enum class PhysicalType : std::int32_t {
  kBoolean = 0,
  kInt32 = 1,
  kInt64 = 2,
  kInt96 = 3,
  kFloat = 4,
  kDouble = 5,
  kByteArray = 6,
  kFixedLengthByteArray = 7,
};

// Returns the name in Parquet, such as "INT32".
const char* physical_type_name(PhysicalType type);
// Returns the bytes of a value, or nothing if values or columns of this type differ in size.
std::optional<std::size_t> value_bytes(PhysicalType type);

struct ColumnChunk {
  std::uint64_t row_group = 0;
  std::string path;  // its parts joined by dots
  PhysicalType type = PhysicalType::kBoolean;
  std::optional<std::int64_t> value_count;  // including nulls
  std::optional<std::int64_t> filter_offset;
  std::optional<std::int32_t> filter_length;
  bool encrypted = false;
  bool in_other_file = false;
};

struct Footer {
  std::span<const std::byte> metadata;
  std::uint64_t offset = 0;  // where the metadata begins in the file
};

// Whether the bytes begin and end like a Parquet file with a plain or an encrypted footer.
bool looks_like_file(std::span<const std::byte> file);
// Errors: kCorruption; kUnsupported for an encrypted footer.
Result<Footer> read_footer(std::span<const std::byte> file);

// Calls visit(chunk) for every column chunk, row group after row group. Errors: those of visit();
// kCorruption, which can also come after the last visit.
Status for_each_column_chunk(const Footer& footer, const std::function<Status(const ColumnChunk&)>& visit);

}  // namespace bloomery::parquet
