// The messages of PostgreSQL's output plugin pgoutput, protocol version 1. Transactions are sent only after
// their commit, since version 1 does not stream them earlier.
//
//   stream = transaction*          transaction = Begin Origin? (Relation | Type | change | Message)* Commit
//   change = Insert | Update | Delete | Truncate
//
// All numbers are big-endian, and strings end in NUL. Each connection sends a Relation before the first
// change of its table, and again after the table was altered.
//
// Invariants: a message is parsed completely or is an error. Every size is checked against the remaining
// bytes before it is used. Texts and values are views of the input.
// Source: PostgreSQL 15, documentation, "Logical Replication Message Formats".
// Not here: the meaning of the changes (feed/), and the frames of the messages (replication_messages.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "bloomery/base/result.h"
#include "connect/postgres/lsn.h"

namespace bloomery::postgres {

struct Begin {
  Lsn commit;  // LSN of the transaction's commit record
  std::int64_t time_us = 0;
  std::uint32_t xid = 0;
};

struct Commit {
  Lsn commit;
  Lsn end;                   // LSN after the commit record
  std::int64_t time_us = 0;  // since 2000-01-01
};

struct RelationColumn {
  bool is_key = false;  // belongs to the replica identity
  std::string_view name;
  std::uint32_t type = 0;
  std::int32_t type_modifier = 0;
};

struct Relation {
  std::uint32_t id = 0;
  std::string_view schema;
  std::string_view name;
  char replica_identity = 'd';
  std::vector<RelationColumn> columns;
};

struct Value {
  enum class Kind : char { kNull = 'n', kUnchanged = 'u', kText = 't', kBinary = 'b' };
  Kind kind = Kind::kNull;
  std::string_view bytes;
};
using Tuple = std::vector<Value>;

struct Insert {
  std::uint32_t relation = 0;
  Tuple row;
};

struct Update {
  std::uint32_t relation = 0;
  // The old replica identity if it changed; the complete old row if FULL; otherwise nothing.
  std::optional<Tuple> old_row;
  Tuple row;
};

struct Delete {
  std::uint32_t relation = 0;
  Tuple old_row;
};

struct Truncate {
  std::vector<std::uint32_t> relations;
};

// Messages that contain no rows: Origin, Type and Message.
struct Ignored {
  char type = 0;
};

using Change = std::variant<Begin, Commit, Relation, Insert, Update, Delete, Truncate, Ignored>;

// Parses one message, which must fill `bytes`. Errors: kCorruption with the offset; kUnsupported for a
// message of another protocol version.
Result<Change> parse_change(std::span<const std::byte> bytes);

}  // namespace bloomery::postgres
