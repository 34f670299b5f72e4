// Numbers as people write and read them.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <system_error>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// A whole number in decimal, all of `text`; nothing for other text, or where it does not fit.
template <std::integral Number>
std::optional<Number> parse_decimal(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, value);
  return code == std::errc() && stopped == end ? std::optional(value) : std::nullopt;
}

// Reads a count as people write it: 1000000, 1_000_000, 1,000,000, 1e6, 2.5e9, 10k, 1.5M, 2G or 1T. The letters are powers
// of 1000, since keys are counted so; m, g and t are not read. Errors: kInvalidArgument for anything else, or above 10^18.
Result<std::uint64_t> parse_count(std::string_view option, std::string_view text);

// Reads bytes: 1048576, 512M, 1.5G, 1GiB or 100MB. K, M, G, T and KiB, MiB, GiB, TiB are powers of 1024, and KB, MB, GB, TB
// powers of 1000; letters in either case. Errors: kInvalidArgument for anything else, or above 2^60.
Result<std::uint64_t> parse_size(std::string_view option, std::string_view text);

// Reads a time, in nanoseconds: 90s, 5m, 1h30m, 7d, 250ms; units d, h, m, s, ms, us, ns. Errors:
// kInvalidArgument for anything else, or above 100 years.
Result<std::uint64_t> parse_duration(std::string_view option, std::string_view text);
// Of such a time, in seconds: "5400 s", "0.25 s".
std::string show_seconds(std::uint64_t nanoseconds);

// Reads a time as a cell has it: milliseconds since 1970, in decimal. Errors: kInvalidArgument.
Result<std::int64_t> parse_milliseconds(std::string_view option, std::string_view text);

// Reads a finite decimal number. Errors: kInvalidArgument.
Result<double> parse_real(std::string_view option, std::string_view text);

// Reads a probability: 0.01, 1e-2 or 1%. Whether it lies between 0 and 1 is for whoever uses it. Errors: kInvalidArgument.
Result<double> parse_probability(std::string_view option, std::string_view text);

// "23.96 GB" (decimal units, as disks are sold and 10^9 keys are counted).
std::string show_bytes(double bytes);
inline std::string show_bytes(std::uint64_t bytes) {
  return show_bytes(static_cast<double>(bytes));
}
// "22.32 GiB", the same in powers of 1024.
std::string show_binary_bytes(double bytes);

// "191,701,167,548".
std::string show_count(std::uint64_t count);

// "1.0013e-04", "0.0101"; probabilities with four digits that mean something.
std::string show_probability(double probability);

}  // namespace bloomery::cli
