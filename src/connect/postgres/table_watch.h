// What a follower of one table asks its server again and again. Does the log still have every change of the table? Where does
// the log end? What does the slot hold?
//
// An Observation holds for the moment at which observe() was called, and later. Its `shape` is a text. It differs after
// everything that puts rows into the table without a message in the log. So it does if messages are taken away:
//
//   - another table of the name, a rewritten one, or one that was unlogged meanwhile
//   - other key columns, or the same ones under the names of others
//   - another schema; a partition that was attached or detached; the table itself as a partition of another one
//   - an altered publication
//
// It also differs if all of this was undone, even within one transaction. For that it has row versions (xmin): those of
// pg_class, pg_inherits, pg_attribute and of the publication's rows. It has the names of files (relfilenode) too.
// docs/design/feed.md lists every statement that can hide rows. Statements that hide nothing, such as GRANT, may change the
// shape too.
//
// Invariant: take two observations of one server that have the same shape. Every change of the table between them is in the
// log of the slot, unless the slot has lost it.
//
// Not here: the log itself (connection.h), what becomes of the keys (feed/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "connect/postgres/connection.h"
#include "connect/postgres/lsn.h"

namespace bloomery::postgres {

// The texts of a value of a key column: what psql prints, and for some types another one that SELECT column::text gives.
enum class Spelling {
  kOne,
  kBool,  // t and true, f and false
  kInet,  // 10.0.0.1 and 10.0.0.1/32, ::1 and ::1/128
};
// So many key columns may have several texts. Each doubles the keys.
inline constexpr std::size_t kMostSpelled = 4;

struct WatchedTable {
  std::string table;                 // as SQL writes it: users, shop.orders, "Users"
  std::vector<std::string> columns;  // of the key, in this order; exact names
  std::string publication;
  std::string slot;
  std::string application;     // of the connection that follows, as a synchronous standby
  bool insert_only = false;    // the user says that key columns are never updated
  bool trims = false;          // white space at the ends is not part of a key, so char(n) can be one
  bool asks_in_utc = false;    // the user says that texts of timestamptz are asked in UTC
  bool brings_to_utc = false;  // texts are asked with any offset, so every column must be a timestamptz
};

struct SlotState {
  std::string wal_status;  // reserved, extended, unreserved or lost
  Lsn confirmed;           // the server sends nothing of what was before it
  Lsn restart;             // the server keeps its log from here on; 0 if the slot lost it
  std::uint64_t held = 0;  // bytes of the log from there to its end
  bool is_active = false;  // somebody follows it
};

struct Observation {
  Lsn end;                     // all that was committed before the observation began is before it in the log
  Lsn flushed;                 // of that, what the server has on disk; only this is sent
  std::uint64_t system = 0;    // the system identifier of the server's cluster
  std::uint32_t timeline = 0;  // grows by one when a standby takes over
  std::string started;  // when the server started: two connections with the same one are to the same server
  std::string shape;
  std::uint32_t oid = 0;            // of the table
  std::string name;                 // of the table: "public"."users"
  std::vector<Spelling> spellings;  // of the key columns
  std::optional<SlotState> slot;    // nothing if there is none
  std::string sync_state;     // of the follower: async, sync, quorum, potential; empty if it is not connected
  std::string keeps_at_most;  // max_slot_wal_keep_size; "-1" is without limit
};

// Errors: kIo if the server cannot be asked now, or is a standby. All others say what a person must do:
//
//   kNotFound         the table or a column is gone
//   kInvalidArgument  no certain filter can be fed from such a table, column or publication
//   kUnsupported      the server is older than PostgreSQL 14
Result<Observation> observe(Connection& connection, const WatchedTable& table);

// Returns nothing if there is no such slot. Errors: kInvalidArgument if it is not of pgoutput, or of another database.
Result<std::optional<SlotState>> find_slot(Connection& connection, const std::string& name);
// Creates a slot for pgoutput that outlives the connection. Errors: those of Connection::query().
Status create_slot(Connection& replication, const std::string& name);
Status drop_slot(Connection& connection, const std::string& name);
// Lets the server forget the log of a slot that nobody follows, up to its end on the disk. Returns the slot's new position.
// The rows of that log are not decoded, so this works too if they cannot be. Errors: those of Connection::query().
Result<Lsn> forget_log(Connection& connection, const std::string& name);

// Reads the key columns of the table as they are at one moment of the log, and returns that moment. It calls `row` for each
// row, as COPY gives it. What is committed later is in the log of every slot that followed it before the call.
//
// It makes a temporary slot, since only a slot's snapshot is at one moment of the log. A plain transaction may not see a
// commit yet that the log has sent already. That is so while the commit waits for a synchronous standby, for example.
// Making a slot waits for all transactions that are writing. Errors: those of Connection.
Result<Lsn> scan_at_one_moment(const ConnectOptions& options, const std::string& name,
                               const std::vector<std::string>& columns,
                               const std::function<Status(std::string_view)>& row);

// Returns how many rows the table has.
Result<std::uint64_t> count_rows(Connection& connection, const std::string& name);

}  // namespace bloomery::postgres
