// What a feeder does: from which table, under which limits. Where to is a FilterSink.
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
  // Its slot may have no name yet. Then it is the one that the filter's place notes, or `older_slot` if that notes none.
  postgres::WatchedTable table;
  std::string older_slot;  // that an earlier version gave to such a place
  KeyTreatment keys;
  std::optional<std::uint64_t> capacity;  // of a new filter; by default a quarter more than the rows
  std::chrono::nanoseconds bound{};       // a *no* is of this long ago at most
  std::chrono::nanoseconds watch{};       // between two looks at the server
  std::chrono::nanoseconds save{};        // between two savings
  std::optional<std::chrono::nanoseconds> rebuild_every;
  std::optional<std::uint64_t> rebuild_after;  // so many deletes
  std::optional<std::uint64_t> max_log;        // so many bytes of the server's log may be held
  double rebuild_share = 0.25;  // of its time that a rebuild works while a filter answers; above 0, at most 1
  bool synchronous = false;
  bool force = false;        // a filter of other key columns, or of another table, is built anew
  std::string status_file;   // empty: none
  std::string metrics_file;  // empty: none
  std::chrono::milliseconds connect{5000};
  std::chrono::milliseconds answer{30000};
};

}  // namespace bloomery::feed
