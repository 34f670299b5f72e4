#include "hash/utc_text.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "hash/ascii_text.h"

namespace bloomery {
namespace {

constexpr std::int64_t kMicros = 1'000'000;
constexpr std::int64_t kDaySeconds = 86'400;
// The range of timestamptz: from 4714-11-24 BC to 294276-12-31.
constexpr std::int64_t kFirstYear = -4713;
constexpr std::int64_t kLastYear = 294'276;
constexpr std::int64_t kFirstDay = -2'440'588;  // from 1970-01-01

struct Date {
  std::int64_t year;  // 0 is 1 BC
  std::int64_t month;
  std::int64_t day;
};

constexpr bool is_leap(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr std::int64_t days_of_month(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap(year) ? 1 : 0);
}

// Years are counted from March, so that a leap day is the last day of its year. An era is 400 years.
constexpr std::int64_t kEraDays = 146'097;
constexpr std::int64_t kEpochFromMarch = 719'468;  // 1970-01-01, in days from 0000-03-01

constexpr std::int64_t floor_div(std::int64_t number, std::int64_t by) {
  return number / by - (number % by < 0 ? 1 : 0);
}

// Returns the days from 1970-01-01.
constexpr std::int64_t days_of(const Date& date) {
  const std::int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const std::int64_t era = floor_div(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t month = (date.month + 9) % 12;
  const std::int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
  return era * kEraDays + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         kEpochFromMarch;
}

constexpr Date date_of(std::int64_t days) {
  const std::int64_t from_march = days + kEpochFromMarch;
  const std::int64_t era = floor_div(from_march, kEraDays);
  const std::int64_t day_of_era = from_march - era * kEraDays;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / (kEraDays - 1)) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;
  return {.year = year_of_era + era * 400 + (month >= 10 ? 1 : 0),
          .month = month < 10 ? month + 3 : month - 9,
          .day = day_of_year - (153 * month + 2) / 5 + 1};
}

static_assert(days_of({1970, 1, 1}) == 0 && days_of({2000, 2, 29}) == 11'016);
static_assert(days_of({kFirstYear, 11, 24}) == kFirstDay);

// Removes `word`, of lower-case letters and signs, from the front of `text`, where it may have either case.
bool take(std::string_view& text, std::string_view word) {
  if (folded(text.substr(0, word.size())) != word) {
    return false;
  }
  text.remove_prefix(word.size());
  return true;
}

// Parses and removes all leading digits; there must be `least` to `most`.
std::optional<std::int64_t> take_digits(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t count = 0;
  while (count < text.size() && is_ascii_digit(text[count])) {
    ++count;
  }
  if (count < least || count > most) {
    return std::nullopt;
  }
  const auto value = number_from_text<std::int64_t>(text.substr(0, count));
  text.remove_prefix(count);
  return value;
}

// Parses and removes two digits of a number below `end`, whatever follows them.
std::optional<std::int64_t> take_two(std::string_view& text, std::int64_t end) {
  std::string_view two = text.substr(0, 2);
  const auto value = take_digits(two, 2, 2);
  text.remove_prefix(value ? 2 : 0);
  return value && *value < end ? value : std::nullopt;
}

// Returns the date as written. Its day may be beyond the month, whose length is known once the era is.
std::optional<Date> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4, 6);
  if (!year || *year == 0 || !take(text, "-")) {
    return std::nullopt;
  }
  const auto month = take_two(text, 13);
  if (!month || *month == 0 || !take(text, "-")) {
    return std::nullopt;
  }
  const auto day = take_two(text, 32);
  return day && *day != 0 ? std::optional(Date{*year, *month, *day}) : std::nullopt;
}

// Returns the seconds of "HH:MM" or "HH:MM:SS" from midnight.
std::optional<std::int64_t> take_clock(std::string_view& text) {
  const auto hours = take_two(text, 24);
  if (!hours || !take(text, ":")) {
    return std::nullopt;
  }
  const auto minutes = take_two(text, 60);
  const auto seconds = minutes && take(text, ":") ? take_two(text, 60) : std::optional<std::int64_t>(0);
  return minutes && seconds ? std::optional(*hours * 3600 + *minutes * 60 + *seconds) : std::nullopt;
}

// Returns the microseconds of ".12"; 0 without a point. Nanoseconds are refused, not cut: they are another
// moment.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
  if (!take(text, ".")) {
    return 0;
  }
  std::int64_t micros = 0;
  std::int64_t unit = kMicros;
  std::size_t count = 0;
  for (; count < text.size() && is_ascii_digit(text[count]); ++count) {
    unit /= 10;
    if (unit == 0 && text[count] != '0') {
      return std::nullopt;
    }
    micros += unit * (text[count] - '0');
  }
  text.remove_prefix(count);
  return count != 0 ? std::optional(micros) : std::nullopt;
}

// Returns the offset from UTC in seconds, positive if clocks are ahead.
std::optional<std::int64_t> take_offset(std::string_view& text) {
  (void)take(text, " ");
  if (take(text, "z") || take(text, "utc")) {
    return 0;
  }
  const bool is_behind = take(text, "-");
  if (!is_behind && !take(text, "+")) {
    return std::nullopt;
  }
  const auto hours = take_two(text, 24);
  if (!hours) {
    return std::nullopt;
  }
  std::int64_t seconds = *hours * 3600;
  const bool has_colon = take(text, ":");
  if (has_colon || (!text.empty() && is_ascii_digit(text.front()))) {
    const auto minutes = take_two(text, 60);
    const auto rest =
        minutes && has_colon && take(text, ":") ? take_two(text, 60) : std::optional<std::int64_t>(0);
    if (!minutes || !rest) {
      return std::nullopt;
    }
    seconds += *minutes * 60 + *rest;
  }
  return is_behind ? -seconds : seconds;
}

std::string padded(std::int64_t number, std::size_t digits) {
  std::string text = std::to_string(number);
  return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

std::string show(std::int64_t seconds, std::int64_t micros) {
  const std::int64_t days = floor_div(seconds, kDaySeconds);
  const std::int64_t of_day = seconds - days * kDaySeconds;
  const Date date = date_of(days);
  const bool is_before = date.year <= 0;
  std::string text = padded(is_before ? 1 - date.year : date.year, 4) + "-" + padded(date.month, 2) + "-" +
                     padded(date.day, 2) + " " + padded(of_day / 3600, 2) + ":" +
                     padded(of_day / 60 % 60, 2) + ":" + padded(of_day % 60, 2);
  if (micros != 0) {
    text += "." + padded(micros, 6);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + (is_before ? "+00 BC" : "+00");
}

}  // namespace

std::optional<std::string> utc_text(std::string_view text) {
  if (const std::string word = folded(text); word == "infinity" || word == "-infinity") {
    return word;
  }
  std::optional<Date> date = take_date(text);
  if (!date || (!take(text, "t") && !take(text, " "))) {
    return std::nullopt;
  }
  const auto clock = take_clock(text);
  const auto micros = clock ? take_fraction(text) : std::nullopt;
  const auto offset = micros ? take_offset(text) : std::nullopt;
  if (!offset) {
    return std::nullopt;
  }
  if (take(text, " bc")) {
    date->year = 1 - date->year;
  }
  if (!text.empty() || date->day > days_of_month(date->year, date->month)) {
    return std::nullopt;
  }
  const std::int64_t seconds = days_of(*date) * kDaySeconds + *clock - *offset;
  const std::int64_t days = floor_div(seconds, kDaySeconds);
  return days >= kFirstDay && days <= days_of({kLastYear, 12, 31}) ? std::optional(show(seconds, *micros))
                                                                   : std::nullopt;
}

}  // namespace bloomery
