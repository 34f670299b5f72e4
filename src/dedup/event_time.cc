#include "dedup/event_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "base/byte_text.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMostSeconds = std::numeric_limits<std::int64_t>::max() / kSecond - 1;

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 4> kNames = {"epoch", "epoch-ms", "iso8601", "clf"};
constexpr std::array<std::string_view, 4> kExamples = {
    "1700000000.25", "1700000000250", "2023-11-14T22:13:20Z", "[14/Nov/2023:22:13:20 +0100]"};

// Parses a text from its front. Every take_ function returns nothing if the text has something else there.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool take(char byte) {
    const bool found = rest_.starts_with(byte);
    rest_.remove_prefix(found ? 1 : 0);
    return found;
  }
  // Parses exactly `count` digits.
  std::optional<int> take_digits(std::size_t count) {
    int value = 0;
    if (rest_.size() < count || !std::ranges::all_of(rest_.substr(0, count), is_ascii_digit)) {
      return std::nullopt;
    }
    for (const char digit : rest_.substr(0, count)) {
      value = 10 * value + (digit - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  // Parses an integer of at least one digit, up to `most`.
  std::optional<std::int64_t> take_number(std::int64_t most) {
    std::int64_t value = 0;
    std::size_t count = 0;
    for (; count < rest_.size() && is_ascii_digit(rest_[count]); ++count) {
      const int digit = rest_[count] - '0';
      if (value > (most - digit) / 10) {
        return std::nullopt;
      }
      value = 10 * value + digit;
    }
    rest_.remove_prefix(count);
    return count == 0 ? std::nullopt : std::optional(value);
  }
  // Parses ".25" or ",25" and returns its nanoseconds; digits after the ninth are ignored. Returns 0 if there
  // is no fraction.
  std::optional<std::int64_t> take_fraction() {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !is_ascii_digit(rest_[1])) {
      return 0;
    }
    std::int64_t value = 0;
    std::int64_t unit = kSecond;
    std::size_t count = 1;
    for (; count < rest_.size() && is_ascii_digit(rest_[count]); ++count) {
      unit /= 10;
      value += unit * (rest_[count] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  std::optional<unsigned> take_month() {
    const auto* const found = std::ranges::find(kMonths, rest_.substr(0, 3));
    if (found == kMonths.end()) {
      return std::nullopt;
    }
    rest_.remove_prefix(3);
    return static_cast<unsigned>(found - kMonths.begin()) + 1;
  }
  // Parses a zone and returns the seconds that it is ahead of UTC: "Z", "+01:00", "+0100" or "+01", perhaps
  // after a blank. Returns 0 if there is none.
  std::optional<std::int64_t> take_zone() {
    Reader zone(rest_);
    (void)zone.take(' ');
    const bool is_utc = zone.take('Z');
    const bool is_ahead = !is_utc && zone.take('+');
    if (!is_utc && !is_ahead && !zone.take('-')) {
      return 0;
    }
    std::int64_t seconds = 0;
    if (!is_utc) {
      const std::optional<int> hours = zone.take_digits(2);
      const bool has_colon = zone.take(':');
      const std::optional<int> minutes = zone.take_digits(2);
      if (!hours || *hours > 23 || (has_colon && !minutes) || minutes.value_or(0) > 59) {
        return std::nullopt;
      }
      seconds = (std::int64_t{*hours} * 60 + minutes.value_or(0)) * 60;
    }
    rest_ = zone.rest();
    return is_ahead ? seconds : -seconds;
  }

 private:
  std::string_view rest_;
};

struct Day {
  std::optional<int> year;
  std::optional<unsigned> month;
  std::optional<int> day;
};

// Parses "22:13:20", a fraction and a zone. Returns that moment of `day` in nanoseconds since 1970.
std::optional<std::int64_t> take_time_of(const Day& day, Reader& text) {
  const std::optional<int> hour = text.take_digits(2);
  const bool first = text.take(':');
  const std::optional<int> minute = text.take_digits(2);
  const bool second_colon = text.take(':');
  const std::optional<int> second = text.take_digits(2);
  if (!day.year || !day.month || !day.day || !hour || !first || !minute || !second_colon || !second ||
      *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(*day.year), std::chrono::month(*day.month),
                                         std::chrono::day(static_cast<unsigned>(*day.day))};
  const std::optional<std::int64_t> fraction = text.take_fraction();
  const std::optional<std::int64_t> zone = text.take_zone();
  if (!date.ok() || !fraction || !zone) {
    return std::nullopt;
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + *hour) * 60 + *minute) * 60 + *second - *zone;
  return seconds < 0 || seconds > kMostSeconds ? std::nullopt : std::optional(seconds * kSecond + *fraction);
}

std::optional<std::int64_t> take_epoch(Reader& text) {
  const std::optional<std::int64_t> seconds = text.take_number(kMostSeconds);
  const std::optional<std::int64_t> fraction = seconds ? text.take_fraction() : std::nullopt;
  return fraction ? std::optional(*seconds * kSecond + *fraction) : std::nullopt;
}

std::optional<std::int64_t> take_epoch_ms(Reader& text) {
  const std::optional<std::int64_t> number = text.take_number(kMostSeconds * 1000);
  return number ? std::optional(*number * (kSecond / 1000)) : std::nullopt;
}

std::optional<std::int64_t> take_iso8601(Reader& text) {
  Day day;
  day.year = text.take_digits(4);
  const bool first = text.take('-');
  const std::optional<int> month = text.take_digits(2);
  const bool second = text.take('-');
  day.month = month ? std::optional(static_cast<unsigned>(*month)) : std::nullopt;
  day.day = text.take_digits(2);
  const bool parted = text.take('T') || text.take('t') || text.take(' ');
  return first && second && parted ? take_time_of(day, text) : std::nullopt;
}

std::optional<std::int64_t> take_clf(Reader& text) {
  (void)text.take('[');
  Day day;
  day.day = text.take_digits(2);
  const bool first = text.take('/');
  day.month = text.take_month();
  const bool second = text.take('/');
  day.year = text.take_digits(4);
  return first && second && text.take(':') ? take_time_of(day, text) : std::nullopt;
}

std::optional<std::int64_t> take_time(TimeFormat format, Reader& text) {
  switch (format) {
    case TimeFormat::kEpoch:
      return take_epoch(text);
    case TimeFormat::kEpochMs:
      return take_epoch_ms(text);
    case TimeFormat::kIso8601:
      return take_iso8601(text);
    case TimeFormat::kClf:
      break;
  }
  return take_clf(text);
}

// Returns the line from field `place.field` on, or nothing if it has fewer fields.
std::optional<std::string_view> from_field(std::string_view line, const TimePlace& place) {
  for (std::uint32_t field = 1; field < place.field; ++field) {
    const std::size_t end = line.find(place.delimiter);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    line.remove_prefix(end + 1);
  }
  return line;
}

}  // namespace

std::optional<TimeFormat> time_format_from_name(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  return found == kNames.end() ? std::nullopt
                               : std::optional(static_cast<TimeFormat>(found - kNames.begin()));
}

Result<std::int64_t> event_time(std::string_view line, const TimePlace& place) {
  constexpr std::size_t kMostShown = 40;
  const std::string where = "field " + std::to_string(place.field);
  const auto index = static_cast<std::size_t>(place.format);
  const auto expected = [&] {
    return "expected a time such as " + std::string(kExamples[index]) + ", found ";
  };
  const std::optional<std::string_view> from = from_field(line, place);
  if (!from) {
    return Error::invalid_argument(where, expected() + "no such field");
  }
  Reader text(*from);
  const std::optional<std::int64_t> time = take_time(place.format, text);
  constexpr std::string_view kMarks = "]\"'\r";
  const std::string_view rest = text.rest();
  if (!time ||
      !(rest.empty() || rest.front() == place.delimiter || kMarks.find(rest.front()) != kMarks.npos)) {
    return Error::invalid_argument(where, expected() + "'" + escape_bytes(from->substr(0, kMostShown)) + "'");
  }
  return *time;
}

}  // namespace bloomery
