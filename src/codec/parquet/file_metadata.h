// Walks the footer of a Parquet file and finds the filters.
//
//   "PAR1"  data, filters  FileMetaData (Thrift)  u32 length of it, little-endian  "PAR1"
//
// The walk reads the column chunks of each row group and skips everything else. Of each chunk it takes:
//
//   path, physical type, number of values, statistics, bloom_filter_offset, bloom_filter_length
//
// An optional field whose Thrift type is another one than the format's is a field of somebody else, and is skipped, as
// Thrift's own readers do. A required one is damage.
//
// It checks that the pages, indexes and filters of every chunk lie between the magic and the footer. A file
// that lost bytes in its middle is then damage, whichever column is asked for.
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
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::parquet {

// The name of a file in errors.
inline constexpr const char* kFileSubject = "parquet file";

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
// Returns the type of this number. Errors: kCorruption below 0, where none can be; kUnsupported for one of a later version.
Result<PhysicalType> physical_type_of(std::int32_t number, const char* subject, std::uint64_t offset);
// Returns the bytes of a value, or nothing if values or columns of this type differ in size.
std::optional<std::size_t> value_bytes(PhysicalType type);

// The bounds of a chunk's values, as its statistics state them; views into the footer. value_range.h says which are
// believed.
struct Statistics {
  std::optional<std::string_view> max = {};  // the older fields
  std::optional<std::string_view> min = {};
  std::optional<std::string_view> max_value = {};
  std::optional<std::string_view> min_value = {};
  bool max_is_shortened = false;  // stated to be no value of the chunk, but above all of them
  bool min_is_shortened = false;
};

struct ColumnChunk {
  std::uint64_t row_group = 0;
  std::uint64_t index = 0;  // in its row group
  std::string path;         // its parts joined by dots; empty if the chunk's metadata is encrypted
  PhysicalType type = PhysicalType::kBoolean;
  std::optional<std::int64_t> value_count;  // including nulls
  Statistics statistics = {};
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

struct RowGroup {
  std::uint64_t number = 0;
  std::uint64_t chunks = 0;
  std::int64_t rows = 0;
};

// Calls visit(chunk) for every column chunk, row group after row group. Behind the last chunk of a row group it
// calls leave(row_group). Errors: those of both; kCorruption, which can also come after the last call.
Status for_each_column_chunk(const Footer& footer, const std::function<Status(const ColumnChunk&)>& visit,
                             const std::function<Status(const RowGroup&)>& leave = nullptr);

}  // namespace bloomery::parquet
