// Decides when the mark of a log is synced.
//
// The caller appends entries to a log, syncs the log, and calls note_sync(). The mark is then written at
// once, so a killed process loses none. When the machine stops, only a mark that was synced is sure to be
// found:
//
//   MarkSync::kWithinASecond    the mark is synced by the first call one second or more after the oldest mark
//                               that is not synced. Such calls are note_sync() and tick()
//   MarkSync::kAtOnce           each mark is synced. A sync of the log then costs a second one
//
// There are no threads and no clock here. The caller states the time, in milliseconds of a clock that does
// not go back. It calls tick() at due_ms() if it has nothing to sync.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "bloomery/base/result.h"
#include "wal/log_mark.h"

namespace bloomery::wal {

enum class MarkSync { kWithinASecond, kAtOnce };

class LogMarker {
 public:
  static constexpr std::uint64_t kMostDelayMs = 1000;

  LogMarker(LogMarkFile file, MarkSync policy) : file_(std::move(file)), policy_(policy) {}

  // Writes the mark. Precondition: the log is synced up to mark.length. Errors: those of LogMarkFile; a mark
  // that was not synced then stays due.
  Status note_sync(const LogMark& mark, std::uint64_t now_ms);
  // Syncs the mark if it is due.
  Status tick(std::uint64_t now_ms);
  // Syncs the mark if it is not, before the log is closed.
  Status sync();
  // The time at which the mark is due, or nothing if it is synced.
  std::optional<std::uint64_t> due_ms() const { return due_ms_; }

 private:
  LogMarkFile file_;
  MarkSync policy_;
  std::optional<std::uint64_t> due_ms_;
};

}  // namespace bloomery::wal
