// What a store runs on: files, time and background work. Tests own all three, so that a seed is a run.
//
// The machine's own environment uses POSIX files, the system's clocks, and a thread of its own for background
// work. Simulation: tests/store/sim.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "bloomery/table/table_schema.h"

namespace bloomery::store {

class Clock {
 public:
  virtual ~Clock() = default;

  virtual std::int64_t now_ms() = 0;      // since 1970; may go back
  virtual std::uint64_t steady_ms() = 0;  // never goes back
};

// Runs jobs, one at a time and in the order of their posting, outside of the caller's call. Thread-safe.
class Executor {
 public:
  virtual ~Executor() = default;

  virtual void post(std::function<void()> job) = 0;
  // Runs the job when so many milliseconds have passed, at the earliest.
  virtual void post_after(std::uint64_t ms, std::function<void()> job) = 0;
  // Waits until `is_done` returns true. Only jobs and other threads can make it true; whoever does calls
  // wake(). It is called with no lock held.
  virtual void wait(const std::function<bool()>& is_done) = 0;
  virtual void wake() = 0;
  // Returns when all jobs that are due have ended. Later jobs are dropped.
  virtual void stop() = 0;
};

// A compaction. Tests check each one.
struct CompactionNote {
  std::string table = {};
  FamilySchema family = {};
  bool is_major = false;
  std::int64_t now_ms = 0;
  std::vector<std::string> inputs = {};  // paths
  std::string output = {};
};

struct Environment {
  FileSystem* files = nullptr;
  std::shared_ptr<Clock> clock = {};
  std::shared_ptr<Executor> executor = {};
  std::uint64_t seed = 0;  // of the names of new files
  // Called when a memstore was frozen; all of the log is on the disk.
  std::function<void()> on_freeze = {};
  // Called when the new file is complete, and again (`true`) when the list names it.
  std::function<void(const CompactionNote& note, bool is_installed)> on_compaction = {};

  // Returns the machine's own, with a thread of its own.
  static Environment real();
};

}  // namespace bloomery::store
