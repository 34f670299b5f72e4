#include "codec/cassandra/scalar_text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "base/byte_text.h"
#include "base/endian.h"
#include "base/utf8.h"
#include "codec/calendar_text.h"
#include "codec/decimal_text.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

constexpr std::size_t kShownBytes = 60;
constexpr std::int64_t kNanosecondsOfDay = 86'400'000'000'000;

// The serialized value of a text, or nothing if the text is not a value of the type.
using ValueBytes = std::optional<std::string>;

template <typename Integer>
std::string big_endian(Integer value) {
  using Unsigned = std::make_unsigned_t<Integer>;
  std::string bytes(sizeof(value), '\0');
  store_big(reinterpret_cast<std::byte*>(bytes.data()), static_cast<Unsigned>(value));
  return bytes;
}

template <typename Integer>
ValueBytes integer(std::string_view text) {
  const std::optional<Integer> value = number_from_text<Integer>(text);
  return value ? ValueBytes(big_endian(*value)) : std::nullopt;
}

// Accepts NaN and Infinity only as Java spells them. from_chars() would also accept nan(...), inf and
// infinity in any case.
template <typename Float, typename Word>
ValueBytes floating(std::string_view text) {
  std::optional<Float> value;
  if (text == "NaN") {
    value = std::numeric_limits<Float>::quiet_NaN();
  } else if (text == "Infinity" || text == "-Infinity") {
    value = text.front() == '-' ? -std::numeric_limits<Float>::infinity()
                                : std::numeric_limits<Float>::infinity();
  } else if (text.find_first_not_of("0123456789+-.eE") == std::string_view::npos) {
    value = number_from_text<Float>(text);
  }
  return value ? ValueBytes(big_endian(std::bit_cast<Word>(*value))) : std::nullopt;
}

ValueBytes decimal(std::string_view text) {
  const std::optional<ScaledDecimal> value = scaled_decimal(text);
  return value ? ValueBytes(big_endian(value->scale) + value->unscaled) : std::nullopt;
}

ValueBytes boolean(std::string_view text) {
  const std::string lower = folded(text);
  return lower == "true"    ? ValueBytes(std::string(1, '\1'))
         : lower == "false" ? ValueBytes(std::string(1, '\0'))
                            : std::nullopt;
}

ValueBytes hexadecimal(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]);
    const int low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return digits.size() % 2 == 0 ? ValueBytes(std::move(bytes)) : std::nullopt;
}

ValueBytes blob(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X") ? hexadecimal(text.substr(2)) : std::nullopt;
}

ValueBytes uuid(std::string_view text) {
  constexpr std::size_t kCharacters = 36;
  constexpr std::array<std::size_t, 4> kHyphens = {23, 18, 13, 8};
  if (text.size() != kCharacters) {
    return std::nullopt;
  }
  std::string digits(text);
  for (const std::size_t at : kHyphens) {
    if (digits[at] != '-') {
      return std::nullopt;
    }
    digits.erase(at, 1);
  }
  return hexadecimal(digits);
}

ValueBytes timeuuid(std::string_view text) {
  ValueBytes bytes = uuid(text);
  return bytes && (static_cast<unsigned char>((*bytes)[6]) >> 4) == 1 ? bytes : std::nullopt;
}

ValueBytes inet(std::string_view text) {
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  std::string v4(4, '\0');
  if (inet_pton(AF_INET, terminated.c_str(), v4.data()) == 1) {
    return v4;
  }
  std::string v6(16, '\0');
  if (inet_pton(AF_INET6, terminated.c_str(), v6.data()) != 1) {
    return std::nullopt;
  }
  const std::string mapped = std::string(10, '\0') + "\xff\xff";
  return v6.starts_with(mapped) ? v6.substr(mapped.size()) : v6;
}

ValueBytes date(std::string_view text) {
  if (const std::optional<std::int64_t> days = date_from_text(text, DateText::kFourDigits)) {
    return big_endian(static_cast<std::uint32_t>(*days + (std::int64_t{1} << 31)));
  }
  return integer<std::uint32_t>(text);
}

ValueBytes time_of_day(std::string_view text) {
  std::optional<std::int64_t> nanoseconds = time_from_text(text, {.may_be_short = true});
  if (!nanoseconds) {
    nanoseconds = number_from_text<std::int64_t>(text);
  }
  return nanoseconds && *nanoseconds >= 0 && *nanoseconds < kNanosecondsOfDay
             ? ValueBytes(big_endian(*nanoseconds))
             : std::nullopt;
}

ValueBytes timestamp(std::string_view text) {
  const TimeText how{.units_per_second = 1000, .zone = ZoneText::kMust, .may_be_short = true};
  if (const std::optional<Instant> instant = instant_from_text(text, how)) {
    return big_endian(instant->seconds * 1000 + instant->units);
  }
  return integer<std::int64_t>(text);
}

ValueBytes ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })
             ? ValueBytes(text)
             : std::nullopt;
}

ValueBytes utf8(std::string_view text) {
  return is_utf8(text) ? ValueBytes(text) : std::nullopt;
}

struct Conversion {
  CassandraKind kind;
  ValueBytes (*convert)(std::string_view text);
  const char* expected;
};

constexpr std::array<Conversion, 18> kConversions = {{
    {CassandraKind::kAscii, ascii, "bytes below 0x80"},
    {CassandraKind::kBigint, integer<std::int64_t>, "a decimal integer of 64 bits"},
    {CassandraKind::kBlob, blob, "0x and an even number of hexadecimal digits"},
    {CassandraKind::kBoolean, boolean, "true or false"},
    {CassandraKind::kDate, date, "a date as YYYY-MM-DD, or a number of days with 2147483648 for 1970-01-01"},
    {CassandraKind::kDecimal, decimal, "a decimal number of at most 10000 digits"},
    {CassandraKind::kDouble, floating<double, std::uint64_t>,
     "a number that a double has, NaN, Infinity or -Infinity"},
    {CassandraKind::kFloat, floating<float, std::uint32_t>,
     "a number that a float has, NaN, Infinity or -Infinity"},
    {CassandraKind::kInet, inet, "an address of IPv4 or IPv6"},
    {CassandraKind::kInt, integer<std::int32_t>, "a decimal integer of 32 bits"},
    {CassandraKind::kSmallint, integer<std::int16_t>, "a decimal integer of 16 bits"},
    {CassandraKind::kText, utf8, "valid UTF-8"},
    {CassandraKind::kTime, time_of_day,
     "a time as HH:MM:SS.fffffffff, or a number of nanoseconds of the day"},
    {CassandraKind::kTimestamp, timestamp,
     "YYYY-MM-DD HH:MM:SS.fff with a zone such as +0000 or Z, or a number of milliseconds since 1970"},
    {CassandraKind::kTimeuuid, timeuuid, "a UUID of version 1"},
    {CassandraKind::kTinyint, integer<std::int8_t>, "a decimal integer of 8 bits"},
    {CassandraKind::kUuid, uuid, "a UUID"},
    {CassandraKind::kVarint, integer_bytes, "a decimal integer of at most 10000 digits"},
}};

}  // namespace

Error not_of_cassandra_type(const CassandraType& type, std::string_view expected, std::string_view text) {
  std::string shown = printable_text(text.substr(0, kShownBytes));
  shown += text.size() > kShownBytes ? "..." : "";
  return Error::invalid_argument("cassandra key " + describe(type),
                                 "expected " + std::string(expected) + ", found '" + shown + "'");
}

Status append_cassandra_scalar(std::string& out, CassandraKind kind, std::string_view text) {
  const Conversion& conversion = *std::ranges::find(kConversions, kind, &Conversion::kind);
  const ValueBytes bytes = conversion.convert(text);
  if (!bytes) {
    return not_of_cassandra_type({.kind = kind}, conversion.expected, text);
  }
  out += *bytes;
  return {};
}

}  // namespace bloomery
