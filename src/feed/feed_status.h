// A feeder's status: a file of JSON and a file of metrics in Prometheus' text form, each replaced atomically.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/base/result.h"
#include "connect/postgres/table_watch.h"
#include "feed/filter_sink.h"
#include "feed/log_follower.h"

namespace bloomery::feed {

enum class FeedState {
  kLoading,  // no filter is complete, or the old one is in doubt and rebuilt
  kActive,   // the lease runs
  kStale,    // a filter exists, but may lack keys: every answer is maybe
  kWaiting,  // the server or the filter's place is unusable; the feeder retries
  kStopped,
};
const char* feed_state_name(FeedState state);

struct FeedStatus {
  FeedState state = FeedState::kLoading;
  std::string reason;  // for loading, stale and waiting
  std::string table;
  std::string slot;
  std::string sink;
  std::string server;
  std::string wal_status;
  std::string sync_state;
  FeedRecord record;
  SinkFacts facts;
  postgres::Lsn applied;
  postgres::Lsn saved;
  std::uint64_t lag_bytes = 0;   // of the log, at the last observation
  std::uint64_t held_bytes = 0;  // of the log, by the slot
  double lag_seconds = 0;        // since the last moment at which nothing was missing
  double bound_seconds = 0;
  FollowedCounts counts;  // since the feeder began
  std::uint64_t without_key = 0;
  std::uint64_t rebuilds = 0;
  std::uint64_t rebuild_rows = 0;  // of the rebuild in progress
  bool is_rebuilding = false;
  double rebuild_seconds = 0;  // of the last one
  std::uint64_t connections = 0;
  std::int64_t pid = 0;
};

std::string status_json(const FeedStatus& status);
std::string metrics_text(const FeedStatus& status);

// Replaces the file atomically; readers see the old text or the new one. It is not synced, since nobody reads
// it after a crash.
Status write_whole(const std::string& path, const std::string& text);

}  // namespace bloomery::feed
