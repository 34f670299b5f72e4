// Follows the log of one table and makes keys of its rows.
//
//   Calls:  open (read | report)*
//
// Invariant: every key of a transaction committed before received() is in a batch that read() has filled.
//
// An insert yields the row's key. An update yields the new row's key, changed or not. A delete yields no key;
// it is counted, as is an update that is seen to leave its old key.
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
  std::uint64_t deletes = 0;  // and updates that left their old key
  std::uint64_t transactions = 0;
};

class LogFollower {
 public:
  // Begins at the slot's own position. `replication` must lead to the server of `seen`, which has the slot.
  // Errors: kIo if it is another server, or if somebody else follows the slot; those of the server, for
  // example that the slot was lost.
  static Result<LogFollower> open(postgres::Connection replication, const postgres::WatchedTable& table,
                                  const postgres::Observation& seen, RowKeys& keys);
  // Sets the transaction that an unchanged log must bring again. Its end is after the position at which this
  // begins.
  void expect(const KnownCommit& commit) { expected_ = commit; }
  bool is_expecting() const { return expected_.has_value(); }
  // Returns true, once, if the log has passed the end of the expected transaction and had another one there,
  // or none.
  bool take_other_log() { return std::exchange(is_other_log_, false); }
  // Returns the last transaction that was received; none at the beginning.
  const KnownCommit& last_commit() const { return last_commit_; }

  // Reads one message, and waits for it at most `patience`. Returns false if there was none. Errors:
  // kNotFound if a key column is gone.
  Result<bool> read(KeyBatch& batch, std::chrono::milliseconds patience);

  postgres::Lsn received() const { return received_; }
  // Returns true if an update sent only some columns of a composite key: the others are long values that it
  // left unchanged. The new key is then unknown, and only a rebuild finds it. REPLICA IDENTITY FULL always
  // sends all columns.
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
  std::vector<std::size_t> places_;  // of the key columns in a row; empty until the table was described
  std::vector<std::optional<std::string_view>> fields_;
  bool is_inside_ = false;  // a transaction
  std::uint32_t xid_ = 0;   // of that transaction
  std::optional<KnownCommit> expected_;
  KnownCommit last_commit_;
  bool is_other_log_ = false;
  bool has_missed_ = false;
  bool wants_report_ = false;
  FollowedCounts counts_;
};

}  // namespace bloomery::feed
