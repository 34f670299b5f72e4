// The counters of a guard, and their text for Prometheus.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "bloomery/guard/completeness.h"
#include "bloomery/guard/filter_source.h"

namespace bloomery::guard {

struct GuardMetrics {
  // Queries. Each one is counted in exactly one of these four.
  std::uint64_t rejected = 0;       // rejected by the filter
  std::uint64_t would_reject = 0;   // denied by the filter in shadow mode, so the query passed
  std::uint64_t filter_passed = 0;  // a believed filter answered maybe
  std::uint64_t unfiltered = 0;     // passed: the filter is not believed, bypassed, or switched off

  // How queries that passed ended. passed_found and passed_absent count only queries that a believed filter
  // passed.
  std::uint64_t passed_found = 0;
  std::uint64_t passed_absent = 0;
  std::uint64_t wrong_rejections = 0;  // in shadow mode: denied, but the row was found
  std::uint64_t cache_hits = 0;
  std::uint64_t stale_answers = 0;
  std::uint64_t copy_answers = 0;  // from this process's copies: the shared cache is down or recovering
  std::uint64_t negative_hits = 0;
  std::uint64_t joined = 0;  // waited for another query's load
  std::uint64_t failed = 0;  // ended with an error

  std::uint64_t loads = 0;  // calls of the loader
  std::uint64_t load_errors = 0;
  std::uint64_t refreshes = 0;      // background loads, counted in `loads` too
  std::uint64_t gate_refusals = 0;  // loads that got no slot at the gate by their deadline
  std::uint64_t lease_waits = 0;    // loads that waited for another process's lease
  std::uint64_t cache_errors = 0;
  std::uint64_t writes = 0;
  std::uint64_t spoiled = 0;  // loads whose result was not cached because of a write

  // The present state.
  GuardState state = GuardState::kCold;
  Completeness completeness = {};
  std::chrono::nanoseconds lag{};  // the maximal value if the filter is not complete
  std::chrono::nanoseconds age{};  // time since the current filter was swapped in
  SourceFigures source = {};
  std::uint64_t negative_bytes = 0;  // the size of the negative cache
  std::uint64_t open_writes = 0;
  std::uint64_t loads_now = 0;
  std::uint64_t loads_waiting = 0;
  bool is_cache_down = false;

  // Returns the share of absent keys that a believed filter passed. It is 0 if there were none.
  double measured_fpp() const {
    const auto absent = static_cast<double>(passed_absent + rejected);
    return absent == 0 ? 0 : static_cast<double>(passed_absent) / absent;
  }
};

// Returns the metrics in Prometheus' text form, version 0.0.4. `labels` are put into the braces of each
// line, for instance `table="users"`; they may be empty.
std::string prometheus_text(const GuardMetrics& metrics, const std::string& labels = "");

}  // namespace bloomery::guard
