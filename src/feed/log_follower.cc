#include "feed/log_follower.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/message.h"

namespace bloomery::feed {
namespace {

// 2000-01-01, PostgreSQL's epoch, in seconds since 1970.
constexpr std::int64_t kEpoch = 946'684'800;

std::int64_t postgres_time_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count() - kEpoch * 1'000'000;
}

}  // namespace

Result<LogFollower> LogFollower::open(postgres::Connection replication, const postgres::WatchedTable& table,
                                      const postgres::Observation& seen, RowKeys& keys) {
  const postgres::Lsn from = seen.slot ? seen.slot->confirmed : postgres::Lsn{};
  BLOOMERY_ASSIGN_OR_RETURN(
      const postgres::Rows rows,
      replication.query("SELECT pg_postmaster_start_time(), (SELECT system_identifier FROM "
                        "pg_control_system())"));
  if (rows.empty() || rows[0][0] != seen.started || rows[0][1] != std::to_string(seen.system)) {
    return Error(ErrorCode::kIo, replication.name(),
                 "expected the server that was asked a moment ago, found another one or a restart");
  }
  BLOOMERY_RETURN_IF_ERROR(replication.start_replication(table.slot, from, table.publication));
  return LogFollower(std::move(replication), table, seen.oid, from, keys);
}

Result<bool> LogFollower::read(KeyBatch& batch, std::chrono::milliseconds patience) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto bytes, connection_.receive(patience));
  if (!bytes) {
    return false;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const postgres::ServerMessage received, postgres::parse_server_message(*bytes));
  if (const auto* const keepalive = std::get_if<postgres::Keepalive>(&received)) {
    wants_report_ = wants_report_ || keepalive->wants_reply;
    if (!is_inside_) {
      received_ = std::max(received_, keepalive->end);
      pass({.end = keepalive->end.value});
    }
    return true;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const postgres::Change change,
                            postgres::parse_change(std::get<postgres::LogPiece>(received).bytes));
  BLOOMERY_RETURN_IF_ERROR(take(change, batch));
  return true;
}

Status LogFollower::take(const postgres::Change& change, KeyBatch& batch) {
  if (const auto* const begin = std::get_if<postgres::Begin>(&change)) {
    is_inside_ = true;
    xid_ = begin->xid;
  } else if (const auto* const commit = std::get_if<postgres::Commit>(&change)) {
    is_inside_ = false;
    ++counts_.transactions;
    received_ = std::max(received_, commit->end);
    last_commit_ = {.end = commit->end.value, .time_us = commit->time_us, .xid = xid_};
    pass(last_commit_);
  } else if (const auto* const relation = std::get_if<postgres::Relation>(&change)) {
    return relation->id == oid_ ? take_relation(*relation) : Status();
  } else if (const auto* const insert = std::get_if<postgres::Insert>(&change)) {
    if (insert->relation == oid_) {
      ++counts_.inserts;
      return take_row(insert->row, nullptr, batch);
    }
  } else if (const auto* const update = std::get_if<postgres::Update>(&change)) {
    if (update->relation == oid_) {
      ++counts_.updates;
      counts_.deletes += std::uint64_t{left_old_key(*update)};
      return take_row(update->row, update->old_row ? &*update->old_row : nullptr, batch);
    }
  } else if (const auto* const deleted = std::get_if<postgres::Delete>(&change)) {
    counts_.deletes += std::uint64_t{deleted->relation == oid_};
  }
  return {};
}

// Compares the first commit that does not end before the expected one with it. A bare position, without time
// and number, counts as another transaction.
void LogFollower::pass(const KnownCommit& commit) {
  if (expected_ && commit.end >= expected_->end) {
    is_other_log_ = commit != *expected_;
    expected_.reset();
  }
}

Status LogFollower::take_relation(const postgres::Relation& relation) {
  places_.clear();
  for (const std::string& column : columns_) {
    const auto found = std::ranges::find(relation.columns, column, &postgres::RelationColumn::name);
    if (found == relation.columns.end()) {
      return Error(ErrorCode::kNotFound, std::string(relation.name),
                   message("expected a column ", column, ", found none: was it dropped or renamed?"));
    }
    places_.push_back(static_cast<std::size_t>(found - relation.columns.begin()));
  }
  return {};
}

Status LogFollower::take_row(const postgres::Tuple& row, const postgres::Tuple* old_row, KeyBatch& batch) {
  using Kind = postgres::Value::Kind;
  fields_.clear();
  for (const std::size_t place : places_) {
    if (place >= row.size() || row[place].kind == Kind::kBinary) {
      return Error::corruption("pgoutput message", 0,
                               "expected a row as its table was described, found another");
    }
    // An unchanged TOAST value, which the server does not send.
    const bool is_unsent = row[place].kind == Kind::kUnchanged;
    if (is_unsent && places_.size() == 1) {
      return {};  // the key is unchanged, so the filter has it
    }
    const bool is_in_old =
        old_row != nullptr && place < old_row->size() && (*old_row)[place].kind == Kind::kText;
    if (is_unsent && !is_in_old) {
      has_missed_ = true;
      return {};
    }
    const postgres::Value& value = is_unsent ? (*old_row)[place] : row[place];
    fields_.push_back(value.kind == Kind::kNull ? std::nullopt : std::optional(value.bytes));
  }
  if (fields_.empty()) {
    return Error::corruption("pgoutput message", 0,
                             "expected a description of the table before its rows, found none");
  }
  keys_->add(fields_, batch);
  return {};
}

bool LogFollower::left_old_key(const postgres::Update& update) const {
  if (!update.old_row) {
    return false;
  }
  return std::ranges::any_of(places_, [&](std::size_t place) {
    return place < update.old_row->size() && place < update.row.size() &&
           (*update.old_row)[place].kind == postgres::Value::Kind::kText &&
           (*update.old_row)[place].bytes != update.row[place].bytes;
  });
}

Status LogFollower::report(const postgres::Progress& progress) {
  wants_report_ = false;
  return connection_.send(postgres::status_message(progress, postgres_time_us()));
}

}  // namespace bloomery::feed
