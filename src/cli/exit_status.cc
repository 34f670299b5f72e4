#include "cli/exit_status.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include <fmt/core.h>

#include "base/byte_text.h"
#include "cli/standard_streams.h"

namespace bloomery::cli {

std::string_view remedy_for(const Error& error) {
  const bool is_checksum =
      error.code() == ErrorCode::kCorruption && (error.detail().find("checksum") != std::string::npos ||
                                                 error.detail().find("CRC-32C") != std::string::npos);
  return is_checksum
             ? "; its bytes are not those that were written: restore it from a copy, or build it again"
             : "";
}

int report(std::string_view verb, const Error& error) {
  if (error.errno_value() == EPIPE) {
    return kTrouble;  // the reader of our output has ended, so no message is needed
  }
  warn(verb, error.to_string().append(remedy_for(error)));
  if (error.errno_value() == EINTR) {
    return kInterrupted;
  }
  switch (error.code()) {
    case ErrorCode::kCorruption:
      return kDamaged;
    case ErrorCode::kUnsupported:
      return kUnsupported;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kIo:
    case ErrorCode::kCapacity:
      break;
  }
  return kTrouble;
}

int graver(int first, int second) {
  constexpr std::array<int, 7> kByGravity = {kDone,        kNothing, kRefused,    kTrouble,
                                             kUnsupported, kDamaged, kInterrupted};
  const auto place = [&](int status) { return std::ranges::find(kByGravity, status); };
  return place(first) < place(second) ? second : first;
}

namespace {

template <typename Filter>
Status check_whole_of(const Filter& filter, const char* noun, const std::string& name) {
  if (filter.is_whole()) {
    return {};
  }
  return Error::invalid_argument(
      name,
      fmt::format(
          "expected a whole {0}, found a part of one (shards {1} to {2} of {3}): merge its parts first", noun,
          filter.first_shard(), filter.first_shard() + filter.held_shards() - 1, filter.shard_count()));
}

}  // namespace

Status check_whole(const AnyFilter& filter, const std::string& name) {
  if (const auto* const ribbon = std::get_if<RibbonFilter>(&filter.variant())) {
    return check_whole_of(*ribbon, "ribbon", name);
  }
  const auto* const fuse = std::get_if<FuseFilter>(&filter.variant());
  return fuse == nullptr ? Status() : check_whole_of(*fuse, "fuse filter", name);
}

void warn(std::string_view verb, std::string_view text) {
  say("bloomery {}: {}\n", verb, printable_text(text));
}

}  // namespace bloomery::cli
