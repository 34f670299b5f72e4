// The messages that PostgreSQL and a follower of its log exchange in COPY BOTH mode.
//
//   server    'w' start, end, time, bytes      log data: here one message of pgoutput
//             'k' end, time, reply wanted      keepalive: everything committed before `end` was sent
//   follower  'r' written, flushed, applied, time, reply wanted
//
// The server may remove the log before `flushed`. A COMMIT that waits for a synchronous standby waits until
// `flushed`, `written` or `applied` reaches it, depending on synchronous_commit.
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
  Lsn end;  // everything committed before it has been sent
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
