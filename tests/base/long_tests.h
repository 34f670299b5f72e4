// Whether tests run at their full size: BLOOMERY_LONG_TESTS=1, as scripts/nightly sets it. Otherwise those that would take long
// take fewer keys, rows or damaged bytes, and ask the same of them.
#pragma once

#include <cstdlib>
#include <string_view>

namespace bloomery {

inline bool runs_long_tests() {
  const char* const text = std::getenv("BLOOMERY_LONG_TESTS");
  return text != nullptr && std::string_view(text) == "1";
}

}  // namespace bloomery
