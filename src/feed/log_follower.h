// Follows the log of one table and makes keys of its rows.
//
//   Calls:  open (read | report)*
//
// Invariant: every key of a transaction committed before received() is in a batch that read() has filled.
//
// An insert yields the row's key. An update yields the new row's key, even if it is unchanged. A delete
// yields no key. Deletes are counted, and so are updates that are seen to change the key.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "connect/postgres/connection.h"
#include "connect/postgres/pgoutput.h"
#include "connect/postgres/replication_messages.h"
#include "connect/postgres/table_watch.h"
#include "feed/filter_sink.h"
#include "feed/key_batch.h"
#include "feed/row_keys.h"

namespace bloomery::feed {

struct FollowedCounts {
  std::uint64_t inserts = 0;
  std::uint64_t updates = 0;
  std::uint64_t deletes = 0;  // includes updates that are seen to change the key
  std::uint64_t transactions = 0;
};

class LogFollower {
 public:
  // Starts at the slot's confirmed position. `replication` must be connected to the server of `seen`, which
  // has the slot. Errors: kIo if it is another server, or if somebody else follows the slot; the server's
  // errors, for example that the slot was lost.
  static Result<LogFollower> open(postgres::Connection replication, const postgres::WatchedTable& table,
                                  const postgres::Observation& seen, RowKeys& keys);
  // Sets the transaction that the log must contain if it is still the same log. It ends after the position at
  // which the follower starts.
  void expect(const KnownCommit& commit) { expected_ = commit; }
  bool is_expecting() const { return expected_.has_value(); }
  // Returns true, once, if the log has passed the end of the expected transaction without containing it.
  bool take_other_log() { return std::exchange(is_other_log_, false); }
  // Returns the last transaction received from the log; an empty one at the beginning.
  const KnownCommit& last_commit() const { return last_commit_; }

  // Reads one message, waiting for it at most `patience`. Returns false if none came. Errors: kNotFound if a
  // key column is gone.
  Result<bool> read(KeyBatch& batch, std::chrono::milliseconds patience);

  postgres::Lsn received() const { return received_; }
  // Returns true if an update of a composite key sent only some of its columns, because the server omits long
  // values that did not change (TOAST). The new key is then unknown, and only a rebuild finds it. REPLICA
  // IDENTITY FULL always sends all columns.
  bool has_missed() const { return has_missed_; }
  bool wants_report() const { return wants_report_; }
  Status report(const postgres::Progress& progress);
  const FollowedCounts& counts() const { return counts_; }

 private:
  LogFollower(postgres::Connection connection, const postgres::WatchedTable& table, std::uint32_t oid,
              postgres::Lsn from, RowKeys& keys)
      : connection_(std::move(connection)),
        columns_(table.columns),
        oid_(oid),
        received_(from),
        keys_(&keys) {}

  Status take(const postgres::Change& change, KeyBatch& batch);
  void pass(const KnownCommit& commit);
  Status take_relation(const postgres::Relation& relation);
  Status take_row(const postgres::Tuple& row, const postgres::Tuple* old_row, KeyBatch& batch);
  bool left_old_key(const postgres::Update& update) const;

  postgres::Connection connection_;
  std::vector<std::string> columns_;
  std::uint32_t oid_;
  postgres::Lsn received_;
  RowKeys* keys_;
  // Indexes of the key columns in a row; empty until the server has described the table.
  std::vector<std::size_t> places_;
  std::vector<std::optional<std::string_view>> fields_;
  bool is_inside_ = false;  // within a transaction
  std::uint32_t xid_ = 0;   // of the current transaction
  std::optional<KnownCommit> expected_;
  KnownCommit last_commit_;
  bool is_other_log_ = false;
  bool has_missed_ = false;
  bool wants_report_ = false;
  FollowedCounts counts_;
};

}  // namespace bloomery::feed
