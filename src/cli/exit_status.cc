#include "cli/exit_status.h"

#include <cerrno>
#include <cstdio>

#include <fmt/core.h>

namespace bloomery::cli {

int report(std::string_view verb, const Error& error) {
  if (error.errno_value() == EPIPE) {
    return kTrouble;  // whoever read us has heard enough
  }
  warn(verb, error.to_string());
  if (error.errno_value() == EINTR) {
    return kInterrupted;
  }
  const bool damaged = error.code() == ErrorCode::kCorruption || error.code() == ErrorCode::kUnsupported;
  return damaged ? kDamaged : kTrouble;
}

void warn(std::string_view verb, std::string_view text) {
  fmt::print(stderr, "bloomery {}: {}\n", verb, text);
}

}  // namespace bloomery::cli
