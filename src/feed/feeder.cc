#include "feed/feeder.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "bloomery/hash/hash128.h"
#include "filter/leased/lease_page.h"

namespace bloomery::feed {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// The most messages that are read before their keys are inserted, and the longest wait for the first of them.
constexpr std::size_t kMessages = 4096;
constexpr milliseconds kPatience{20};
// The interval at which the server is asked for its progress while an observation waits for the log to catch
// up.
constexpr std::uint64_t kAskAgainNs = 20'000'000;
constexpr std::uint64_t kStatusNs = 500'000'000;
constexpr nanoseconds kFirstPause = milliseconds(100);
constexpr nanoseconds kLongestPause = milliseconds(3000);
constexpr std::uint64_t kRebuildRetryNs = 2'000'000'000;

std::uint64_t ns(nanoseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

}  // namespace

// The connections of a session, and the state that is lost with them.
struct Feeder::Session {
  explicit Session(LogFollower follower) : log(std::move(follower)) {}
  ~Session() {
    ended = true;  // interrupts the watch's query before its thread is joined
    watch.reset();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::atomic<bool> ended{false};
  std::unique_ptr<ServerWatch> watch;
  LogFollower log;
  FollowedCounts counted;  // the counts that status_ already includes
  KeyBatch batch;
  std::optional<SeenAt> look;  // an observation whose end of the log has not been applied yet
  postgres::Observation seen;  // the latest observation
  std::uint64_t asked_again_ns = 0;
  std::uint64_t saved_ns = 0;
  std::unique_ptr<Rebuild> rebuild;
};

Feeder::Feeder(FeedPlan plan, FilterSink& sink, const std::atomic<bool>& stop, FeederHooks hooks)
    : plan_(std::move(plan)), sink_(sink), stop_(stop), hooks_(std::move(hooks)), keys_(plan_.keys) {
  status_.table = plan_.table.table;
  status_.slot = plan_.table.slot;
  status_.sink = sink_.name();
  status_.bound_seconds = std::chrono::duration<double>(plan_.bound).count();
  status_.pid = ::getpid();
  built_ns_ = boot_clock_ns();
}

Status Feeder::run() {
  bool has_run = false;
  nanoseconds wait = kFirstPause;
  while (!stop_) {
    const std::uint64_t connections = status_.connections;
    const Status ended = run_session();
    if (stop_ || ended) {
      break;
    }
    has_run = has_run || status_.connections != connections;
    if (!has_run && ended.error().code() != ErrorCode::kIo) {
      if (sink_is_open_) {
        (void)sink_.close();
      }
      return ended;
    }
    note_waiting(ended.error());
    wait = status_.connections != connections ? kFirstPause : std::min(wait * 2, kLongestPause);
    release_log();
    write_status(true);
    reload_if_wanted();
    (void)pause(wait);
  }
  notice_.stopping();
  waiting_.clear();
  const Status closed = sink_is_open_ ? sink_.close() : Status();
  status_.state = FeedState::kStopped;
  if (!plan_.status_file.empty()) {
    (void)write_whole(plan_.status_file, status_json(status_));
  }
  return closed;
}

// Notes why there is no session. The filter is in doubt unless connections failed.
void Feeder::note_waiting(const Error& error) {
  const std::string why = error.to_string();
  if (error.code() != ErrorCode::kIo) {
    doubt(why);
  }
  if (waiting_ != why) {
    warn("waiting: " + why);
  }
  waiting_ = why;
}

bool Feeder::pause(nanoseconds time) const {
  const std::uint64_t end = boot_clock_ns() + ns(time);
  while (!stop_ && boot_clock_ns() < end) {
    std::this_thread::sleep_for(std::min(time, nanoseconds(milliseconds(20))));
  }
  return !stop_;
}

std::uint64_t Feeder::hash_of_shape(const postgres::Observation& seen) const {
  return hash_bytes(seen.shape + "\n" + describe(plan_.keys), {}).low;
}

std::uint64_t Feeder::hash_of_columns(const postgres::Observation& seen) const {
  std::string names = seen.name;
  for (const std::string& column : plan_.table.columns) {
    names += " " + postgres::quoted_name(column);
  }
  return std::max<std::uint64_t>(hash_bytes(names, {}).low, 1);
}

// Voids the lease and marks the filter for a rebuild. Until that has ended, every query answers maybe.
void Feeder::doubt(const std::string& why) {
  if (sink_is_open_) {
    sink_.make_void();
  }
  if (is_live_) {
    warn("the filter is in doubt and is built anew: " + why);
  }
  is_live_ = false;
  reason_ = why;
}

Status Feeder::run_session() {
  BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, begin_session());
  ++status_.connections;
  if (!waiting_.empty()) {
    say("connected again");
    waiting_.clear();
  }
  const Status ended = follow(*session);
  session->rebuild.reset();
  sink_.abandon_build();
  // An orderly stop: save once more, so that the server may remove the log that the filter has.
  if (stop_ && is_live_) {
    BLOOMERY_RETURN_IF_ERROR(sink_.insert(session->batch));
    session->saved_ns = 0;
    if (save_if_due(*session)) {
      (void)report(*session, false);
    }
  }
  return ended;
}

postgres::ConnectOptions Feeder::connect_options(const char* application, milliseconds answer) const {
  return {.url = plan_.url,
          .application = application,
          .connect = plan_.connect,
          .answer = answer,
          .stop = &stop_};
}

Status Feeder::open_sink() {
  if (sink_is_open_) {
    return {};
  }
  is_live_ = false;
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<FeedRecord> record, sink_.open());
  sink_is_open_ = true;
  is_live_ = record.has_value();
  record_ = record.value_or(FeedRecord{});
  applied_ = {record_.position};
  return choose_slot();
}

Result<std::unique_ptr<Feeder::Session>> Feeder::begin_session() {
  BLOOMERY_RETURN_IF_ERROR(open_sink());
  const postgres::ConnectOptions options = connect_options("bloomery feed", plan_.answer);
  postgres::Observation seen;
  {
    BLOOMERY_ASSIGN_OR_RETURN(postgres::Connection first, postgres::Connection::open(options));
    BLOOMERY_ASSIGN_OR_RETURN(seen, postgres::observe(first, plan_.table));
    status_.server = first.name();
    BLOOMERY_RETURN_IF_ERROR(check_columns(seen));
    BLOOMERY_RETURN_IF_ERROR(note_slot(first));
  }
  BLOOMERY_RETURN_IF_ERROR(ensure_slot(seen));
  // The spellings are set after the slot is made: a new slot waits for all writers, who may change the
  // columns.
  keys_.set_spellings(seen.spellings);
  BLOOMERY_RETURN_IF_ERROR(decide(seen));
  postgres::ConnectOptions following = options;
  following.application = plan_.table.application;
  following.is_replication = true;
  BLOOMERY_ASSIGN_OR_RETURN(postgres::Connection replication, postgres::Connection::open(following));
  BLOOMERY_ASSIGN_OR_RETURN(LogFollower log,
                            LogFollower::open(std::move(replication), plan_.table, seen, keys_));
  // The log is read from the slot's confirmed position. Keys that the filter already has are inserted again,
  // which is harmless.
  applied_ = saved_ = seen.slot->confirmed;
  if (is_live_ && record_.commit.end > applied_.value) {
    log.expect(record_.commit);
  }
  auto session = std::make_unique<Session>(std::move(log));
  session->seen = seen;
  postgres::ConnectOptions watching = options;
  watching.stop = &session->ended;
  BLOOMERY_ASSIGN_OR_RETURN(postgres::Connection connection, postgres::Connection::open(watching));
  session->watch = std::make_unique<ServerWatch>(std::move(connection), plan_);
  return session;
}

// Refuses to replace a filter of other keys, because queries for those keys would then answer no.
Status Feeder::check_columns(const postgres::Observation& seen) const {
  const std::uint64_t found = sink_.found_columns();
  if (status_.connections == 0 && found != 0 && found != hash_of_columns(seen) && !plan_.force) {
    return Error::invalid_argument(
        sink_.name(), "expected the table and the key columns that this filter was made of, found others (" +
                          seen.name + "): name another place for it, or say --force to build it anew");
  }
  return {};
}

// Marks the filter for a rebuild if the log cannot continue from its position.
Status Feeder::decide(postgres::Observation& seen) {
  if (is_live_) {
    if (record_.system != seen.system) {
      doubt("the server is another one (system identifier)");
    } else if (record_.timeline != seen.timeline) {
      doubt(fmt::format("another server has taken over (timeline {}, was {})", seen.timeline,
                        record_.timeline));
    } else if (record_.shape != hash_of_shape(seen)) {
      doubt("the table, its key columns or the publication were changed");
    } else if (seen.end.value < std::max(applied_.value, record_.position)) {
      doubt("the server's log ends before what the filter has: the server was restored from a backup");
    } else if (seen.slot->confirmed > applied_) {
      doubt(fmt::format("the server has forgotten the log up to {}, and the filter has it up to {}",
                        postgres::to_text(seen.slot->confirmed), postgres::to_text(applied_)));
    } else if (is_put_back(seen)) {
      doubt(fmt::format("the slot is at {}, where it was before {}: the database was put back, or crashed",
                        postgres::to_text(seen.slot->confirmed), postgres::to_text({record_.confirmed})));
    }
  }
  return is_live_ ? Status() : forget_log(seen);
}

// Returns true if the slot has moved back and the filter's last transaction ends at or before the slot's
// position. The log from there on then cannot show whether it is the same log. A crashed server may move a
// slot back, because it does not write each position to disk. So may a server restored from a copy, which may
// have other transactions since, or a new slot of this name.
bool Feeder::is_put_back(const postgres::Observation& seen) const {
  return seen.slot->confirmed.value < record_.confirmed && record_.commit.end <= seen.slot->confirmed.value;
}

Status Feeder::follow(Session& session) {
  while (!stop_) {
    BLOOMERY_RETURN_IF_ERROR(take_log(session));
    BLOOMERY_RETURN_IF_ERROR(take_look(session));
    BLOOMERY_RETURN_IF_ERROR(renew_if_caught_up(session));
    BLOOMERY_RETURN_IF_ERROR(save_if_due(session));
    BLOOMERY_RETURN_IF_ERROR(tend_rebuild(session));
    if (!session.rebuild) {
      reload_if_wanted();
    }
    write_status(false);
  }
  return {};
}

void Feeder::reload_if_wanted() {
  if (!hooks_.reload_wanted.exchange(false)) {
    return;
  }
  notice_.reloading();
  hooks_.reload(plan_);
  write_status(true);
}

Status Feeder::take_log(Session& session) {
  milliseconds patience = kPatience;
  for (std::size_t i = 0; i < kMessages && !stop_; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_more, session.log.read(session.batch, patience));
    if (!is_more) {
      break;
    }
    patience = milliseconds(0);
  }
  if (!session.batch.empty()) {
    if (const Status inserted = sink_.insert(session.batch); !inserted) {
      sink_is_open_ = false;
      return inserted;
    }
    record_.keys += session.batch.size();
    session.batch.clear();
  }
  count_changes(session);
  BLOOMERY_RETURN_IF_ERROR(check_log(session));
  const KnownCommit& commit = session.log.last_commit();
  const bool is_new = commit.end > record_.position && commit.end > record_.commit.end;
  if (is_live_ && is_new && !session.log.is_expecting()) {
    record_.commit = commit;
  }
  const bool has_advanced = session.log.received() > applied_;
  applied_ = std::max(applied_, session.log.received());
  if (session.log.wants_report() || has_advanced) {
    return report(session, false);
  }
  return {};
}

// Adds the changes that the log has had since the last call.
void Feeder::count_changes(Session& session) {
  const FollowedCounts& counts = session.log.counts();
  status_.counts.inserts += counts.inserts - session.counted.inserts;
  status_.counts.updates += counts.updates - session.counted.updates;
  status_.counts.transactions += counts.transactions - session.counted.transactions;
  record_.deletes += counts.deletes - session.counted.deletes;
  session.counted = counts;
}

// Errors: kIo if a key was missed.
Status Feeder::check_log(Session& session) {
  if (session.log.has_missed()) {
    doubt(
        "an update did not bring the whole composite key: ALTER TABLE ... REPLICA IDENTITY FULL spares this");
    return Error(ErrorCode::kIo, plan_.table.table, "an update did not bring the whole key");
  }
  if (session.log.take_other_log() && is_live_) {
    doubt("the server's log is another one than before: the database was put back");
  }
  return {};
}

// Returns how many bytes of log the filter lacked at an observation.
std::uint64_t Feeder::lag_behind(const postgres::Observation& seen) const {
  return seen.end.value - std::min(seen.end, applied_).value;
}

// In the synchronous mode a COMMIT may wait until `flushed` reaches it. So applied log is saved before it is
// reported.
Status Feeder::report(Session& session, bool wants_reply) {
  if (plan_.synchronous && applied_ > saved_) {
    session.saved_ns = 0;
    BLOOMERY_RETURN_IF_ERROR(save_if_due(session));
  }
  return session.log.report(
      {.written = applied_, .flushed = saved_, .applied = applied_, .wants_reply = wants_reply});
}

Status Feeder::take_look(Session& session) {
  BLOOMERY_ASSIGN_OR_RETURN(std::optional<SeenAt> look, session.watch->take());
  if (!look) {
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(check_look(session, *look));
  session.seen = look->seen;
  record_.confirmed = std::max(record_.confirmed, look->seen.slot->confirmed.value);
  status_.wal_status = look->seen.slot->wal_status;
  status_.held_bytes = look->seen.slot->held;
  status_.sync_state = look->seen.sync_state;
  status_.lag_bytes = lag_behind(look->seen);
  if (!session.look) {  // a pending observation is older, so the log reaches it sooner
    session.look = std::move(look);
  }
  return {};
}

Status Feeder::check_look(Session& session, const SeenAt& look) {
  const postgres::Observation& now = look.seen;
  const postgres::Observation& before = session.seen;
  if (now.started != before.started || now.system != before.system || now.timeline != before.timeline) {
    return Error(ErrorCode::kIo, status_.server, "the server has restarted or is another one");
  }
  if (!now.slot || now.slot->wal_status == "lost") {
    return Error(ErrorCode::kIo, status_.server, "the slot " + plan_.table.slot + " is gone or lost its log");
  }
  const bool has_lease = state() == FeedState::kActive;
  if (const auto why = held_log_->why_not_followed(*now.slot, lag_behind(now), has_lease, boot_clock_ns())) {
    doubt(*why);
    return Error(ErrorCode::kIo, status_.server, *why);
  }
  // The session knows the table by its OID, and makes keys from the columns that it had at the session's
  // start. A new table of the same name has another OID. So a change of the shape ends the session.
  if (hash_of_shape(now) != hash_of_shape(before)) {
    doubt("the table, its key columns or the publication were changed");
    return Error(ErrorCode::kIo, plan_.table.table, reason_);
  }
  if (plan_.synchronous && now.sync_state != before.sync_state && now.sync_state.find("sync") != 0 &&
      now.sync_state.find("quorum") != 0) {
    warn("--synchronous, but the server does not wait for this feeder: name " + plan_.table.application +
         " in synchronous_standby_names");
  }
  return {};
}

Status Feeder::renew_if_caught_up(Session& session) {
  if (!session.look) {
    return {};
  }
  const std::uint64_t now = boot_clock_ns();
  if (applied_ < session.look->seen.end || session.log.is_expecting()) {
    if (now - session.asked_again_ns < kAskAgainNs) {
      return {};
    }
    session.asked_again_ns = now;
    return report(session, true);
  }
  const SeenAt look = *std::exchange(session.look, std::nullopt);
  if (!is_live_) {
    return {};
  }
  if (const Status renewed = sink_.renew(look.asked_ns); !renewed) {
    sink_is_open_ = false;
    return renewed;
  }
  if (renewed_for_ns_ == 0 || !reason_.empty()) {
    say(fmt::format("active: {} keys, at {}", record_.keys, postgres::to_text(applied_)));
  }
  reason_.clear();
  renewed_for_ns_ = look.asked_ns;
  status_.lag_bytes = 0;
  return {};
}

Status Feeder::save_if_due(Session& session) {
  const std::uint64_t now = boot_clock_ns();
  if (now - session.saved_ns < ns(plan_.save) || applied_ == saved_) {
    return {};
  }
  // Replayed log is saved already, and log whose expected transaction has not come may be another log.
  if (is_live_ && (applied_.value < record_.position || session.log.is_expecting())) {
    return {};
  }
  session.saved_ns = now;
  // Without a filter the server may remove any log, because a build starts with a later snapshot.
  postgres::Lsn safe = applied_;
  if (is_live_) {
    record_.position = applied_.value;
    const Result<std::uint64_t> saved = sink_.save(record_);
    if (!saved) {
      sink_is_open_ = false;
      return saved.error();
    }
    safe = {*saved};
  }
  saved_ = std::max(saved_, safe);
  return session.log.report(
      {.written = applied_, .flushed = saved_, .applied = applied_, .wants_reply = false});
}

std::optional<std::string> Feeder::rebuild_due() const {
  if (!is_live_) {
    return "no filter is complete";
  }
  if (hooks_.rebuild_wanted) {
    return "it was asked for";
  }
  if (plan_.rebuild_after && record_.deletes >= *plan_.rebuild_after) {
    return fmt::format("{} rows were deleted", record_.deletes);
  }
  if (plan_.rebuild_every && boot_clock_ns() - built_ns_ >= ns(*plan_.rebuild_every)) {
    return "it is time";
  }
  const SinkFacts facts = sink_.facts();
  if (!plan_.capacity && facts.capacity != 0 && record_.keys > facts.capacity) {
    return "the filter is full";
  }
  return std::nullopt;
}

Status Feeder::tend_rebuild(Session& session) {
  if (session.rebuild) {
    // The new filter is complete as of the scan's snapshot, so the log is first applied up to that position.
    const bool is_ready =
        session.rebuild->is_done() && (!session.rebuild->result() || applied_ >= session.rebuild->moment());
    return is_ready ? finish_rebuild(session) : Status();
  }
  if (boot_clock_ns() < retry_rebuild_ns_) {
    return {};
  }
  if (const std::optional<std::string> why = rebuild_due()) {
    say("rebuild: " + *why);
    hooks_.rebuild_wanted = false;
    RebuildWish wish{.table = session.seen.name,
                     .shape = hash_of_shape(session.seen),
                     .spellings = session.seen.spellings,
                     .rows_beside = {}};
    if (is_live_) {
      const std::uint64_t rows = record_.keys / keys_.keys_per_row();
      wish.rows_beside = rows - std::min(record_.deletes, rows);
    }
    session.rebuild = std::make_unique<Rebuild>(plan_, std::move(wish), sink_);
  }
  return {};
}

Status Feeder::finish_rebuild(Session& session) {
  const std::unique_ptr<Rebuild> rebuild = std::exchange(session.rebuild, nullptr);
  status_.rebuild_seconds = rebuild->seconds();
  if (!rebuild->result()) {
    sink_.abandon_build();
    retry_rebuild_ns_ = boot_clock_ns() + kRebuildRetryNs;
    const std::string why = rebuild->result().error().to_string();
    reason_ = is_live_ ? reason_ : why;
    warn("the rebuild failed and is tried again: " + why);
    return {};
  }
  const Result<FeedRecord> finished = sink_.finish_build({.position = applied_.value,
                                                          .system = session.seen.system,
                                                          .timeline = session.seen.timeline,
                                                          .keys = rebuild->keys(),
                                                          .shape = rebuild->shape(),
                                                          .columns = hash_of_columns(session.seen),
                                                          .confirmed = session.seen.slot->confirmed.value,
                                                          .commit = {}});
  if (!finished) {
    sink_is_open_ = false;
    return finished.error();
  }
  record_ = *finished;
  session.saved_ns = 0;  // saves the build at once, which determines the position that may be confirmed
  is_live_ = true;
  session.look.reset();  // an older observation may have the table's former shape
  built_ns_ = boot_clock_ns();
  status_.without_key += rebuild->without_key();
  ++status_.rebuilds;
  say(fmt::format("rebuilt from {} rows in {:.1f} s", rebuild->rows(), status_.rebuild_seconds));
  return report(session, true);
}

FeedState Feeder::state() const {
  const std::uint64_t now = boot_clock_ns();
  const bool has_lease = is_live_ && renewed_for_ns_ != 0 && now < renewed_for_ns_ + ns(plan_.bound);
  if (has_lease) {
    return FeedState::kActive;
  }
  if (!waiting_.empty()) {
    return FeedState::kWaiting;
  }
  return is_live_ ? FeedState::kStale : FeedState::kLoading;
}

void Feeder::write_status(bool at_once) {
  const std::uint64_t now = boot_clock_ns();
  if (!at_once && now - status_written_ns_ < kStatusNs) {
    return;
  }
  status_written_ns_ = now;
  status_.state = state();
  status_.reason = !waiting_.empty() ? waiting_ : reason_;
  status_.record = record_;
  status_.facts = sink_is_open_ ? sink_.facts() : SinkFacts{};
  status_.applied = applied_;
  status_.saved = saved_;
  status_.lag_seconds = renewed_for_ns_ == 0 ? 0 : static_cast<double>(now - renewed_for_ns_) / 1e9;
  const std::string sentence =
      feed_state_name(status_.state) + (status_.reason.empty() ? "" : ": " + status_.reason);
  notice_.running(sentence);
  if (!plan_.status_file.empty()) {
    (void)write_whole(plan_.status_file, status_json(status_));
  }
  const std::string metrics = metrics_text(status_);
  if (!plan_.metrics_file.empty()) {
    (void)write_whole(plan_.metrics_file, metrics);
  }
  if (hooks_.server != nullptr) {
    const bool has_lease = status_.state == FeedState::kActive;
    hooks_.server->publish(metrics, sentence, has_lease ? renewed_for_ns_ + ns(plan_.bound) : 0);
  }
}

}  // namespace bloomery::feed
