// The answer of a guard to a query for a key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bloomery::guard {

struct Answer {
  enum class From : std::uint8_t { kFilter, kCache, kNegative, kLoad };

  std::optional<std::string> value;  // empty: there is no such row
  From from = From::kFilter;
  bool is_stale = false;  // the value has outlived its fresh time
};

}  // namespace bloomery::guard
