// Walks the footer of a Parquet file and finds its filters.
//
//   "PAR1"  data, filters  FileMetaData (Thrift)  u32 length of it, little-endian  "PAR1"
//
// The walk reads the column chunks of each row group and skips everything else. From each chunk it reads:
//
//   path, physical type, codec, number of values, statistics, bloom_filter_offset, bloom_filter_length
//   the places of its pages and indexes
//
// An optional field whose Thrift type differs from the format's belongs to another writer, and is skipped,
// like Thrift's own readers do. A required field of a wrong type is damage.
//
// The walk checks that the pages, indexes and filters of every chunk are between the magic and the footer. So
// a file that lost bytes in its middle is reported as damaged, whichever column is queried.
//
// It also adds up the rows of the row groups. The sum shows whether the list lacks a row group. Nothing is
// collected, so a footer of any size costs no memory. Encrypted footers ("PARE") are refused. Source:
// docs/formats/parquet.md.
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
// Returns the type with this number. Errors: kCorruption below 0; kUnsupported for a type of a later version.
Result<PhysicalType> physical_type_of(std::int32_t number, const char* subject, std::uint64_t offset);
// Returns the size of a value, or nothing if values or columns of this type differ in size.
std::optional<std::size_t> value_bytes(PhysicalType type);

// The bounds of a chunk's values in its statistics; views into the footer. value_range.h defines
// which are trusted.
struct Statistics {
  std::optional<std::string_view> max = {};  // the older pair of fields
  std::optional<std::string_view> min = {};
  std::optional<std::string_view> max_value = {};
  std::optional<std::string_view> min_value = {};
  bool max_is_shortened = false;  // not a value of the chunk, but above all of them
  bool min_is_shortened = false;
};

// A range of the file that the metadata names. An offset or a length of 0 or below means that it is absent.
struct FilePlace {
  std::int64_t offset = 0;
  std::int64_t length = 0;
};

struct ColumnChunk {
  std::uint64_t row_group = 0;
  std::uint64_t index = 0;  // index in its row group
  std::string path;         // path components joined by dots; empty if the chunk's metadata is encrypted
  PhysicalType type = PhysicalType::kBoolean;
  std::optional<std::int64_t> value_count;  // including nulls
  Statistics statistics = {};
  std::optional<std::int64_t> filter_offset;
  std::optional<std::int32_t> filter_length;
  std::int32_t codec = -1;  // numbered as in Parquet's enum CompressionCodec; -1 if the chunk names none
  FilePlace pages = {};     // all of them, with the dictionary page
  FilePlace offset_index = {};
  FilePlace column_index = {};
  bool encrypted = false;
  bool in_other_file = false;
};

struct Footer {
  std::span<const std::byte> metadata;
  std::uint64_t offset = 0;  // offset of the metadata in the file
};

// Returns true if the bytes begin and end like a Parquet file with a plain or an encrypted footer.
bool looks_like_file(std::span<const std::byte> file);
// Errors: kCorruption; kUnsupported for an encrypted footer.
Result<Footer> read_footer(std::span<const std::byte> file);

struct RowGroup {
  std::uint64_t number = 0;
  std::uint64_t chunks = 0;
  std::int64_t rows = 0;
};

// Calls visit(chunk) for every column chunk, row group by row group. After the last chunk of a row group
// it calls leave(row_group). Errors: the errors of both callbacks; kCorruption, which can also follow
// the last call.
Status for_each_column_chunk(const Footer& footer, const std::function<Status(const ColumnChunk&)>& visit,
                             const std::function<Status(const RowGroup&)>& leave = nullptr);

}  // namespace bloomery::parquet
