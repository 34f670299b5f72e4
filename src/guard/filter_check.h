// Decides whether the filter lets a query through to the database.
//
//   mode off, or a bypass of the key                          ──> unfiltered
//   a write of the key is open                                ──> unfiltered
//   the filter is incomplete, or lags by more than the bound  ──> unfiltered
//   otherwise, the source says maybe                          ──> passed
//   otherwise, the source says no                             ──> rejected, or would-reject in shadow mode
//
// The open writes are checked before the source (open_writes.h says why).
//
// Threads: all calls may run together.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

#include "bloomery/guard/filter_source.h"
#include "bloomery/guard/guard_options.h"
#include "guard/open_writes.h"
#include "guard/striped.h"

namespace bloomery::guard {

enum class Verdict : std::uint8_t {
  kUnfiltered,
  kPassed,       // a trusted filter answered maybe
  kRejected,     // a trusted filter answered no
  kWouldReject,  // the same, in shadow mode
};

struct Checked {
  Verdict verdict = Verdict::kUnfiltered;
  GuardState state = GuardState::kCold;
  std::uint64_t epoch = 0;  // number of the queried filter; 0: not queried
};

class FilterCheck {
 public:
  FilterCheck(std::shared_ptr<FilterSource> source, const GuardOptions& options, const HashSpec& hash)
      : source_(std::move(source)),
        bound_(options.bound),
        mode_(options.mode),
        writes_(options.open_writes, hash) {}

  Checked check(std::string_view key) {
    const GuardMode mode = mode_.load(std::memory_order_relaxed);
    if (mode == GuardMode::kOff || is_bypassed(key)) {
      return {};
    }
    if (writes_.holds(key)) {
      (void)state_now(source_->completeness());
      return {};
    }
    const Asked asked = source_->ask(key);
    const GuardState state = state_now(asked.seen);
    if (state != GuardState::kActive || writes_.is_blind(asked.seen.horizon_ns)) {
      return {Verdict::kUnfiltered, state, asked.seen.epoch};
    }
    if (asked.may_contain) {
      return {Verdict::kPassed, state, asked.seen.epoch};
    }
    return {mode == GuardMode::kShadow ? Verdict::kWouldReject : Verdict::kRejected, state, asked.seen.epoch};
  }

  GuardMode mode() const { return mode_.load(std::memory_order_relaxed); }
  void set_mode(GuardMode mode) { mode_.store(mode, std::memory_order_relaxed); }

  void bypass(std::string_view key) {
    const std::lock_guard lock(bypassed_lock_);
    bypassed_.emplace(key);
    bypassed_count_.store(bypassed_.size(), std::memory_order_release);
  }
  void end_bypass(std::string_view key) {
    const std::lock_guard lock(bypassed_lock_);
    bypassed_.erase(std::string(key));
    bypassed_count_.store(bypassed_.size(), std::memory_order_release);
  }
  bool is_bypassed(std::string_view key) const {
    if (bypassed_count_.load(std::memory_order_acquire) == 0) {
      return false;
    }
    const auto lock = bypassed_lock_.read();
    return bypassed_.contains(std::string(key));
  }

  const LagBound& bound() const { return bound_; }
  FilterSource& source() const { return *source_; }
  OpenWrites& writes() { return writes_; }

 private:
  // Only the horizon of a trusted filter removes open writes.
  GuardState state_now(const Completeness& seen) {
    const GuardState state = state_of(seen, bound_, machine_now_ns());
    if (state == GuardState::kActive) {
      writes_.note_horizon(seen.horizon_ns);
    }
    return state;
  }

  std::shared_ptr<FilterSource> source_;
  LagBound bound_;
  std::atomic<GuardMode> mode_;
  OpenWrites writes_;
  std::atomic<std::size_t> bypassed_count_{0};
  StripedSharedMutex bypassed_lock_;  // guards `bypassed_`
  std::unordered_set<std::string> bypassed_;
};

}  // namespace bloomery::guard
