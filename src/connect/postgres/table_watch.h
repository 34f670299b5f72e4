// Observes what a follower of one table must know: whether the log still has every change of the table, where
// the log ends, and what the slot holds.
//
// An Observation describes the server at the call of observe() or later. Its `shape` is a text that changes
// with everything that can add rows to the table without a message in the log, or suppress messages:
//
//   - another table of the same name, a rewritten table, or one that was unlogged meanwhile
//   - other key columns, or columns that swapped names
//   - another schema; a partition attached or detached; the table attached to a parent as a partition
//   - an altered publication
//
// The shape also differs if all of this was undone, even within one transaction, because it contains row
// versions (xmin) of pg_class, pg_inherits, pg_attribute and the publication's rows, and file names
// (relfilenode). docs/design/feed.md lists every statement that can hide rows. Statements that hide nothing,
// such as GRANT, may change the shape too.
//
// Invariant: if two observations of one server have the same shape, the slot's log contains every change of
// the table between them, unless the slot has lost it.
//
// Not here: the log itself (connection.h); how keys are made and used (feed/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "connect/postgres/connection.h"
#include "connect/postgres/lsn.h"

namespace bloomery::postgres {

// How many texts a key column's value has: the one that psql prints, and for some types another one of SELECT
// column::text.
enum class Spelling {
  kOne,
  kBool,  // t and true, f and false
  kInet,  // 10.0.0.1 and 10.0.0.1/32, ::1 and ::1/128
};
// The most key columns that may have two texts each. Each one doubles the number of keys.
inline constexpr std::size_t kMostSpelled = 4;

struct WatchedTable {
  std::string table;                 // in SQL syntax: users, shop.orders, "Users"
  std::vector<std::string> columns;  // the key columns in order; exact names
  std::string publication;
  std::string slot;
  // Application_name of the follower's connection, by which it can be a synchronous standby.
  std::string application;
  bool insert_only = false;  // the user says that key columns are never updated
  bool trims = false;        // keys have no white space at their ends, so a column may be char(n)
  bool asks_in_utc = false;  // the user says that queries write timestamptz in UTC
  // Queries may use any offset and are converted to UTC, so every column must be a timestamptz.
  bool brings_to_utc = false;
};

struct SlotState {
  std::string wal_status;  // reserved, extended, unreserved or lost
  Lsn confirmed;           // everything committed before it is never sent again
  Lsn restart;             // the server keeps its log from here on; 0 if the slot lost it
  std::uint64_t held = 0;  // log bytes from `restart` to the end
  bool is_active = false;  // somebody follows the slot
};

struct Observation {
  Lsn end;                   // end of the log: everything committed before the observation began is before it
  Lsn flushed;               // end of the log on disk; only flushed log is sent
  std::uint64_t system = 0;  // system identifier of the server's cluster
  std::uint32_t timeline = 0;  // grows by one when a standby takes over
  std::string started;         // start time of the server, which changes with a restart
  std::string shape;
  std::uint32_t oid = 0;            // OID of the table
  std::string name;                 // of the table: "public"."users"
  std::vector<Spelling> spellings;  // one for each key column
  std::optional<SlotState> slot;    // nothing if the slot does not exist
  // Sync_state of the follower: async, sync, quorum or potential; empty if it is not connected.
  std::string sync_state;
  std::string keeps_at_most;  // max_slot_wal_keep_size; "-1" means no limit
};

// Errors: kIo if the server cannot be queried now, or is a standby. Operators must fix all other errors:
//
//   kNotFound         the table or a column is gone
//   kInvalidArgument  no reliable filter can be fed from such a table, column or publication
//   kUnsupported      the server is older than PostgreSQL 14
Result<Observation> observe(Connection& connection, const WatchedTable& table);

// Returns nothing if the slot does not exist. Errors: kInvalidArgument if the slot does not use pgoutput, or
// belongs to another database.
Result<std::optional<SlotState>> find_slot(Connection& connection, const std::string& name);
// Creates a permanent slot for pgoutput. Errors: kIo, kNotFound, kInvalidArgument.
Status create_slot(Connection& replication, const std::string& name);
Status drop_slot(Connection& connection, const std::string& name);
// Advances a slot that nobody follows to the end of the flushed log, and returns the slot's new position. It
// does not decode the log's rows, so it also works if they cannot be decoded. Errors: kIo, kNotFound,
// kInvalidArgument.
Result<Lsn> forget_log(Connection& connection, const std::string& name);

// Scans the key columns of the table in a snapshot at one position of the log, and returns that position.
// Calls `row` with each row of COPY. Later commits are in the log of every slot that existed before the call.
//
// It makes a temporary slot, because only a slot's snapshot belongs to one log position. A plain transaction
// may miss a commit that the log has sent already, for example while the commit waits for a synchronous
// standby. Making a slot waits for all writing transactions. Errors: kIo, kNotFound, kInvalidArgument.
Result<Lsn> scan_at_one_moment(const ConnectOptions& options, const std::string& name,
                               const std::vector<std::string>& columns,
                               const std::function<Status(std::string_view)>& row);

// Returns how many rows the table has.
Result<std::uint64_t> count_rows(Connection& connection, const std::string& name);

}  // namespace bloomery::postgres
