// Hints for users whose query matches nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "keys/key_place.h"
#include "keys/line_reader.h"

namespace bloomery::cli {

// A hint for users who query with entire lines although the filter's keys are a field of the lines (forgotten
// -k). Splits the lines at the usual delimiters and queries each of the first fields. Returns a hint if a
// field matches in at least half of the lines and more often than by chance. fpp() returns the probability of
// a chance match; it may be slow, so it is only called if a field matches. `count_maybes` queries the filters
// for the lines of a batch, and returns the number of maybes.
std::optional<std::string> field_hint(std::span<const std::string> lines, const std::function<double()>& fpp,
                                      const std::function<Result<std::uint64_t>(LineBatch&)>& count_maybes);

// The letter case of hexadecimal digests. A query in the other case than the filter's is always answered no.
enum class DigestCase { kUpper, kLower };

// Returns the letter case of the first batch's keys if they look like digests: hexadecimal digits, all of one
// length of at least 16, with at least one letter, and all letters of one case. Otherwise returns nothing.
std::optional<DigestCase> digest_case(const LineBatch& batch, const KeyPlace& place);

// Returns the text of the hint.
std::string_view digest_hint(DigestCase found);

}  // namespace bloomery::cli
