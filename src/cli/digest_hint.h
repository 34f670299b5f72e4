// A hint for those who ask a filter of hexadecimal digests in the other case, and get no for every line.
#pragma once

#include <optional>
#include <string_view>

#include "keys/key_place.h"
#include "keys/line_reader.h"

namespace bloomery::cli {

enum class DigestCase { kUpper, kLower };

// Returns the case of the keys of the first batch if all are hexadecimal digits of one length, as of a digest
// (16 or more), with letters of one case among them.
std::optional<DigestCase> digest_case(const LineBatch& batch, const KeyPlace& place);

// Returns what to do about it.
std::string_view digest_hint(DigestCase found);

}  // namespace bloomery::cli
