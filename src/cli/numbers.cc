#include "cli/numbers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "hash/ascii_text.h"

namespace bloomery::cli {
namespace {

Error not_a_number(std::string_view option, std::string_view expected, std::string_view text) {
  return Error::invalid_argument(std::string(option), fmt::format("expected {}, found '{}'", expected, text));
}

constexpr std::string_view kUnitLetters = "KMGT";

// Removes a final k, K, M, G or T, and returns the factor that it stands for: a power of 1000.
std::uint64_t take_count_unit(std::string_view& number) {
  const std::size_t power = number.empty()         ? std::string_view::npos
                            : number.back() == 'k' ? 0
                                                   : kUnitLetters.find(number.back());
  std::uint64_t scale = 1;
  if (power != std::string_view::npos) {
    number.remove_suffix(1);
    for (std::size_t i = 0; i <= power; ++i) {
      scale *= 1000;
    }
  }
  return scale;
}

// Removes a final unit (K, KB, KiB ...) in either case. Returns its bytes; 1 without a unit, NaN for an
// unknown one.
double take_size_unit(std::string_view& number) {
  std::string unit;
  while (!number.empty() && std::isalpha(static_cast<unsigned char>(number.back())) != 0) {
    unit.insert(unit.begin(), static_cast<char>(std::toupper(static_cast<unsigned char>(number.back()))));
    number.remove_suffix(1);
  }
  const std::size_t power = unit.empty() ? std::string_view::npos : kUnitLetters.find(unit.front());
  const std::string_view rest = std::string_view(unit).substr(std::min<std::size_t>(1, unit.size()));
  const bool known = power != std::string_view::npos && (rest.empty() || rest == "B" || rest == "IB");
  if (!known) {
    return unit.empty() ? 1 : std::numeric_limits<double>::quiet_NaN();
  }
  return std::pow(rest == "B" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
}

// Returns the digits of 1_000_000 or 1,000,000, or nothing if a comma does not separate groups of three
// digits.
std::optional<std::string> without_group_marks(std::string_view number) {
  std::string digits;
  const bool grouped = number.find(',') != std::string_view::npos;
  if (grouped && number.size() % 4 == 0) {  // a group of four digits, or a comma at the start
    return std::nullopt;
  }
  for (std::size_t i = 0; i < number.size(); ++i) {
    const std::size_t left = number.size() - i;  // characters from here to the end
    const bool is_digit = number[i] >= '0' && number[i] <= '9';
    if (grouped && (left % 4 != 0 ? !is_digit : number[i] != ',')) {
      return std::nullopt;
    }
    if (number[i] != '_' && number[i] != ',') {
      digits += number[i];
    }
  }
  return digits;
}

std::string show_scaled(double bytes, double base, const std::array<const char*, 6>& units) {
  std::size_t unit = 0;
  while (bytes >= base - 0.005 && unit + 1 < units.size()) {
    bytes /= base;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} {}", bytes, units[unit])
                   : fmt::format("{:.2f} {}", bytes, units[unit]);
}

}  // namespace

Result<double> parse_real(std::string_view option, std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || stopped != end || !std::isfinite(value)) {
    return not_a_number(option, "a number", text);
  }
  return value;
}

Result<double> parse_probability(std::string_view option, std::string_view text) {
  if (!text.ends_with('%')) {
    return parse_real(option, text);
  }
  const Result<double> percent = parse_real(option, text.substr(0, text.size() - 1));
  return percent ? Result<double>(*percent / 100)
                 : not_a_number(option, "a probability, such as 0.01, 1e-2 or 1%", text);
}

Result<std::uint64_t> parse_count(std::string_view option, std::string_view text) {
  constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;
  constexpr std::string_view kExpected = "a whole number from 0 to 10^18, such as 1000000, 1e6 or 1M";
  std::string_view number = text;
  const std::uint64_t scale = take_count_unit(number);
  const std::optional<std::string> digits = without_group_marks(number);
  if (!digits) {
    return not_a_number(option, kExpected, text);
  }
  if (const auto whole = number_from_text<std::uint64_t>(*digits)) {
    return *whole <= kMost / scale ? Result<std::uint64_t>(*whole * scale)
                                   : not_a_number(option, kExpected, text);
  }
  const Result<double> real = parse_real(option, *digits);
  const double scaled = real ? *real * static_cast<double>(scale) : -1;
  if (scaled < 0 || scaled > static_cast<double>(kMost) || scaled != std::floor(scaled)) {
    return not_a_number(option, kExpected, text);
  }
  return static_cast<std::uint64_t>(scaled);
}

Result<std::int64_t> parse_milliseconds(std::string_view option, std::string_view text) {
  const auto value = number_from_text<std::int64_t>(text);
  return value ? Result<std::int64_t>(*value) : not_a_number(option, "milliseconds since 1970", text);
}

Result<std::uint64_t> parse_duration(std::string_view option, std::string_view text) {
  constexpr std::string_view kExpected = "a time such as 90s, 5m, 1h30m, 7d or 250ms";
  constexpr double kMost = 100.0 * 365.25 * 86400e9;
  struct Unit {
    std::string_view name;
    double nanoseconds;
  };
  constexpr std::array<Unit, 7> kUnits = {
      {{"d", 86400e9}, {"h", 3600e9}, {"m", 60e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};
  double sum = 0;
  std::string_view rest = text;
  do {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789."), rest.size());
    const std::size_t next = std::min(rest.find_first_of("0123456789.", digits), rest.size());
    const std::string_view name = rest.substr(digits, next - digits);
    const auto unit = std::ranges::find(kUnits, name, &Unit::name);
    const Result<double> value = parse_real(option, rest.substr(0, digits));
    if (!value || unit == kUnits.end()) {
      return not_a_number(option, kExpected, text);
    }
    sum += *value * unit->nanoseconds;
    rest.remove_prefix(next);
  } while (!rest.empty());
  return sum <= kMost ? Result<std::uint64_t>(static_cast<std::uint64_t>(std::llround(sum)))
                      : not_a_number(option, kExpected, text);
}

std::string show_seconds(std::uint64_t nanoseconds) {
  return fmt::format("{:.10g} s", static_cast<double>(nanoseconds) / 1e9);
}

Result<std::uint64_t> parse_size(std::string_view option, std::string_view text) {
  constexpr double kMost = 1152921504606846976.0;  // 2^60
  std::string_view digits = text;
  const double scale = take_size_unit(digits);
  const Result<double> number = parse_real(option, digits);
  if (!number || *number < 0 || !(*number * scale <= kMost)) {
    return not_a_number(option, "bytes, such as 512M, 1.5GiB or 100MB", text);
  }
  return static_cast<std::uint64_t>(*number * scale);
}

std::string show_bytes(double bytes) {
  return show_scaled(bytes, 1000, {"bytes", "kB", "MB", "GB", "TB", "PB"});
}

std::string show_binary_bytes(double bytes) {
  return show_scaled(bytes, 1024, {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

std::string show_count_of(std::uint64_t count, std::string_view noun) {
  return show_count(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string show_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string show_probability(double probability) {
  return probability >= 0.001 || probability == 0 ? fmt::format("{:.4g}", probability)
                                                  : fmt::format("{:.4e}", probability);
}

}  // namespace bloomery::cli
