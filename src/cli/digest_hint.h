// A hint for users who query a filter of hexadecimal digests in the wrong letter case, so that every answer
// is no.
#pragma once

#include <optional>
#include <string_view>

#include "keys/key_place.h"
#include "keys/line_reader.h"

namespace bloomery::cli {

enum class DigestCase { kUpper, kLower };

// Returns the letter case of the first batch's keys if they look like digests: hexadecimal digits, all of one
// length of at least 16, with at least one letter, and all letters of one case. Otherwise returns nothing.
std::optional<DigestCase> digest_case(const LineBatch& batch, const KeyPlace& place);

// Returns the text of the hint.
std::string_view digest_hint(DigestCase found);

}  // namespace bloomery::cli
