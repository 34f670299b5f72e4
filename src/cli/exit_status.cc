#include "cli/exit_status.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>

#include <fmt/core.h>

#include "base/byte_text.h"
#include "cli/numbers.h"
#include "cli/question_fpp.h"
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

void warn_over_capacity(std::string_view verb, const AnyFilter& filter) {
  if (!filter.over_capacity()) {
    return;
  }
  const NativeFilter& native = filter.native();
  const std::string made = "warning: over capacity: made for " + show_count_of(native.capacity(), "key");
  if (const auto* const windowed = std::get_if<WindowedFilter>(&filter.variant())) {
    warn(verb, fmt::format("{} a window, a generation has clearly more than its share of {}; fpp {}; {}",
                           made, show_count(windowed->generation_capacity()), show_fpp(filter),
                           remedy_for_overfull(*windowed)));
    return;
  }
  warn(verb, fmt::format("{}, {} were given, about {} or more of them different; fpp {}", made,
                         show_count(native.inserted()),
                         show_count(static_cast<std::uint64_t>(std::llround(filter.estimated_count()))),
                         show_fpp(filter)));
}

std::string remedy_for_overfull(const WindowedFilter& filter) {
  const Window& window = filter.window();
  if (window.kind == WindowKind::kCount) {
    return "a longer --window has larger generations";
  }
  return fmt::format("a new window takes them with -n {} times as many as may come in one generation",
                     window.generations);
}

void warn_over_capacity(std::string_view verb, const DialectFacts& facts) {
  if (facts.capacity && facts.inserted && *facts.inserted > *facts.capacity) {
    warn(verb, fmt::format("warning: over capacity: made for {}, {} are in",
                           show_count_of(*facts.capacity, "key"), show_count(*facts.inserted)));
  }
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
