// The messages of PostgreSQL and a follower of its log inside COPY BOTH.
//
//   server    'w' start, end, time, bytes      a part of the log: here one message of pgoutput
//             'k' end, time, reply wanted      no further message for you is before `end`
//   follower  'r' written, flushed, applied, time, reply wanted
//
// The server may remove the log before `flushed`. A commit that waits for a synchronous standby waits for
// `flushed`, `written` or `applied`, depending on synchronous_commit.
// Source: PostgreSQL 15, documentation, "Streaming Replication Protocol".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "bloomery/base/result.h"
#include "connect/postgres/lsn.h"

namespace bloomery::postgres {

struct LogPiece {
  std::span<const std::byte> bytes;
};

struct Keepalive {
  Lsn end;  // all that was committed before it has been sent
  bool wants_reply = false;
};

using ServerMessage = std::variant<LogPiece, Keepalive>;

// Errors: kCorruption.
Result<ServerMessage> parse_server_message(std::span<const std::byte> bytes);

struct Progress {
  Lsn written;
  Lsn flushed;
  Lsn applied;
  bool wants_reply = false;
};

// Returns the bytes of a follower's message. `time_us` is microseconds since 2000-01-01.
std::string status_message(const Progress& progress, std::int64_t time_us);

}  // namespace bloomery::postgres
