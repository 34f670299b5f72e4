// Where the filters of a Parquet file are: its footer, walked.
//
//   "PAR1"  data, filters  FileMetaData (Thrift)  u32 length of it, little-endian  "PAR1"
//
// Of FileMetaData only the column chunks of each row group are read: path, physical type, number of values,
// bloom_filter_offset and bloom_filter_length; and the numbers of rows, by which a row group that is not in
// the list would be missed. Nothing is collected, so that a footer of any size costs no memory. Source:
// docs/formats/parquet.md. Not here: encrypted footers ("PARE"), which are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery::parquet {

// As numbered in Parquet's enum Type.
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

// Returns "INT32", ...
const char* physical_type_name(PhysicalType type);
// Bytes of a value; nothing where that differs from value to value, or from column to column.
std::optional<std::size_t> value_bytes(PhysicalType type);

struct ColumnChunk {
  std::uint64_t row_group = 0;
  std::string path;  // its parts joined by dots
  PhysicalType type = PhysicalType::kBoolean;
  std::optional<std::int64_t> value_count;  // nulls included
  std::optional<std::int64_t> filter_offset;
  std::optional<std::int32_t> filter_length;
  bool encrypted = false;
  bool in_other_file = false;
};

struct Footer {
  std::span<const std::byte> metadata;
  std::uint64_t offset = 0;  // of the metadata in the file
};

// Whether the bytes begin and end as a Parquet file does, in clear or encrypted.
bool looks_like_file(std::span<const std::byte> file);
// Errors: kCorruption; kUnsupported for an encrypted footer.
Result<Footer> read_footer(std::span<const std::byte> file);

// Calls visit(chunk) for every column chunk, row group after row group. Errors: its own; kCorruption, also
// behind the last visit.
Status for_each_column_chunk(const Footer& footer, const std::function<Status(const ColumnChunk&)>& visit);

}  // namespace bloomery::parquet
