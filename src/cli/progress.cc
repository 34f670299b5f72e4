#include "cli/progress.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/numbers.h"

namespace bloomery::cli {

Progress::Progress(std::string verb)
    : verb_(std::move(verb)), shown_(::isatty(STDERR_FILENO) == 1), start_(Clock::now()), last_(start_) {}

Progress::~Progress() {
  if (drawn_) {
    fmt::print(stderr, "\r\x1b[K");
  }
}

void Progress::update(std::uint64_t keys, std::uint64_t done, std::optional<std::uint64_t> total) {
  constexpr std::chrono::milliseconds kPause{250};
  if (!shown_) {
    return;
  }
  const Clock::time_point now = Clock::now();
  if (now - last_ < kPause) {
    return;
  }
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r\x1b[K{}: {} keys, {:.2f} M keys/s", verb_, show_count(keys),
             static_cast<double>(keys) / seconds / 1e6);
  if (total && *total > 0 && done > 0) {
    const double share = static_cast<double>(done) / static_cast<double>(*total);
    const long left = std::lround(seconds / share * (1 - share));
    fmt::print(stderr, ", {:.0f} %, {}:{:02} left", share * 100, left / 60, left % 60);
  }
  std::fflush(stderr);
}

}  // namespace bloomery::cli
