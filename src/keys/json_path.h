// The path to a value in a JSON document: `user.tags.0`, or the JSON Pointer `/user/tags/0` (RFC 6901).
//
// A step is the name of a member, or the index of an array's element, counted from 0. A name that contains a
// dot needs the pointer form, in which ~1 encodes a slash and ~0 a tilde.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

using JsonPath = std::vector<std::string>;

// Errors: kInvalidArgument for an empty path, an empty step of a dotted path, and a wrong ~ in a pointer.
Result<JsonPath> parse_json_path(std::string_view text);

}  // namespace bloomery
