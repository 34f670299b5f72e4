#include "codec/parquet/column_type.h"

#include "base/message.h"

namespace bloomery::parquet {
namespace {

const char* unit_name(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMillis:
      return "MILLIS";
    case TimeUnit::kMicros:
      return "MICROS";
    case TimeUnit::kNanos:
      return "NANOS";
  }
  return "unknown";
}

bool is_decimal(const ColumnType& type) {
  const LogicalType& logical = type.logical;
  const bool stored = type.physical == PhysicalType::kInt32 || type.physical == PhysicalType::kInt64 ||
                      type.physical == PhysicalType::kByteArray ||
                      (type.physical == PhysicalType::kFixedLengthByteArray && type.length > 0 &&
                       type.length <= kMostDecimalBytes);
  return stored && logical.precision >= 1 && logical.precision <= kMostPrecision && logical.scale >= 0 &&
         logical.scale <= logical.precision;
}

// Returns true if a column of this physical type can have this logical type.
bool fits(const ColumnType& type) {
  const LogicalType& logical = type.logical;
  const bool is_fixed = type.physical == PhysicalType::kFixedLengthByteArray;
  switch (logical.kind) {
    case LogicalKind::kNone:
    case LogicalKind::kOther:
      return true;
    case LogicalKind::kString:
    case LogicalKind::kEnum:
    case LogicalKind::kJson:
    case LogicalKind::kBson:
      return type.physical == PhysicalType::kByteArray;
    case LogicalKind::kInteger:
      return type.physical == (logical.bit_width == 64 ? PhysicalType::kInt64 : PhysicalType::kInt32) &&
             (logical.bit_width == 8 || logical.bit_width == 16 || logical.bit_width == 32 ||
              logical.bit_width == 64);
    case LogicalKind::kDecimal:
      return is_decimal(type);
    case LogicalKind::kDate:
      return type.physical == PhysicalType::kInt32;
    case LogicalKind::kTime:
      return type.physical ==
             (logical.unit == TimeUnit::kMillis ? PhysicalType::kInt32 : PhysicalType::kInt64);
    case LogicalKind::kTimestamp:
      return type.physical == PhysicalType::kInt64;
    case LogicalKind::kInterval:
      return is_fixed && type.length == 12;
    case LogicalKind::kUuid:
      return is_fixed && type.length == 16;
    case LogicalKind::kFloat16:
      return is_fixed && type.length == 2;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> value_bytes(const ColumnType& type) {
  return type.physical == PhysicalType::kFixedLengthByteArray && type.length > 0
             ? std::optional(static_cast<std::size_t>(type.length))
             : value_bytes(type.physical);
}

ColumnType checked(ColumnType type) {
  if (!fits(type)) {
    type.logical = {.kind = LogicalKind::kOther};
  }
  return type;
}

std::string physical_name(const ColumnType& type) {
  return type.physical == PhysicalType::kFixedLengthByteArray
             ? message(physical_type_name(type.physical), "(", type.length, ")")
             : physical_type_name(type.physical);
}

std::string logical_name(const LogicalType& type) {
  const auto of_time = [&type](const char* name) {
    return message(name, "(", unit_name(type.unit), type.is_utc ? ", UTC)" : ", local)");
  };
  switch (type.kind) {
    case LogicalKind::kNone:
      return {};
    case LogicalKind::kString:
      return "STRING";
    case LogicalKind::kEnum:
      return "ENUM";
    case LogicalKind::kJson:
      return "JSON";
    case LogicalKind::kBson:
      return "BSON";
    case LogicalKind::kInteger:
      return message("INT(", type.bit_width, type.is_signed ? ", signed)" : ", unsigned)");
    case LogicalKind::kDecimal:
      return message("DECIMAL(", type.precision, ", ", type.scale, ")");
    case LogicalKind::kDate:
      return "DATE";
    case LogicalKind::kTime:
      return of_time("TIME");
    case LogicalKind::kTimestamp:
      return of_time("TIMESTAMP");
    case LogicalKind::kInterval:
      return "INTERVAL";
    case LogicalKind::kUuid:
      return "UUID";
    case LogicalKind::kFloat16:
      return "FLOAT16";
    case LogicalKind::kOther:
      return "a logical type without text";
  }
  return "unknown";
}

std::string type_name(const ColumnType& type) {
  const std::string logical = logical_name(type.logical);
  return logical.empty() ? physical_name(type) : logical + " of " + physical_name(type);
}

}  // namespace bloomery::parquet
