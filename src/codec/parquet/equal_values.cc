#include "codec/parquet/equal_values.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/endian.h"
#include "codec/decimal_text.h"

namespace bloomery::parquet {
namespace {

constexpr std::size_t kInt96Bytes = 12;
constexpr std::int64_t kDayNanos = 86'400'000'000'000;
constexpr std::int32_t kJulianDayOf1970 = 2'440'588;

// Returns the size of a floating-point type; 0 for other types.
std::size_t float_bytes(const ColumnType& type) {
  if (type.logical.kind == LogicalKind::kFloat16) {
    return 2;
  }
  return type.physical == PhysicalType::kFloat ? 4 : type.physical == PhysicalType::kDouble ? 8 : 0;
}

std::uint64_t little(std::string_view value) {
  std::uint64_t number = 0;
  for (std::size_t i = value.size(); i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(value[i]);
  }
  return number;
}

bool is_decimal_of_bytes(const ColumnType& type) {
  return type.logical.kind == LogicalKind::kDecimal && type.physical == PhysicalType::kByteArray;
}

void append_other_zero(std::string_view value, std::vector<std::string>& others) {
  const std::uint64_t sign = std::uint64_t{1} << (value.size() * 8 - 1);
  if ((little(value) & ~sign) == 0) {
    std::string other(value);
    other.back() = static_cast<char>(static_cast<unsigned char>(other.back()) ^ 0x80U);
    others.push_back(std::move(other));
  }
}

// Appends the other INT96 form of an instant before 1970: nanoseconds may count from the start of its day or
// back from the end.
void append_other_int96(std::string_view value, std::vector<std::string>& others) {
  const auto nanos = static_cast<std::int64_t>(little(value.substr(0, 8)));
  const auto day = static_cast<std::int32_t>(little(value.substr(8)));
  const auto append = [&others](std::int64_t other_nanos, std::int32_t other_day) {
    std::string bytes(kInt96Bytes, '\0');
    auto* const out = reinterpret_cast<std::byte*>(bytes.data());
    store_little(out, static_cast<std::uint64_t>(other_nanos));
    store_little(out + 8, static_cast<std::uint32_t>(other_day));
    others.push_back(std::move(bytes));
  };
  if (nanos > 0 && nanos < kDayNanos && day < kJulianDayOf1970) {
    append(nanos - kDayNanos, day + 1);
  } else if (nanos < 0 && nanos > -kDayNanos && day <= kJulianDayOf1970 &&
             day > std::numeric_limits<std::int32_t>::min()) {
    append(nanos + kDayNanos, day - 1);
  }
}

// Appends the decimal with its sign extended, in each longer size that writers choose: that of the
// precision, and 4, 8, 16 and 32 bytes.
void append_other_decimals(const ColumnType& type, std::string_view value, std::vector<std::string>& others) {
  std::array<std::size_t, 5> sizes = {bytes_of_precision(type.logical.precision), 4, 8, 16, 32};
  std::ranges::sort(sizes);
  std::size_t last = value.size();
  for (const std::size_t size : sizes) {
    if (size > last) {
      others.push_back(sign_extended(value, size));
      last = size;
    }
  }
}

}  // namespace

bool has_equal_values(const ColumnType& type) {
  return float_bytes(type) != 0 || type.physical == PhysicalType::kInt96 || is_decimal_of_bytes(type);
}

bool is_any_of_many(const ColumnType& type, std::string_view value) {
  const std::size_t bytes = float_bytes(type);
  if (bytes == 0 || value.size() != bytes) {
    return false;
  }
  // Without its sign, a number above infinity is a NaN.
  const std::uint64_t magnitude = little(value) & ~(std::uint64_t{1} << (bytes * 8 - 1));
  const std::uint64_t infinity = bytes == 2 ? 0x7c00 : bytes == 4 ? 0x7f80'0000 : 0x7ff0'0000'0000'0000;
  return magnitude > infinity;
}

void append_equal_values(const ColumnType& type, std::string_view value, std::vector<std::string>& others) {
  if (const std::size_t bytes = float_bytes(type); bytes != 0 && value.size() == bytes) {
    append_other_zero(value, others);
  } else if (type.physical == PhysicalType::kInt96 && value.size() == kInt96Bytes) {
    append_other_int96(value, others);
  } else if (is_decimal_of_bytes(type)) {
    append_other_decimals(type, value, others);
  }
}

}  // namespace bloomery::parquet
