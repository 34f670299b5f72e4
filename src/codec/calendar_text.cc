#include "codec/calendar_text.h"

#include <chrono>
#include <cstddef>

namespace bloomery {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr std::int64_t kSecondsOfDay = 86'400;

// Takes exactly `count` digits from the front.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) {
    return std::nullopt;
  }
  int value = 0;
  for (const char digit : text.substr(0, count)) {
    if (digit < '0' || digit > '9') {
      return std::nullopt;
    }
    value = value * 10 + (digit - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char character) {
  const bool there = text.starts_with(character);
  text.remove_prefix(there ? 1 : 0);
  return there;
}

std::optional<std::int64_t> take_date(std::string_view& text) {
  const std::optional<int> year = take_digits(text, 4);
  const bool first = take(text, '-');
  const std::optional<int> month = take_digits(text, 2);
  const bool second = take(text, '-');
  const std::optional<int> day = take_digits(text, 2);
  if (!year || !first || !month || !second || !day) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  return date.ok() ? std::optional<std::int64_t>(std::chrono::sys_days(date).time_since_epoch().count())
                   : std::nullopt;
}

std::optional<std::int64_t> take_fraction(std::string_view& text) {
  std::int64_t fraction = 0;
  std::int64_t worth = kNanoseconds;
  while (worth > 1 && !text.empty() && text.front() >= '0' && text.front() <= '9') {
    worth /= 10;
    fraction += worth * (text.front() - '0');
    text.remove_prefix(1);
  }
  return worth < kNanoseconds ? std::optional(fraction) : std::nullopt;
}

std::optional<std::int64_t> take_time(std::string_view& text) {
  const std::optional<int> hour = take_digits(text, 2);
  const bool colon = take(text, ':');
  const std::optional<int> minute = take_digits(text, 2);
  if (!hour || !colon || !minute || *hour > 23 || *minute > 59) {
    return std::nullopt;
  }
  std::int64_t seconds = (std::int64_t{*hour} * 60 + *minute) * 60;
  if (!take(text, ':')) {
    return seconds * kNanoseconds;
  }
  const std::optional<int> second = take_digits(text, 2);
  if (!second || *second > 59) {
    return std::nullopt;
  }
  seconds += *second;
  if (!take(text, '.')) {
    return seconds * kNanoseconds;
  }
  const std::optional<std::int64_t> fraction = take_fraction(text);
  return fraction ? std::optional(seconds * kNanoseconds + *fraction) : std::nullopt;
}

// Returns the seconds that the zone is ahead of UTC. The zone is all that is left.
std::optional<std::int64_t> zone_of(std::string_view text) {
  if (text == "Z" || text == "z") {
    return 0;
  }
  const bool behind = text.starts_with('-');
  if (!behind && !text.starts_with('+')) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  const std::optional<int> hours = take_digits(text, 2);
  std::optional<int> minutes = 0;
  if (!text.empty()) {
    take(text, ':');
    minutes = take_digits(text, 2);
  }
  if (!hours || !minutes || !text.empty() || *hours > 18 || *minutes > 59) {
    return std::nullopt;
  }
  const std::int64_t seconds = (std::int64_t{*hours} * 60 + *minutes) * 60;
  return behind ? -seconds : seconds;
}

}  // namespace

std::optional<std::int64_t> days_of_date(std::string_view text) {
  const std::optional<std::int64_t> days = take_date(text);
  return text.empty() ? days : std::nullopt;
}

std::optional<std::int64_t> nanoseconds_of_time(std::string_view text) {
  const std::optional<std::int64_t> nanoseconds = take_time(text);
  return text.empty() ? nanoseconds : std::nullopt;
}

std::optional<Instant> instant_of_timestamp(std::string_view text) {
  const std::optional<std::int64_t> days = take_date(text);
  std::optional<std::int64_t> time = 0;
  if (take(text, 'T') || take(text, ' ')) {
    time = take_time(text);
  }
  const std::optional<std::int64_t> zone = zone_of(text);
  if (!days || !time || !zone) {
    return std::nullopt;
  }
  return Instant{.seconds = *days * kSecondsOfDay + *time / kNanoseconds - *zone,
                 .nanoseconds = *time % kNanoseconds};
}

}  // namespace bloomery
