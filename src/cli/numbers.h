// Reads and prints numbers in the forms that people write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// Parses a count: 1000000, 1_000_000, 1,000,000, 1e6, 2.5e9, 10k, 1.5M, 2G or 1T. The letters are powers of
// 1000, as usual for keys; m, g and t are refused. Errors: kInvalidArgument for other text, or above 10^18.
Result<std::uint64_t> parse_count(std::string_view option, std::string_view text);

// Parses a number of bytes: 1048576, 512M, 1.5G, 1GiB or 100MB. K, M, G, T and KiB, MiB, GiB, TiB are powers
// of 1024, and KB, MB, GB, TB powers of 1000; letters in either case. Errors: kInvalidArgument for other
// text, or above 2^60.
Result<std::uint64_t> parse_size(std::string_view option, std::string_view text);

// Parses a duration and returns nanoseconds: 90s, 5m, 1h30m, 7d, 250ms; units d, h, m, s, ms, us, ns. Errors:
// kInvalidArgument for other text, or above 100 years.
Result<std::uint64_t> parse_duration(std::string_view option, std::string_view text);
// Returns a duration in seconds: "5400 s", "0.25 s".
std::string show_seconds(std::uint64_t nanoseconds);

// Parses the timestamp of a cell: milliseconds since 1970, in decimal. Errors: kInvalidArgument.
Result<std::int64_t> parse_milliseconds(std::string_view option, std::string_view text);

// Parses a finite decimal number. Errors: kInvalidArgument.
Result<double> parse_real(std::string_view option, std::string_view text);

// Parses a probability: 0.01, 1e-2 or 1%. The caller checks its range. Errors: kInvalidArgument.
Result<double> parse_probability(std::string_view option, std::string_view text);

// Returns "23.96 GB", with decimal units, as for disks.
std::string show_bytes(double bytes);
inline std::string show_bytes(std::uint64_t bytes) {
  return show_bytes(static_cast<double>(bytes));
}
// Returns "22.32 GiB", in powers of 1024.
std::string show_binary_bytes(double bytes);

// Returns "191,701,167,548".
std::string show_count(std::uint64_t count);
// Returns "1 key", "2 keys": the plural has an s.
std::string show_count_of(std::uint64_t count, std::string_view noun);

// Returns "1.0013e-04" or "0.0101": five significant digits below 0.001, otherwise at most four.
std::string show_probability(double probability);

}  // namespace bloomery::cli
