#include "codec/calendar_text.h"

#include <algorithm>
#include <array>

#include "hash/ascii_text.h"

namespace bloomery {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::size_t kMostFractionDigits = 9;
constexpr std::int64_t kMostZoneHours = 18;

// A cursor that consumes a text from its beginning.
class Front {
 public:
  explicit Front(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool take(char byte) {
    const bool found = rest_.starts_with(byte);
    rest_.remove_prefix(found ? 1 : 0);
    return found;
  }
  // Consumes all digits at the cursor and returns their value, if there are `least` to `most` of them.
  std::optional<std::int64_t> take_digits(std::size_t least, std::size_t most) {
    const auto count =
        static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_ascii_digit) - rest_.begin());
    if (count < least || count > most) {
      return std::nullopt;
    }
    std::int64_t value = 0;
    for (const char digit : rest_.substr(0, count)) {
      value = 10 * value + (digit - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  // Consumes exactly two digits and returns their value if it is below `limit`. A third digit may follow.
  std::optional<std::int64_t> take_two(std::int64_t limit) {
    if (rest_.size() < 2 || !is_ascii_digit(rest_[0]) || !is_ascii_digit(rest_[1])) {
      return std::nullopt;
    }
    const std::int64_t value = 10 * (rest_[0] - '0') + (rest_[1] - '0');
    rest_.remove_prefix(2);
    return value < limit ? std::optional(value) : std::nullopt;
  }
  // Consumes a fraction and returns it in units of 1/`units` s, or 0 if there is none. Returns nothing if
  // it has more than 9 digits or is not a multiple of the unit.
  std::optional<std::int64_t> take_fraction(std::int64_t units) {
    if (!take('.')) {
      return 0;
    }
    std::int64_t value = 0;
    std::size_t count = 0;
    for (; count < rest_.size() && is_ascii_digit(rest_[count]); ++count) {
      units /= 10;
      if (units == 0 && rest_[count] != '0') {
        return std::nullopt;
      }
      value += units * (rest_[count] - '0');
    }
    rest_.remove_prefix(count);
    return count > 0 && count <= kMostFractionDigits ? std::optional(value) : std::nullopt;
  }

 private:
  std::string_view rest_;
};

// Counts days in cycles of 400 years from 0000-03-01. A year begins in March, so that the leap day is its
// last day.
std::int64_t days_since_1970(std::int64_t year, std::int64_t month, std::int64_t day) {
  constexpr std::int64_t kCycleDays = 146'097;
  constexpr std::int64_t kDaysTo1970 = 719'468;  // from 0000-03-01
  const std::int64_t march_year = month > 2 ? year : year - 1;
  const std::int64_t march_month = (month + 9) % 12;
  const std::int64_t cycle = (march_year >= 0 ? march_year : march_year - 399) / 400;
  const std::int64_t of_cycle = march_year - 400 * cycle;
  const std::int64_t of_year = (153 * march_month + 2) / 5 + day - 1;
  return cycle * kCycleDays + 365 * of_cycle + of_cycle / 4 - of_cycle / 100 + of_year - kDaysTo1970;
}

std::int64_t days_of_month(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && is_leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

std::optional<std::int64_t> take_date(Front& text, DateText date) {
  const bool any_year = date == DateText::kAnyYear;
  const bool is_negative = any_year && text.take('-');
  if (any_year && !is_negative) {
    (void)text.take('+');
  }
  const std::optional<std::int64_t> digits = text.take_digits(4, any_year ? 7 : 4);
  const bool first = text.take('-');
  const std::optional<std::int64_t> month = text.take_two(13);
  const bool second = text.take('-');
  const std::optional<std::int64_t> day = text.take_two(32);
  if (!digits || !first || !month || !second || !day || *month == 0 || *day == 0) {
    return std::nullopt;
  }
  const std::int64_t year = is_negative ? -*digits : *digits;
  return *day <= days_of_month(year, *month) ? std::optional(days_since_1970(year, *month, *day))
                                             : std::nullopt;
}

// Returns the second of the day, and the units after that second.
std::optional<Instant> take_time(Front& text, const TimeText& how) {
  const std::optional<std::int64_t> hour = text.take_two(24);
  const bool first = text.take(':');
  const std::optional<std::int64_t> minute = text.take_two(60);
  const bool has_second = text.take(':');
  if (!hour || !first || !minute || !(has_second || how.may_be_short)) {
    return std::nullopt;
  }
  if (!has_second) {
    return Instant{.seconds = (*hour * 60 + *minute) * 60, .units = 0};
  }
  const std::optional<std::int64_t> second = text.take_two(60);
  const std::optional<std::int64_t> units = text.take_fraction(how.units_per_second);
  if (!second || !units) {
    return std::nullopt;
  }
  return Instant{.seconds = (*hour * 60 + *minute) * 60 + *second, .units = *units};
}

// Returns the seconds by which the zone at the cursor is ahead of UTC; 0 if there is none and
// none is required.
std::optional<std::int64_t> take_zone(Front& text, ZoneText zone) {
  if (zone == ZoneText::kNone || (zone == ZoneText::kMay && text.at_end())) {
    return 0;
  }
  if (zone == ZoneText::kMay) {
    (void)text.take(' ');
  }
  if (text.take('Z') || text.take('z')) {
    return 0;
  }
  const bool is_ahead = text.take('+');
  if (!is_ahead && !text.take('-')) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> hours = text.take_two(kMostZoneHours + 1);
  const bool has_colon = text.take(':');
  const std::optional<std::int64_t> minutes = has_colon || !text.at_end() ? text.take_two(60) : 0;
  if (!hours || !minutes) {
    return std::nullopt;
  }
  const std::int64_t seconds = (*hours * 60 + *minutes) * 60;
  return is_ahead ? seconds : -seconds;
}

}  // namespace

std::optional<std::int64_t> date_from_text(std::string_view text, DateText date) {
  Front front(text);
  const std::optional<std::int64_t> days = take_date(front, date);
  return front.at_end() ? days : std::nullopt;
}

std::optional<std::int64_t> time_from_text(std::string_view text, const TimeText& how) {
  Front front(text);
  const std::optional<Instant> time = take_time(front, how);
  const std::optional<std::int64_t> zone = take_zone(front, how.zone);
  if (!time || !zone || !front.at_end()) {
    return std::nullopt;
  }
  const std::int64_t seconds = (time->seconds - *zone + kDaySeconds) % kDaySeconds;
  return seconds * how.units_per_second + time->units;
}

std::optional<Instant> instant_from_text(std::string_view text, const TimeText& how) {
  Front front(text);
  const std::optional<std::int64_t> days = take_date(front, how.date);
  const bool has_time = front.take('T') || front.take('t') || front.take(' ');
  if (!days || !(has_time || how.may_be_short)) {
    return std::nullopt;
  }
  const std::optional<Instant> time = has_time ? take_time(front, how) : Instant{.seconds = 0, .units = 0};
  const std::optional<std::int64_t> zone = take_zone(front, how.zone);
  if (!time || !zone || !front.at_end()) {
    return std::nullopt;
  }
  return Instant{.seconds = *days * kDaySeconds + time->seconds - *zone, .units = time->units};
}

}  // namespace bloomery
