// Keeps one filter current with one table of PostgreSQL until it is told to stop.
//
//   server ─ log ─> LogFollower ─ keys ─> FilterSink <─ keys ─ Rebuild <─ scan ─ server
//          ─ looks ─> ServerWatch ─> may the lease be renewed?
//
// A session lasts as long as one set of connections. It ends with an error, and the next one begins after a
// pause. This table lists what then happens to the filter and its lease:
//
//   event                                                     the filter       the lease
//   the connection broke, the server restarted                continues        expires unless renewed in time
//   the table, a column or the publication is unusable        is rebuilt       void at once
//   the shape differs (table_watch.h), or a key was missed    is rebuilt       void until then
//   another server, another timeline, the slot is lost or new is rebuilt       void until then
//   the slot holds too much of the log (held_log.h)           is rebuilt       void until then
//   the server has removed log that the filter lacks          is rebuilt       void until then
//   the slot moved back to an earlier position, and the log
//   does not have the last transaction of the filter again    is rebuilt       void until then
//   the filter's file or key cannot be written                is reopened      void at once, if possible
//
// While no filter is live, the log so far is not needed, and the server may be unable to decode it. So each
// session then starts by advancing the slot to the end of the log. Between two sessions a slot that holds too
// much log is dropped.
//
// The slot's name is recorded with the filter before the server makes the slot (filter_sink.h), so every slot
// can be found and dropped later.
//
// Not here: the filter (filter_sink.h); queries of the database server (connect/postgres).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "connect/postgres/lsn.h"
#include "feed/feed_plan.h"
#include "feed/feed_status.h"
#include "feed/filter_sink.h"
#include "feed/held_log.h"
#include "feed/log_follower.h"
#include "feed/metrics_server.h"
#include "feed/rebuild.h"
#include "feed/server_watch.h"
#include "feed/service_notice.h"

namespace bloomery::feed {

enum class FeedEvent {
  kInfo,     // the feeder does what it should
  kWarning,  // an operator may have to act
};

// What a feeder is asked to do, and tells.
struct FeederHooks {
  std::atomic<bool>& rebuild_wanted;  // if it becomes true, the filter is rebuilt
  std::atomic<bool>& reload_wanted;   // if it becomes true, `reload` is called
  // Changes only what feed_plan.h lists as changeable. Called between two rebuilds.
  std::function<void(FeedPlan&)> reload;
  // Receives a sentence about each change that an operator may want to know.
  std::function<void(FeedEvent, const std::string&)> tell;
  MetricsServer* server = nullptr;  // receives the metrics; null: there is none
};

class Feeder {
 public:
  Feeder(FeedPlan plan, FilterSink& sink, const std::atomic<bool>& stop, FeederHooks hooks);

  // Runs until `stop` is true. Until the first session has begun, it returns every error except kIo, since an
  // operator must fix those. Afterwards it retries after each error and reports it in its status.
  Status run();

 private:
  struct Session;

  void note_waiting(const Error& error);
  Status run_session();
  Result<std::unique_ptr<Session>> begin_session();
  Status open_sink();
  postgres::ConnectOptions connect_options(const char* application, std::chrono::milliseconds answer) const;
  Status choose_slot();
  Status note_slot(postgres::Connection& connection);
  std::optional<std::string> why_new_slot(const std::optional<postgres::SlotState>& slot) const;
  void release_log();
  Status check_columns(const postgres::Observation& seen) const;
  Status ensure_slot(postgres::Observation& seen);
  Status decide(postgres::Observation& seen);
  bool is_put_back(const postgres::Observation& seen) const;
  Status forget_log(postgres::Observation& seen);
  Status follow(Session& session);
  Status take_log(Session& session);
  void count_changes(Session& session);
  Status check_log(Session& session);
  Status take_look(Session& session);
  Status check_look(Session& session, const SeenAt& look);
  Status renew_if_caught_up(Session& session);
  Status save_if_due(Session& session);
  Status report(Session& session, bool wants_reply);
  Status tend_rebuild(Session& session);
  Status finish_rebuild(Session& session);
  std::optional<std::string> rebuild_due() const;
  void doubt(const std::string& why);
  void write_status(bool at_once);
  FeedState state() const;
  std::uint64_t lag_behind(const postgres::Observation& seen) const;
  std::uint64_t hash_of_shape(const postgres::Observation& seen) const;
  std::uint64_t hash_of_columns(const postgres::Observation& seen) const;
  bool pause(std::chrono::nanoseconds time) const;
  void say(const std::string& text) const { hooks_.tell(FeedEvent::kInfo, text); }
  void warn(const std::string& text) const { hooks_.tell(FeedEvent::kWarning, text); }
  void reload_if_wanted();

  FeedPlan plan_;
  FilterSink& sink_;
  const std::atomic<bool>& stop_;
  FeederHooks hooks_;

  RowKeys keys_;
  bool sink_is_open_ = false;
  bool is_live_ = false;        // a complete filter exists, and the log followed since its build has no gap
  FeedRecord record_;           // of the live filter
  postgres::Lsn applied_;       // every commit before this position is in the filter
  postgres::Lsn saved_;         // the position that would survive a crash, as returned by the sink
  std::uint64_t built_ns_ = 0;  // when the last build ended or the run began
  std::uint64_t retry_rebuild_ns_ = 0;
  std::uint64_t renewed_for_ns_ = 0;  // the moment as of which the lease was last renewed
  std::uint64_t status_written_ns_ = 0;
  std::string noted_slot_;           // the slot name recorded with the filter
  std::optional<HeldLog> held_log_;  // exists once the slot has a name
  std::string reason_;               // why there is no lease
  std::string waiting_;              // why there is no session; empty in a session
  FeedStatus status_;
  ServiceNotice notice_;
};

// Ends a feed for good. Drops the replication slot of a stopped feeder, which makes the server keep its log,
// and removes the filter. The slot is the one that the plan names, else the one that the filter's file
// records, else plan.older_slot. A missing slot or filter is no error, so a failed call can be repeated.
// Errors:
//
//   kInvalidArgument   a feeder still follows the slot, or the slot, file or key belongs to something else,
//                      or the filter is fed from another slot
//   kNotFound          the plan names no slot, and the file that would name it is gone
//
// and those of Connection and of FilterSink::remove().
Status retire(const FeedPlan& plan, FilterSink& sink);

}  // namespace bloomery::feed
