#include "cli/lock_wait.h"

#include <cerrno>
#include <chrono>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cli/exit_status.h"

namespace bloomery::cli {
namespace {

// A longer wait prints a message. Most updates are shorter.
constexpr std::chrono::milliseconds kSilence{300};

}  // namespace

void LockWait::add_to(CLI::App& verb) {
  verb.add_flag("--no-wait", refuses_,
                "end at once (exit 2) if another process updates or replaces the file, instead of waiting");
}

Result<FileLock> LockWait::take(std::string_view verb, const std::string& file,
                                const std::atomic<bool>* stop) const {
  if (refuses_) {
    return FileLock::take(file);
  }
  const auto start = std::chrono::steady_clock::now();
  bool told = false;
  bool stopped = false;
  Result<FileLock> lock = FileLock::take(file, [&] {
    stopped = stop != nullptr && stop->load(std::memory_order_relaxed);
    if (!stopped && !told && std::chrono::steady_clock::now() - start >= kSilence) {
      told = true;
      warn(verb, fmt::format("waiting for {}, which another process updates or replaces", file));
    }
    return !stopped;
  });
  if (stopped) {
    return Error::io(file, "stopped while it waited, nothing was changed", EINTR);
  }
  return lock;
}

Status LockWait::until_free(std::string_view verb, const std::string& file,
                            const std::atomic<bool>* stop) const {
  const Result<FileLock> lock = take(verb, file, stop);
  return lock ? Status() : Status(lock.error());
}

}  // namespace bloomery::cli
