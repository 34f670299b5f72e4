// Configuration of a feeder: the source table and the limits. The destination is a FilterSink.
//
// While a feeder runs, rebuild_every, rebuild_after, rebuild_share, save, status_file and metrics_file may
// change (FeederHooks::reload). The other members stay: threads read them, or a filter was made with them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/filter/default_fpp.h"
#include "bloomery/hash/key_form.h"
#include "connect/postgres/table_watch.h"

namespace bloomery::feed {

struct FeedPlan {
  std::string url;  // the database's URL
  // The slot's name may be empty. The feeder then uses the slot recorded with the filter, or `older_slot` if
  // none is recorded.
  postgres::WatchedTable table;
  std::string older_slot;  // the slot name that earlier versions used for this filter
  KeyTreatment keys;
  // The capacity of a new filter; by default 1.25 times the number of the table's keys, at least 10,000.
  std::optional<std::uint64_t> capacity;
  double fpp = kDefaultFeedFpp;      // the fpp of a new filter
  std::chrono::nanoseconds bound{};  // how long a *no* counts after the last moment known to be complete
  std::chrono::nanoseconds watch{};  // interval of observations of the server
  std::chrono::nanoseconds save{};   // interval of saves
  std::optional<std::chrono::nanoseconds> rebuild_every;
  std::optional<std::uint64_t> rebuild_after;  // rebuild after this many deletes
  std::optional<std::uint64_t> max_log;        // the most bytes of the server's log that the slot may hold
  // The share of time that a rebuild's scan works while a filter answers; (0, 1].
  double rebuild_share = 0.25;
  bool synchronous = false;
  bool force = false;        // replace a filter made from other key columns or another table
  std::string status_file;   // empty: no status file
  std::string metrics_file;  // empty: no metrics file
  std::chrono::milliseconds connect{5000};
  std::chrono::milliseconds answer{30000};
};

}  // namespace bloomery::feed
