// Keys that passed the filter although the database does not have them.
//
// An entry dates from the moment when its load began, so it says nothing about rows that commit later. It is
// valid for `keep` from then on, or for `keep_if_told` if Guard::changed() is called for every row inserted
// into the filter. The longer time needs an active state and the same filter, since a rebuild adds rows
// without these calls.
//
// Threads: all calls may run together. Callers order a put() and a write of the same key by the lock of the
// key's flight (flights.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bloomery/guard/guard_options.h"
#include "guard/filter_check.h"
#include "guard/keyed_entries.h"

namespace bloomery::guard {

class NegativeCache {
 public:
  NegativeCache(const NegativeOptions& options, const HashSpec& hash)
      : options_(options), entries_(options.bytes, hash) {}

  bool has(std::string_view key, const Checked& checked, std::int64_t now_ns) {
    if (options_.bytes == 0) {
      return false;
    }
    const std::optional<Absence> absence = entries_.find(key, now_ns);
    if (!absence) {
      return false;
    }
    const std::int64_t age_ns = now_ns - absence->since_ns;
    const bool is_told =
        checked.state == GuardState::kActive && checked.epoch != 0 && checked.epoch == absence->epoch;
    return age_ns < nanoseconds(is_told ? std::max(options_.keep, options_.keep_if_told) : options_.keep);
  }
  void put(std::string_view key, std::uint64_t epoch, std::int64_t since_ns) {
    if (options_.bytes != 0) {
      const std::int64_t until = since_ns + nanoseconds(std::max(options_.keep, options_.keep_if_told));
      (void)entries_.put(key, {since_ns, epoch}, 0, until);  // a key that is too long gets no entry
    }
  }
  void drop(std::string_view key) {
    if (options_.bytes != 0) {
      entries_.drop(key);
    }
  }
  std::uint64_t bytes() const { return entries_.bytes(); }

 private:
  struct Absence {
    std::int64_t since_ns = 0;
    std::uint64_t epoch = 0;
  };

  static std::int64_t nanoseconds(std::chrono::milliseconds time) { return time.count() * 1'000'000; }

  NegativeOptions options_;
  KeyedEntries<Absence> entries_;
};

}  // namespace bloomery::guard
