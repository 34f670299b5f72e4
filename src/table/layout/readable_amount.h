// Amounts of time and of bytes as people write them for HBase: "86400", "1 DAY 2 HOURS", "64KB".
//
//   time    DAY, HOUR, MINUTE, SECOND, also in the plural
//   bytes   TB, GB, MB, KB, B, also T, G, M, K
//
// Units descend, and each occurs once. Case and spaces between numbers and units do not matter. HBase prints
// an amount twice, "5400 SECONDS (1 HOUR 30 MINUTES)", and accepts that: both must be the same.
//
// Source: HBase 2.6, PrettyPrinter. It understands a malformed text as 0; here it is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bloomery::table {

// Return nothing for other text and for more than 2^62.
std::optional<std::int64_t> parse_seconds(std::string_view text);
std::optional<std::int64_t> parse_bytes(std::string_view text);

}  // namespace bloomery::table
