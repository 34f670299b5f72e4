// The type of a column: its physical type defines how values are stored, and its logical type
// defines their meaning.
//
// A file states the logical type up to twice: as the union LogicalType and as the older ConvertedType. Both
// become one LogicalKind here. If the two contradict each other the file is damaged, since each would convert
// a text to different bytes. An annotation that does not fit the physical type, or is unknown to this
// version, yields a column whose values have no text (kOther). Source: docs/formats/parquet.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "codec/parquet/file_metadata.h"

namespace bloomery::parquet {

enum class LogicalKind {
  kNone,  // no logical type
  kString,
  kEnum,
  kJson,
  kBson,
  kInteger,
  kDecimal,
  kDate,
  kTime,
  kTimestamp,
  kInterval,
  kUuid,
  kFloat16,
  kOther,
};

enum class TimeUnit { kMillis, kMicros, kNanos };

struct LogicalType {
  LogicalKind kind = LogicalKind::kNone;
  std::int32_t bit_width = 0;  // of kInteger: 8, 16, 32 or 64
  bool is_signed = false;
  std::int32_t precision = 0;  // of kDecimal
  std::int32_t scale = 0;
  TimeUnit unit = TimeUnit::kMillis;  // of kTime and kTimestamp
  bool is_utc = false;                // isAdjustedToUTC

  friend bool operator==(const LogicalType&, const LogicalType&) = default;
};

// The most digits of a decimal that can be queried by text.
inline constexpr std::int32_t kMostPrecision = 1000;
// The longest FIXED_LEN_BYTE_ARRAY whose decimals can be queried by text: each key needs as many bytes.
inline constexpr std::int32_t kMostDecimalBytes = 1 << 16;

struct ColumnType {
  PhysicalType physical = PhysicalType::kBoolean;
  std::int32_t length = 0;  // of FIXED_LEN_BYTE_ARRAY
  LogicalType logical = {};

  friend bool operator==(const ColumnType&, const ColumnType&) = default;
};

// Returns the size of a value; nothing if values differ in size.
std::optional<std::size_t> value_bytes(const ColumnType& type);

// Returns the type, with kOther for a logical type that is impossible for this physical type.
ColumnType checked(ColumnType type);

// Returns "INT64", "FIXED_LEN_BYTE_ARRAY(16)".
std::string physical_name(const ColumnType& type);
// Returns "DECIMAL(9, 2)", "TIMESTAMP(MICROS, UTC)" or "TIME(NANOS, local)"; empty for kNone.
std::string logical_name(const LogicalType& type);
// Returns both names: "DATE of INT32", or "INT64".
std::string type_name(const ColumnType& type);

}  // namespace bloomery::parquet
