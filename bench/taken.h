// Takes the value out of a result, or ends a benchmark with the error under the program's name.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "bloomery/base/result.h"

namespace bloomery {

[[noreturn]] inline void fail(const std::string& what) {
  fmt::print(stderr, "{}: {}\n", program_invocation_short_name, what);
  std::exit(1);
}

template <typename T>
T take(Result<T> result) {
  if (!result) {
    fail(result.error().to_string());
  }
  return std::move(result).value();
}
inline void take(const Status& status) {
  if (!status) {
    fail(status.error().to_string());
  }
}

}  // namespace bloomery
