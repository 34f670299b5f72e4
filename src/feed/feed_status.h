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
  kLoading,  // no filter is complete, or the old one is in doubt and is being rebuilt
  kActive,   // the lease is valid, so a *no* counts
  kStale,    // a filter exists but may lack keys, so every answer is maybe
  kWaiting,  // the database server, or the file or key of the filter, is unusable; the feeder retries
  kStopped,
};
const char* feed_state_name(FeedState state);

struct FeedStatus {
  FeedState state = FeedState::kLoading;
  std::string reason;  // why the state is loading, stale or waiting
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
  std::uint64_t lag_bytes = 0;   // log bytes that the filter lacked at the last observation
  std::uint64_t held_bytes = 0;  // log bytes that the slot holds
  double lag_seconds = 0;        // since the last moment at which the filter was known to lack nothing
  double bound_seconds = 0;
  FollowedCounts counts;  // since the feeder started
  std::uint64_t without_key = 0;
  std::uint64_t rebuilds = 0;
  std::uint64_t rebuild_rows = 0;  // rows scanned by the rebuild in progress
  bool is_rebuilding = false;
  double rebuild_seconds = 0;  // duration of the last rebuild
  std::uint64_t connections = 0;
  std::int64_t pid = 0;
};

std::string status_json(const FeedStatus& status);

// The judgement of a status by somebody outside of the feeder.
struct FeedHealth {
  bool is_good = false;  // a *no* counts
  std::string sentence;  // the state, why, and the figures
};
// Judges the text of a status file at `now`, in seconds since 1970. An active feeder whose text is older than
// the bound is gone or hangs, and its lease is over. Errors: kCorruption for a text that is no status.
Result<FeedHealth> health_of(const std::string& status, std::int64_t now);
std::string metrics_text(const FeedStatus& status);

// Replaces the file atomically: readers see the old text or the new one. The file is not synced, since nobody
// reads it after a crash.
Status write_whole(const std::string& path, const std::string& text);

}  // namespace bloomery::feed
