// Configuration of a feeder: the source table and the limits. The destination is a FilterSink.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/hash/key_form.h"
#include "connect/postgres/table_watch.h"

namespace bloomery::feed {

struct FeedPlan {
  std::string url;  // of the database
  // Its slot may have no name yet. Then the feeder uses the slot that the sink notes, or `older_slot` if
  // there is none.
  postgres::WatchedTable table;
  std::string older_slot;  // the name that an earlier version gave to the slot of such a sink
  KeyTreatment keys;
  std::optional<std::uint64_t> capacity;  // of a new filter; by default a quarter more than the rows
  std::chrono::nanoseconds bound{};       // the maximum age of a *no*
  std::chrono::nanoseconds watch{};       // between two observations of the server
  std::chrono::nanoseconds save{};        // between two saves
  std::optional<std::chrono::nanoseconds> rebuild_every;
  std::optional<std::uint64_t> rebuild_after;  // this many deletes
  std::optional<std::uint64_t> max_log;        // the most bytes of the server's log to hold
  double rebuild_share = 0.25;  // the share of time that a rebuild works while a filter answers; (0, 1]
  bool synchronous = false;
  bool force = false;        // replace a filter of other key columns, or of another table
  std::string status_file;   // empty: none
  std::string metrics_file;  // empty: none
  std::chrono::milliseconds connect{5000};
  std::chrono::milliseconds answer{30000};
};

}  // namespace bloomery::feed
