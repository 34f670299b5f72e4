#include "codec/parquet/value_range.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "codec/parquet/compact_reader.h"
#include "codec/parquet/equal_values.h"
#include "hash/ascii_text.h"

namespace bloomery::parquet {
namespace {

constexpr std::int16_t kCreatedBy = 6;
constexpr std::int16_t kColumnOrders = 7;
constexpr std::int16_t kTypeDefinedOrder = 1;

// Returns true if the bounds of floats and decimals are reliable: the writer keeps NaN out of the bounds or
// makes it a bound, and compares decimals as numbers.
bool orders_all_types(std::string_view created_by) {
  struct Writer {
    std::string_view front;
    std::uint64_t first_release;
  };
  constexpr std::array<Writer, 4> kWriters = {{{"parquet-cpp-arrow version ", 0},
                                               {"parquet-mr version ", 0},
                                               {"parquet-rs version ", 10},
                                               {"DuckDB version v", 0}}};
  return std::ranges::any_of(kWriters, [&](const Writer& writer) {
    if (!created_by.starts_with(writer.front)) {
      return false;
    }
    const std::string_view version = created_by.substr(writer.front.size());
    const auto release = number_from_text<std::uint64_t>(version.substr(0, version.find('.')));
    return release && *release >= writer.first_release;
  });
}

Result<bool> is_type_defined_order(CompactReader& reader) {
  std::size_t members = 0;
  bool is_of_type = false;
  BLOOMERY_RETURN_IF_ERROR(reader.read_struct([&](const CompactField& field) {
    ++members;
    is_of_type = field.id == kTypeDefinedOrder && field.type == CompactType::kStruct;
    return reader.skip(field);
  }));
  return members == 1 && is_of_type;
}

}  // namespace

Result<std::vector<ColumnOrder>> column_orders(const Footer& footer) {
  std::vector<ColumnOrder> orders;
  std::string_view created_by;
  CompactReader reader(footer.metadata, footer.offset, "parquet footer");
  BLOOMERY_RETURN_IF_ERROR(reader.read_struct([&](const CompactField& field) -> Status {
    if (field.id == kCreatedBy && field.type == CompactType::kBinary) {
      BLOOMERY_ASSIGN_OR_RETURN(created_by, reader.read_binary());
      return {};
    }
    if (field.id != kColumnOrders) {
      return reader.skip(field);
    }
    return reader.read_list_if(field, CompactType::kStruct, [&]() -> Status {
      BLOOMERY_ASSIGN_OR_RETURN(const bool is_of_type, is_type_defined_order(reader));
      orders.push_back(is_of_type ? ColumnOrder::kOfPlainTypes : ColumnOrder::kUnknown);
      return {};
    });
  }));
  if (orders_all_types(created_by)) {
    std::ranges::replace(orders, ColumnOrder::kOfPlainTypes, ColumnOrder::kOfAllTypes);
  }
  return orders;
}

namespace {

enum class ValueOrder { kNone, kSigned, kUnsigned, kFloats, kBytes, kDecimals };

ValueOrder order_of_physical(PhysicalType type) {
  switch (type) {
    case PhysicalType::kInt32:
    case PhysicalType::kInt64:
      return ValueOrder::kSigned;
    case PhysicalType::kFloat:
    case PhysicalType::kDouble:
      return ValueOrder::kFloats;
    case PhysicalType::kByteArray:
    case PhysicalType::kFixedLengthByteArray:
      return ValueOrder::kBytes;
    case PhysicalType::kBoolean:
    case PhysicalType::kInt96:
      break;
  }
  return ValueOrder::kNone;
}

ValueOrder order_of(const ColumnType& type) {
  const bool is_number = type.physical == PhysicalType::kInt32 || type.physical == PhysicalType::kInt64;
  switch (type.logical.kind) {
    case LogicalKind::kNone:
      return order_of_physical(type.physical);
    case LogicalKind::kString:
    case LogicalKind::kEnum:
    case LogicalKind::kJson:
    case LogicalKind::kBson:
    case LogicalKind::kUuid:
      return ValueOrder::kBytes;
    case LogicalKind::kInteger:
      return type.logical.is_signed ? ValueOrder::kSigned : ValueOrder::kUnsigned;
    case LogicalKind::kDecimal:
      return is_number ? ValueOrder::kSigned : ValueOrder::kDecimals;
    case LogicalKind::kDate:
    case LogicalKind::kTime:
    case LogicalKind::kTimestamp:
      return ValueOrder::kSigned;
    case LogicalKind::kFloat16:
      return ValueOrder::kFloats;
    case LogicalKind::kInterval:
    case LogicalKind::kOther:
      break;
  }
  return ValueOrder::kNone;
}

bool has_fixed_size(ValueOrder order) {
  return order == ValueOrder::kSigned || order == ValueOrder::kUnsigned || order == ValueOrder::kFloats;
}

// Returns a number that orders values of a fixed size. 0.0 and -0.0 have the same number.
std::int64_t rank_of(ValueOrder order, std::string_view value) {
  std::uint64_t bits = 0;
  for (std::size_t i = value.size(); i-- > 0;) {
    bits = bits << 8 | static_cast<unsigned char>(value[i]);
  }
  const std::uint64_t sign = std::uint64_t{1} << (value.size() * 8 - 1);
  if (order == ValueOrder::kFloats) {
    const auto magnitude = static_cast<std::int64_t>(bits & ~sign);
    return (bits & sign) != 0 ? -magnitude : magnitude;
  }
  if (order == ValueOrder::kUnsigned) {
    return static_cast<std::int64_t>(bits ^ std::uint64_t{1} << 63);
  }
  return static_cast<std::int64_t>((bits ^ sign) - sign);  // copies the sign into the higher bits
}

// Compares big-endian two's complement. Without repeated sign bytes, the longer of two numbers with one sign
// is farther from 0, and numbers of one length are ordered by their bytes.
std::strong_ordering compare_decimals(std::string_view a, std::string_view b) {
  const auto is_negative = [](std::string_view value) {
    return (static_cast<unsigned char>(value[0]) & 0x80) != 0;
  };
  const bool negative = is_negative(a);
  if (negative != is_negative(b)) {
    return negative ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  const char repeated = negative ? '\xff' : '\0';
  const auto strip = [repeated](std::string_view& value) {
    value.remove_prefix(std::min(value.find_first_not_of(repeated), value.size()));
  };
  strip(a);
  strip(b);
  if (a.size() != b.size()) {
    return (a.size() < b.size()) != negative ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return a <=> b;  // std::char_traits compares as unsigned bytes
}

std::strong_ordering compare_values(ValueOrder order, std::string_view a, std::string_view b) {
  if (order == ValueOrder::kDecimals) {
    return compare_decimals(a, b);
  }
  return order == ValueOrder::kBytes ? a <=> b : rank_of(order, a) <=> rank_of(order, b);
}

// Returns true if the bytes are comparable with values of the type. A bound of bytes may be shorter
// than the values.
bool is_comparable(const ColumnType& type, ValueOrder order, std::string_view value) {
  const std::optional<std::size_t> bytes = value_bytes(type);
  if (has_fixed_size(order)) {
    return bytes == value.size() && !is_any_of_many(type, value);
  }
  if (order == ValueOrder::kDecimals) {
    return !value.empty() && value.size() == bytes.value_or(value.size());
  }
  return value.size() <= bytes.value_or(value.size());
}

// One bound in the footer: `newer` is min_value or max_value, `older` is min or max.
struct Stated {
  std::optional<std::string_view> newer;
  std::optional<std::string_view> older;
  bool is_shortened;
};

struct Bound {
  std::optional<std::string_view> value;
  bool is_doubtful = false;  // contradictory, shortened (unless bytes), or not comparable
};

Bound bound_of(const ColumnType& type, ValueOrder order, ColumnOrder stated_order, const Stated& stated) {
  const bool is_plain = order != ValueOrder::kFloats && order != ValueOrder::kDecimals;
  const bool is_ordered =
      stated_order == ColumnOrder::kOfAllTypes || (stated_order == ColumnOrder::kOfPlainTypes && is_plain);
  const bool has_newer = stated.newer && is_ordered;
  const bool has_older = stated.older && order == ValueOrder::kSigned;
  if (!has_newer && !has_older) {
    return {};
  }
  const std::string_view value = has_newer ? *stated.newer : *stated.older;
  const bool contradicts = has_newer && has_older && *stated.newer != *stated.older;
  const bool is_cut = stated.is_shortened && order != ValueOrder::kBytes;
  return {.value = value, .is_doubtful = contradicts || is_cut || !is_comparable(type, order, value)};
}

}  // namespace

std::optional<ValueRange> certain_range(const ColumnType& type, const Statistics& statistics,
                                        ColumnOrder stated_order) {
  const ValueOrder order = order_of(type);
  if (order == ValueOrder::kNone) {
    return std::nullopt;
  }
  const Bound least = bound_of(
      type, order, stated_order,
      {.newer = statistics.min_value, .older = statistics.min, .is_shortened = statistics.min_is_shortened});
  const Bound greatest = bound_of(
      type, order, stated_order,
      {.newer = statistics.max_value, .older = statistics.max, .is_shortened = statistics.max_is_shortened});
  const bool is_empty_above = greatest.value && greatest.value->empty();
  if (least.is_doubtful || greatest.is_doubtful || is_empty_above || (!least.value && !greatest.value)) {
    return std::nullopt;
  }
  if (least.value && greatest.value && std::is_gt(compare_values(order, *least.value, *greatest.value))) {
    return std::nullopt;
  }
  return ValueRange{.least = least.value, .greatest = greatest.value};
}

bool is_outside(const ColumnType& type, const ValueRange& range, std::string_view value) {
  const ValueOrder order = order_of(type);
  if (value.size() != value_bytes(type).value_or(value.size()) || !is_comparable(type, order, value)) {
    return false;
  }
  return (range.least && std::is_lt(compare_values(order, value, *range.least))) ||
         (range.greatest && std::is_gt(compare_values(order, value, *range.greatest)));
}

}  // namespace bloomery::parquet
