// Times on the command line: milliseconds since 1970, in decimal, as a cell has them.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

#include <system_error>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// Leaves `value` where nothing was given. Errors: kInvalidArgument.
inline Status take_milliseconds(const char* option, const std::string& given, std::int64_t& value) {
  if (given.empty()) {
    return {};
  }
  const auto [stopped, code] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (code != std::errc() || stopped != given.data() + given.size()) {
    return Error::invalid_argument(option, "expected milliseconds since 1970, found '" + given + "'");
  }
  return {};
}

}  // namespace bloomery::cli
