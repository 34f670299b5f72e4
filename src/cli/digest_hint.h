// A hint for users who query a filter of hexadecimal digests in the wrong case, and get no for every line.
#pragma once

#include <optional>
#include <string_view>

#include "keys/key_place.h"
#include "keys/line_reader.h"

namespace bloomery::cli {

enum class DigestCase { kUpper, kLower };

// Returns the letter case of the keys of the first batch. Empty unless all are hexadecimal digits of one
// length of at least 16, like a digest, and all their letters, of which there is at least one, have one
// case.
std::optional<DigestCase> digest_case(const LineBatch& batch, const KeyPlace& place);

// Returns the advice.
std::string_view digest_hint(DigestCase found);

}  // namespace bloomery::cli
