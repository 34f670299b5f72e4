#include "codec/parquet/column_text.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/message.h"
#include "codec/calendar_text.h"
#include "codec/decimal_text.h"
#include "codec/parquet/half_float.h"
#include "hash/ascii_text.h"

namespace bloomery::parquet {
namespace {

constexpr const char* kTimestampText = "YYYY-MM-DD HH:MM:SS, perhaps with a fraction of the unit";
constexpr const char* kZonedText = ", and perhaps a zone such as Z or +01:00";

// Reads a number of either type that std::from_chars accepts to its end, without a plus sign. Returns nothing
// for other text, and for a nonzero number that rounds to 0 or to infinity.
template <typename Float>
std::optional<Float> float_from_text(std::string_view text) {
  Float value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, value, std::chars_format::general);
  const bool has_brackets = text.ends_with(')');  // nan(...)
  return code == std::errc() && stopped == end && !has_brackets ? std::optional(value) : std::nullopt;
}

std::int64_t units_per_second(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMillis:
      return 1'000;
    case TimeUnit::kMicros:
      return 1'000'000;
    case TimeUnit::kNanos:
      return 1'000'000'000;
  }
  return 1;
}

// A text without a zone is UTC if the type is adjusted to UTC; otherwise it is the local time that
// the file stores.
TimeText time_text_of(const LogicalType& type) {
  return {.units_per_second = units_per_second(type.unit),
          .zone = type.is_utc ? ZoneText::kMay : ZoneText::kNone,
          .date = DateText::kAnyYear};
}

std::int64_t floor_divided(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

}  // namespace

std::shared_ptr<const ColumnText> ColumnText::of(const ColumnType& type) {
  const bool is_bytes = type.physical == PhysicalType::kByteArray &&
                        type.logical.kind != LogicalKind::kDecimal &&
                        type.logical.kind != LogicalKind::kOther;
  return is_bytes ? nullptr : std::make_shared<const ColumnText>(type);
}

Error ColumnText::refused(const std::string& expected, std::string_view text) const {
  return Error::invalid_argument(name_, "expected " + expected + ", found " + shown_text(text));
}

Status ColumnText::append(KeyWriter& writer, std::span<const std::string_view> texts) const {
  assert(texts.size() == parts());
  return append_value(writer, texts.front());
}

Status ColumnText::append_value(KeyWriter& writer, std::string_view text) const {
  switch (type_.logical.kind) {
    case LogicalKind::kInteger:
      return append_integer(writer, text);
    case LogicalKind::kDecimal:
      return append_decimal(writer, text);
    case LogicalKind::kDate:
      return append_date(writer, text);
    case LogicalKind::kTime:
      return append_time(writer, text);
    case LogicalKind::kTimestamp:
      return append_timestamp(writer, text);
    case LogicalKind::kUuid:
      return append_uuid(writer, text);
    case LogicalKind::kFloat16:
      return append_half(writer, text);
    case LogicalKind::kInterval:
    case LogicalKind::kOther:
      return Error::invalid_argument(name_,
                                     "expected keys as the bytes of values (--key-form hex), since the "
                                     "type has no text here");
    case LogicalKind::kNone:
    case LogicalKind::kString:
    case LogicalKind::kEnum:
    case LogicalKind::kJson:
    case LogicalKind::kBson:
      return append_physical(writer, text);
  }
  return append_physical(writer, text);
}

Status ColumnText::append_physical(KeyWriter& writer, std::string_view text) const {
  switch (type_.physical) {
    case PhysicalType::kInt32:
      return append_whole(writer, text, std::numeric_limits<std::int32_t>::min(),
                          std::numeric_limits<std::int32_t>::max());
    case PhysicalType::kInt64:
      return append_whole(writer, text, std::numeric_limits<std::int64_t>::min(),
                          std::numeric_limits<std::int64_t>::max());
    case PhysicalType::kInt96:
      return append_int96(writer, text);
    case PhysicalType::kFloat:
      return append_float<float>(writer, text);
    case PhysicalType::kDouble:
      return append_float<double>(writer, text);
    case PhysicalType::kBoolean:
    case PhysicalType::kByteArray:
    case PhysicalType::kFixedLengthByteArray:
      return append_fixed(writer, text);
  }
  return append_fixed(writer, text);
}

template <typename Integer>
Status ColumnText::append_whole(KeyWriter& writer, std::string_view text, Integer least, Integer most) const {
  const std::optional<Integer> value = number_from_text<Integer>(text);
  if (!value || *value < least || *value > most) {
    return refused(message("a whole number from ", least, " to ", most), text);
  }
  append_key(writer, *value);
  return {};
}

Status ColumnText::append_integer(KeyWriter& writer, std::string_view text) const {
  const int bits = type_.logical.bit_width;
  if (bits == 64) {
    return type_.logical.is_signed
               ? append_whole(writer, text, std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max())
               : append_whole(writer, text, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
  }
  if (!type_.logical.is_signed) {
    return append_whole(writer, text, std::uint32_t{0},
                        std::numeric_limits<std::uint32_t>::max() >> (32 - bits));
  }
  const std::int32_t most = std::numeric_limits<std::int32_t>::max() >> (32 - bits);
  return append_whole(writer, text, -most - 1, most);
}

template <typename Float>
Status ColumnText::append_float(KeyWriter& writer, std::string_view text) const {
  const std::optional<Float> value = float_from_text<Float>(text);
  if (!value) {
    return refused("a decimal number in the range of the type, inf, -inf or nan", text);
  }
  if constexpr (sizeof(Float) == 4) {
    append_key(writer, std::bit_cast<std::uint32_t>(*value));
  } else {
    append_key(writer, std::bit_cast<std::uint64_t>(*value));
  }
  return {};
}

Status ColumnText::append_half(KeyWriter& writer, std::string_view text) const {
  const std::optional<double> value = float_from_text<double>(text);
  const std::optional<std::uint16_t> half = value ? half_of(*value) : std::nullopt;
  if (!half) {
    return refused("a decimal number from -65504 to 65504, inf, -inf or nan", text);
  }
  append_key(writer, *half);
  return {};
}

Status ColumnText::append_decimal(KeyWriter& writer, std::string_view text) const {
  const Result<std::string> value =
      fixed_decimal(text, {.precision = type_.logical.precision, .scale = type_.logical.scale});
  if (!value) {
    return refused(value.error().detail(), text);
  }
  if (type_.physical == PhysicalType::kByteArray) {
    append_key(writer, std::string_view(*value));
    return {};
  }
  const std::size_t bytes = *value_bytes(type_);
  if (value->size() > bytes) {
    return refused(message("a number that fits in ", bytes, " bytes"), text);
  }
  std::string stored = sign_extended(*value, bytes);
  if (type_.physical != PhysicalType::kFixedLengthByteArray) {
    std::ranges::reverse(stored);
  }
  append_key(writer, std::string_view(stored));
  return {};
}

Status ColumnText::append_date(KeyWriter& writer, std::string_view text) const {
  const std::optional<std::int64_t> days = date_from_text(text, DateText::kAnyYear);
  if (!days || *days < std::numeric_limits<std::int32_t>::min() ||
      *days > std::numeric_limits<std::int32_t>::max()) {
    return refused("a date YYYY-MM-DD", text);
  }
  append_key(writer, static_cast<std::int32_t>(*days));
  return {};
}

Status ColumnText::append_time(KeyWriter& writer, std::string_view text) const {
  const std::optional<std::int64_t> units = time_from_text(text, time_text_of(type_.logical));
  if (!units) {
    return refused(std::string("a time HH:MM:SS, perhaps with a fraction of the unit") +
                       (type_.logical.is_utc ? kZonedText : ""),
                   text);
  }
  if (type_.physical == PhysicalType::kInt32) {
    append_key(writer, static_cast<std::int32_t>(*units));
  } else {
    append_key(writer, *units);
  }
  return {};
}

Status ColumnText::append_timestamp(KeyWriter& writer, std::string_view text) const {
  const std::optional<Instant> instant = instant_from_text(text, time_text_of(type_.logical));
  const std::int64_t factor = units_per_second(type_.logical.unit);
  std::int64_t units = 0;
  // A negative instant is computed from the following second, so that only values out of range overflow.
  const bool is_early = instant && instant->seconds < 0;
  if (!instant || __builtin_mul_overflow(instant->seconds + (is_early ? 1 : 0), factor, &units) ||
      __builtin_add_overflow(units, instant->units - (is_early ? factor : 0), &units)) {
    return refused(std::string("a timestamp ") + kTimestampText +
                       (type_.logical.is_utc ? kZonedText : ", without a zone"),
                   text);
  }
  append_key(writer, units);
  return {};
}

// Appends the nanoseconds of the day, then the Julian day.
Status ColumnText::append_int96(KeyWriter& writer, std::string_view text) const {
  constexpr std::int64_t kJulianDayOf1970 = 2'440'588;
  constexpr std::int64_t kDaySeconds = 86'400;
  constexpr std::int64_t kNanosOfSecond = 1'000'000'000;
  const std::optional<Instant> instant =
      instant_from_text(text, {.zone = ZoneText::kMay, .date = DateText::kAnyYear});
  const std::int64_t day = instant ? floor_divided(instant->seconds, kDaySeconds) + kJulianDayOf1970 : 0;
  if (!instant || day < std::numeric_limits<std::int32_t>::min() ||
      day > std::numeric_limits<std::int32_t>::max()) {
    return refused(std::string("a timestamp ") + kTimestampText + kZonedText, text);
  }
  const std::int64_t second = instant->seconds - (day - kJulianDayOf1970) * kDaySeconds;
  append_key(writer, second * kNanosOfSecond + instant->units);
  append_key(writer, static_cast<std::int32_t>(day));
  return {};
}

Status ColumnText::append_uuid(KeyWriter& writer, std::string_view text) const {
  std::string digits;
  const bool has_dashes = text.size() == 36;
  bool is_uuid = has_dashes || text.size() == 32;
  for (std::size_t i = 0; is_uuid && i < text.size(); ++i) {
    const bool is_dash = has_dashes && (i == 8 || i == 13 || i == 18 || i == 23);
    is_uuid = is_dash ? text[i] == '-' : hex_digit(text[i]) >= 0;
    digits += is_dash ? "" : std::string(1, text[i]);
  }
  if (!is_uuid) {
    return refused("a UUID of 32 hexadecimal digits, as 8-4-4-4-12 or without dashes", text);
  }
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    append_key(writer, static_cast<std::uint8_t>(hex_digit(digits[i]) * 16 + hex_digit(digits[i + 1])));
  }
  return {};
}

Status ColumnText::append_fixed(KeyWriter& writer, std::string_view text) const {
  const std::optional<std::size_t> bytes = value_bytes(type_);
  if (bytes && text.size() != *bytes) {
    return refused(message("a text of ", *bytes, " bytes (or their digits with --key-form hex)"), text);
  }
  append_key(writer, text);
  return {};
}

bool ColumnText::takes(KeyForm form) const {
  switch (form) {
    case KeyForm::kHex:
      return true;
    case KeyForm::kInt32:
      return type_.physical == PhysicalType::kInt32;
    case KeyForm::kInt64:
      return type_.physical == PhysicalType::kInt64;
    case KeyForm::kText:
    case KeyForm::kUtf16:
    case KeyForm::kUrl:
    case KeyForm::kCidr:
    case KeyForm::kDomainSuffix:
    case KeyForm::kUrlPrefix:
    case KeyForm::kTimestamptz:
      return false;
  }
  return false;
}

Status ColumnText::check(std::span<const std::byte> value) const {
  const std::optional<std::size_t> bytes = value_bytes(type_);
  if (!bytes || value.size() == *bytes) {
    return {};
  }
  return Error::invalid_argument(name_,
                                 message("expected the ", *bytes, " bytes of a value, found ", value.size()));
}

}  // namespace bloomery::parquet
