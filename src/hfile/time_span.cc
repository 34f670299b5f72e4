#include "hfile/time_span.h"

#include <cstddef>
#include <span>

#include "base/endian.h"
#include "hfile/protobuf_reader.h"

namespace bloomery::hfile {
namespace {

// Reads two plain integers. Returns nothing if the value has another form.
std::optional<TimeSpan> parse_longs(std::string_view value) {
  constexpr std::size_t kTimes = 16;
  constexpr std::size_t kOldTimes = 32;  // HBase 0.98 stores its whole buffer
  if (value.size() != kTimes &&
      (value.size() != kOldTimes || value.find_first_not_of('\0', kTimes) != std::string_view::npos)) {
    return std::nullopt;
  }
  const auto* const at = reinterpret_cast<const std::byte*>(value.data());
  return TimeSpan{static_cast<std::int64_t>(load_big64(at)), static_cast<std::int64_t>(load_big64(at + 8))};
}

// Reads the message after the magic. Returns nothing if it is damaged or lacks one of the two fields.
std::optional<TimeSpan> parse_message(std::string_view message) {
  constexpr const char* kSubject = "TIMERANGE";
  ProtobufReader reader(std::as_bytes(std::span(message)), kSubject, 0);
  std::optional<std::uint64_t> oldest;
  std::optional<std::uint64_t> newest;
  while (true) {
    const auto field = reader.next();
    if (!field) {
      return std::nullopt;
    }
    if (!*field) {
      break;
    }
    const ProtobufField& found = **field;
    if (found.number == 1 || found.number == 2) {
      (found.number == 1 ? oldest : newest) = found.integer;
    }
  }
  if (!oldest || !newest) {
    return std::nullopt;
  }
  return TimeSpan{static_cast<std::int64_t>(*oldest), static_cast<std::int64_t>(*newest)};
}

}  // namespace

std::optional<TimeSpan> parse_time_span(std::string_view value) {
  const std::optional<TimeSpan> longs = parse_longs(value);
  if (!value.starts_with(kProtobufMagic)) {
    return longs;
  }
  // As an integer, the magic is a time in the year 183 million: legal if the two integers are in order.
  return longs && longs->has_times() ? std::nullopt : parse_message(value.substr(kProtobufMagic.size()));
}

std::optional<TimeSpan> times_of(const OpenFile& file) {
  const auto value = file.info().find("TIMERANGE");
  return value ? parse_time_span(*value) : std::nullopt;
}

}  // namespace bloomery::hfile
