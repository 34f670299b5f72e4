// The state that a follower of one table polls: whether the log still has every change of the table, where
// the log ends, and what the slot holds.
//
// An Observation holds for the moment at which observe() was called, and later. Its `shape` is a text. It
// changes with everything that can add rows to the table without a message in the log, or suppress messages:
//
//   - another table of the name, a rewritten one, or one that was unlogged meanwhile
//   - other key columns, or the same ones under the names of others
//   - another schema; a partition that was attached or detached; the table itself as a partition of another
//   - an altered publication
//
// It also differs if all of this was undone, even within one transaction. For that it has row versions
// (xmin): those of pg_class, pg_inherits, pg_attribute and of the publication's rows. It has the names of
// files (relfilenode) too. docs/design/feed.md lists every statement that can hide rows. Statements that hide
// nothing, such as GRANT, may change the shape too.
//
// Invariant: if two observations of one server have the same shape, every change of the table between them is
// in the log of the slot, unless the slot has lost it.
//
// Not here: the log itself (connection.h), the use of the keys (feed/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "connect/postgres/connection.h"
#include "connect/postgres/lsn.h"

namespace bloomery::postgres {

// The texts of a key column's value: the one that psql prints, and for some types that of SELECT
// column::text.
enum class Spelling {
  kOne,
  kBool,  // t and true, f and false
  kInet,  // 10.0.0.1 and 10.0.0.1/32, ::1 and ::1/128
};
// The most key columns with several texts. Each doubles the keys.
inline constexpr std::size_t kMostSpelled = 4;

struct WatchedTable {
  std::string table;                 // as SQL writes it: users, shop.orders, "Users"
  std::vector<std::string> columns;  // of the key, in this order; exact names
  std::string publication;
  std::string slot;
  std::string application;     // of the connection that follows, as a synchronous standby
  bool insert_only = false;    // the user says that key columns are never updated
  bool trims = false;          // white space at the ends is not part of a key, so char(n) can be one
  bool asks_in_utc = false;    // the user says that queries write timestamptz in UTC
  bool brings_to_utc = false;  // queries may have any offset, so every column must be a timestamptz
};

struct SlotState {
  std::string wal_status;  // reserved, extended, unreserved or lost
  Lsn confirmed;           // the server sends nothing that was committed before it
  Lsn restart;             // the server keeps its log from here on; 0 if the slot lost it
  std::uint64_t held = 0;  // bytes of the log from there to its end
  bool is_active = false;  // somebody follows it
};

struct Observation {
  Lsn end;                     // the log before it has all that was committed before the observation began
  Lsn flushed;                 // the part of it that the server has on disk; only this is sent
  std::uint64_t system = 0;    // the system identifier of the server's cluster
  std::uint32_t timeline = 0;  // grows by one when a standby takes over
  std::string started;         // when the server started, which identifies it among connections
  std::string shape;
  std::uint32_t oid = 0;            // of the table
  std::string name;                 // of the table: "public"."users"
  std::vector<Spelling> spellings;  // of the key columns
  std::optional<SlotState> slot;    // nothing if there is none
  std::string sync_state;     // of the follower: async, sync, quorum, potential; empty if it is not connected
  std::string keeps_at_most;  // max_slot_wal_keep_size; "-1" means no limit
};

// Errors: kIo if the server cannot be queried now, or is a standby. All others tell what a person must do:
//
//   kNotFound         the table or a column is gone
//   kInvalidArgument  no reliable filter can be fed from such a table, column or publication
//   kUnsupported      the server is older than PostgreSQL 14
Result<Observation> observe(Connection& connection, const WatchedTable& table);

// Returns nothing if there is no such slot. Errors: kInvalidArgument if it is not of pgoutput, or of another
// database.
Result<std::optional<SlotState>> find_slot(Connection& connection, const std::string& name);
// Creates a slot for pgoutput that outlives the connection. Errors: kIo, kNotFound, kInvalidArgument.
Status create_slot(Connection& replication, const std::string& name);
Status drop_slot(Connection& connection, const std::string& name);
// Advances a slot that nobody follows to the end of the log on disk. Returns the slot's new position. The
// log's rows are not decoded, so this works too if they cannot be. Errors: kIo, kNotFound, kInvalidArgument.
Result<Lsn> forget_log(Connection& connection, const std::string& name);

// Reads the key columns of the table at one moment of the log, and returns that moment. Calls `row` with each
// row of COPY. Later commits are in the log of every slot that followed it before the call.
//
// It makes a temporary slot, since only a slot's snapshot is at one moment of the log. A plain transaction
// may miss a commit that the log has sent already, for example while the commit waits for a synchronous
// standby. Making a slot waits for all writing transactions. Errors: kIo, kNotFound, kInvalidArgument.
Result<Lsn> scan_at_one_moment(const ConnectOptions& options, const std::string& name,
                               const std::vector<std::string>& columns,
                               const std::function<Status(std::string_view)>& row);

// Returns how many rows the table has.
Result<std::uint64_t> count_rows(Connection& connection, const std::string& name);

}  // namespace bloomery::postgres
