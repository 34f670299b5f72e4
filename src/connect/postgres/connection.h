// A connection to PostgreSQL by libpq. Every wait has a limit.
//
//   Calls:  query* copy_out*                                    on a connection for queries
//           query* start_replication (receive | send)*          on a replication connection
//
// After the limit of a wait, the connection is closed and the call returns an error (kIo). A connection that
// failed stays failed. Values are texts in UTF-8: dates in ISO order, bytes as \x and hexadecimal digits,
// times in UTC, whatever the server's settings are.
//
// Threads: one at a time, except stop_waiting(), which any thread may call.
// Only this file calls libpq (libpq.h).
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "connect/postgres/lsn.h"

struct pg_conn;
struct pg_result;

namespace bloomery::postgres {

using Field = std::optional<std::string>;
using Rows = std::vector<std::vector<Field>>;

struct ConnectOptions {
  std::string
      url;  // a connection string or URL of libpq; the environment supplies missing parts (PGHOST ...)
  std::string application = "bloomery";
  bool is_replication = false;
  std::chrono::milliseconds connect{5000};
  std::chrono::milliseconds answer{30000};  // the longest silence of the server within a command
  const std::atomic<bool>* stop = nullptr;  // when it becomes true, calls return an error (kIo, EINTR)
};

class Connection {
 public:
  // Errors: kIo if nobody answers; kInvalidArgument if the server refuses the user, the database or the
  // replication.
  static Result<Connection> open(const ConnectOptions& options);
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;
  ~Connection();

  // Runs one statement. Errors: kIo if the connection broke or the server's state may pass; kNotFound for a
  // missing object; kInvalidArgument for other errors of the server.
  Result<Rows> query(const std::string& sql);
  // Calls `row` for every row of a COPY ... TO STDOUT, with its newline. Stops at its first error.
  Status copy_out(const std::string& sql, const std::function<Status(std::string_view)>& row);

  // Starts streaming the slot's log from `from`, decoded by pgoutput.
  Status start_replication(const std::string& slot, Lsn from, const std::string& publication);
  // Returns the next message, or nothing after `wait`. The bytes are valid until the next call.
  Result<std::optional<std::span<const std::byte>>> receive(std::chrono::milliseconds wait);
  Status send(std::string_view message);

  // Returns the server's name for messages, without a password.
  const std::string& name() const { return name_; }

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  struct Clear {
    void operator()(pg_result* result) const;
  };
  using ResultPointer = std::unique_ptr<pg_result, Clear>;

  Connection() = default;
  enum class For { kReading, kWriting };
  // Waits until the socket is ready. Returns false after `wait`.
  Result<bool> wait(For what, std::chrono::milliseconds wait);
  Status flush();
  Status send_query(const std::string& sql);
  Result<ResultPointer> next_result();
  Status drain();
  Error lost(const std::string& what);
  Error refused(const pg_result* result) const;

  std::unique_ptr<pg_conn, Close> connection_;
  ConnectOptions options_;
  std::string name_;
  char* row_ = nullptr;  // the last message, allocated by libpq
};

// quoted_name() returns `name` in double quotes, as an SQL identifier; quoted_text() returns `text` in single
// quotes.
std::string quoted_name(std::string_view name);
std::string quoted_text(std::string_view text);

}  // namespace bloomery::postgres
