// Polls the server at intervals, in its own thread: does the log still have every change of the table
// (table_watch.h)?
//
// A feeder renews its lease as of the moment at which a poll *began*, once the filter has everything
// committed before the log's end that the poll returned. A row committed while the server replies slowly is
// thus covered by the next poll.
//
// An error ends the watch. The feeder then reconnects.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "bloomery/base/result.h"
#include "connect/postgres/connection.h"
#include "connect/postgres/table_watch.h"
#include "feed/feed_plan.h"

namespace bloomery::feed {

struct SeenAt {
  std::uint64_t asked_ns = 0;  // CLOCK_BOOTTIME before the poll
  postgres::Observation seen;
};

// Runs the polls. The destructor joins the thread, which ends within a moment of the connection's `stop`.
class ServerWatch {
 public:
  ServerWatch(postgres::Connection connection, const FeedPlan& plan);
  ~ServerWatch();
  ServerWatch(const ServerWatch&) = delete;
  ServerWatch& operator=(const ServerWatch&) = delete;

  // Returns the newest observation, once. Errors: the error that ended the watch.
  Result<std::optional<SeenAt>> take();

 private:
  void run();
  Result<SeenAt> ask();

  postgres::Connection connection_;
  const FeedPlan& plan_;
  postgres::Lsn last_end_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ended_ = false;
  std::optional<SeenAt> newest_;
  std::optional<Error> error_;
  std::thread thread_;
};

}  // namespace bloomery::feed
