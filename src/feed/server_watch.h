// Asks the server at intervals, in a thread of its own, whether the log still has every change of the table
// (table_watch.h).
//
// A feeder renews its lease as of the moment at which a question *began*, once the filter has everything
// committed before the log's end in the answer. So a row that is committed while the server answers slowly is
// covered by the next question.
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
  std::uint64_t asked_ns = 0;  // CLOCK_BOOTTIME before the question
  postgres::Observation seen;
};

// Runs the questions. The destructor ends the thread, at most a moment after `stop` of the connection.
class ServerWatch {
 public:
  ServerWatch(postgres::Connection connection, const FeedPlan& plan);
  ~ServerWatch();
  ServerWatch(const ServerWatch&) = delete;
  ServerWatch& operator=(const ServerWatch&) = delete;

  // Returns the newest answer, once. Errors: the one that ended the watch.
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
