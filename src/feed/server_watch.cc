#include "feed/server_watch.h"

#include <utility>

#include "filter/leased/lease_page.h"

namespace bloomery::feed {

ServerWatch::ServerWatch(postgres::Connection connection, const FeedPlan& plan)
    : connection_(std::move(connection)), plan_(plan), thread_([this] { run(); }) {}

ServerWatch::~ServerWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

Result<std::optional<SeenAt>> ServerWatch::take() {
  const std::lock_guard lock(mutex_);
  if (error_) {
    return *error_;
  }
  return std::exchange(newest_, std::nullopt);
}

Result<SeenAt> ServerWatch::ask() {
  const std::uint64_t asked = boot_clock_ns();
  BLOOMERY_ASSIGN_OR_RETURN(postgres::Observation seen, postgres::observe(connection_, plan_.table));
  // The server sends only flushed log, and an idle server may keep an asynchronous commit in memory for a
  // while. A transaction of our own makes it flush.
  if (last_end_ > seen.flushed) {
    BLOOMERY_RETURN_IF_ERROR(connection_.query("SELECT pg_logical_emit_message(true, 'bloomery', '')"));
  }
  last_end_ = seen.end;
  return SeenAt{.asked_ns = asked, .seen = std::move(seen)};
}

void ServerWatch::run() {
  while (true) {
    Result<SeenAt> answer = ask();
    std::unique_lock lock(mutex_);
    if (!answer) {
      error_ = answer.error();
      return;
    }
    newest_ = std::move(*answer);
    if (ended_.wait_for(lock, plan_.watch, [this] { return is_ended_; })) {
      return;
    }
  }
}

}  // namespace bloomery::feed
