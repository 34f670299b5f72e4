#include "hfile/time_span.h"

#include <cstddef>

#include "base/endian.h"

namespace bloomery::hfile {

std::optional<TimeSpan> parse_time_span(std::string_view value) {
  constexpr std::size_t kTimes = 16;
  constexpr std::size_t kOldTimes = 32;  // HBase 0.98 stores all of its buffer
  if (value.size() != kTimes &&
      (value.size() != kOldTimes || value.find_first_not_of('\0', kTimes) != std::string_view::npos)) {
    return std::nullopt;
  }
  const auto* const at = reinterpret_cast<const std::byte*>(value.data());
  return TimeSpan{static_cast<std::int64_t>(load_big64(at)), static_cast<std::int64_t>(load_big64(at + 8))};
}

std::optional<TimeSpan> times_of(const OpenFile& file) {
  const auto value = file.info().find("TIMERANGE");
  return value ? parse_time_span(*value) : std::nullopt;
}

}  // namespace bloomery::hfile
