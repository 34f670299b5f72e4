#include "cli/progress.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/numbers.h"
#include "cli/standard_streams.h"

namespace bloomery::cli {
namespace {

void print_left(double seconds, std::uint64_t done, std::uint64_t total) {
  const double share = static_cast<double>(done) / static_cast<double>(total);
  const long left = std::lround(seconds / share * (1 - share));
  say(", {:.0f} %, {}:{:02} left", share * 100, left / 60, left % 60);
}

}  // namespace

Progress::Progress(std::string verb)
    : verb_(std::move(verb)), shown_(::isatty(STDERR_FILENO) == 1), start_(Clock::now()), last_(start_) {}

void Progress::clear() {
  if (drawn_) {
    say("\r\x1b[K");
    drawn_ = false;
  }
}

std::optional<double> Progress::time_to_draw() {
  constexpr std::chrono::milliseconds kPause{250};
  const Clock::time_point now = Clock::now();
  if (!shown_ || now - last_ < kPause) {
    return std::nullopt;
  }
  last_ = now;
  drawn_ = true;
  return std::chrono::duration<double>(now - start_).count();
}

void Progress::update(std::uint64_t count, std::uint64_t done, std::optional<std::uint64_t> total,
                      std::string_view kind) {
  const std::optional<double> seconds = time_to_draw();
  if (!seconds) {
    return;
  }
  say("\r\x1b[K{}: {} {}, {:.2f} M {}/s", verb_, show_count(count), kind,
      static_cast<double>(count) / *seconds / 1e6, kind);
  if (total && *total > 0 && done > 0) {
    print_left(*seconds, done, *total);
  }
  std::fflush(stderr);
}

void Progress::update_files(std::uint64_t files, std::uint64_t bytes) {
  const std::optional<double> seconds = time_to_draw();
  if (!seconds) {
    return;
  }
  say("\r\x1b[K{}: {}, {}, {}/s", verb_, show_count_of(files, "file"), show_bytes(bytes),
      show_bytes(static_cast<double>(bytes) / *seconds));
  std::fflush(stderr);
}

void Progress::update_rows(std::uint64_t rows, std::uint64_t region, std::uint64_t regions) {
  const std::optional<double> seconds = time_to_draw();
  if (!seconds) {
    return;
  }
  say("\r\x1b[K{}: {} rows, {:.2f} M rows/s, region {} of {}", verb_, show_count(rows),
      static_cast<double>(rows) / *seconds / 1e6, show_count(region), show_count(regions));
  std::fflush(stderr);
}

void Progress::update_steps(std::string_view kind, std::uint64_t done, std::uint64_t total) {
  const std::optional<double> seconds = time_to_draw();
  if (!seconds || done == 0) {
    return;
  }
  say("\r\x1b[K{}: {} of {} {}", verb_, show_count(done), show_count(total), kind);
  print_left(*seconds, done, total);
  std::fflush(stderr);
}

}  // namespace bloomery::cli
