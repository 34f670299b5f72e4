#include "connect/postgres/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <utility>

#include "base/byte_text.h"
#include "base/message.h"
#include "connect/postgres/libpq.h"

namespace bloomery::postgres {
namespace {

using Clock = std::chrono::steady_clock;

// The longest wait before `stop` is checked again.
constexpr std::chrono::milliseconds kLookAround{50};

// Settings that determine how values are printed. Row security would hide rows from the scan; with `off` that
// is an error instead.
constexpr const char* kSettings =
    "-c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=3 -c bytea_output=hex -c timezone=UTC "
    "-c row_security=off -c statement_timeout=0 -c idle_in_transaction_session_timeout=0";

// Maps an SQLSTATE to a code: kIo if the server's state may pass (classes 08, 40, 53, 57, 58, no state, a
// slot in use), kNotFound for a missing object, kInvalidArgument for errors that an operator must fix.
ErrorCode code_of(std::string_view state) {
  if (state == "42P01" || state == "42703" || state == "42704" || state == "3D000") {
    return ErrorCode::kNotFound;  // no such table, column, object or database
  }
  const std::string_view kind = state.substr(0, 2);
  const bool may_pass = kind == "08" || kind == "53" || kind == "57" || kind == "58" || kind == "40" ||
                        state.empty() || state == "55006";  // object in use: the slot
  return may_pass ? ErrorCode::kIo : ErrorCode::kInvalidArgument;
}

// Returns true if a refused connection may be accepted later. A server that starts, stops or is full refuses
// with FATAL, but so does one that does not know the user, and libpq returns no SQLSTATE for either.
bool may_pass(const std::string& why) {
  constexpr std::array kStates{"starting up", "shutting down",      "not yet accepting", "too many",
                               "recovery",    "slots are reserved", "max_wal_senders"};
  return std::ranges::any_of(kStates,
                             [&](const char* state) { return why.find(state) != std::string::npos; });
}

// Turns a message of libpq, which may have several lines, into one printable line.
std::string one_line(const char* text) {
  std::string line;
  for (const char character : std::string_view(text == nullptr ? "" : text)) {
    const bool is_blank = character == '\n' || character == '\t' || character == ' ';
    if (!is_blank) {
      line += character;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') {
    line.pop_back();
  }
  return printable_text(line);
}

std::string server_name(PGconn* connection) {
  const char* const host = libpq().host(connection);
  const char* const port = libpq().port(connection);
  const char* const database = libpq().db(connection);
  return message("postgres ", host == nullptr ? "" : host, ":", port == nullptr ? "" : port, "/",
                 database == nullptr ? "" : database);
}

}  // namespace

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char character : name) {
    text += character;
    if (character == '"') {
      text += character;
    }
  }
  return text + "\"";
}

std::string quoted_text(std::string_view text) {
  std::string quoted = "E'";
  for (const char character : text) {
    if (character == '\'' || character == '\\') {
      quoted += '\\';
    }
    quoted += character;
  }
  return quoted + "'";
}

void Connection::Close::operator()(pg_conn* connection) const {
  libpq().finish(connection);
}

void Connection::Clear::operator()(pg_result* result) const {
  libpq().clear(result);
}

Connection::Connection(Connection&& other) noexcept
    : connection_(std::move(other.connection_)),
      options_(std::move(other.options_)),
      name_(std::move(other.name_)),
      row_(std::exchange(other.row_, nullptr)) {}

Connection& Connection::operator=(Connection&& other) noexcept {
  std::swap(connection_, other.connection_);
  std::swap(options_, other.options_);
  std::swap(name_, other.name_);
  std::swap(row_, other.row_);
  return *this;
}

Connection::~Connection() {
  libpq().freemem(row_);
}

Result<Connection> Connection::open(const ConnectOptions& options) {
  const std::string seconds = std::to_string(std::max<long>(2, options.connect.count() / 1000));
  const std::array keywords{"dbname",
                            "application_name",
                            "connect_timeout",
                            "client_encoding",
                            "options",
                            "replication",
                            "keepalives_idle",
                            "fallback_application_name",
                            static_cast<const char*>(nullptr)};
  const std::array values{options.url.c_str(),
                          options.application.c_str(),
                          seconds.c_str(),
                          "UTF8",
                          kSettings,
                          options.is_replication ? "database" : "false",
                          "10",
                          "bloomery",
                          static_cast<const char*>(nullptr)};
  BLOOMERY_RETURN_IF_ERROR(load_libpq());
  Connection opened;
  opened.options_ = options;
  opened.connection_.reset(libpq().connectdb_params(keywords.data(), values.data(), 1));
  if (opened.connection_ == nullptr) {
    return Error::capacity("postgres", "expected memory for a connection, found none");
  }
  opened.name_ = server_name(opened.connection_.get());
  if (libpq().status(opened.connection_.get()) != CONNECTION_OK) {
    const std::string why = one_line(libpq().error_message(opened.connection_.get()));
    const bool is_refusal = why.find("FATAL") != std::string::npos && !may_pass(why);
    return Error(is_refusal ? ErrorCode::kInvalidArgument : ErrorCode::kIo, opened.name_,
                 "cannot connect: " + why);
  }
  (void)libpq().setnonblocking(opened.connection_.get(), 1);
  (void)libpq().set_notice_processor(
      opened.connection_.get(), [](void*, const char*) {}, nullptr);
  return opened;
}

Error Connection::lost(const std::string& what) {
  std::string why =
      connection_ ? one_line(libpq().error_message(connection_.get())) : "the connection was closed";
  connection_.reset();
  return {ErrorCode::kIo, name_, what + (why.empty() ? "" : ": " + why)};
}

Error Connection::refused(const pg_result* result) const {
  const char* const state = libpq().result_error_field(result, PG_DIAG_SQLSTATE);
  const char* const hint = libpq().result_error_field(result, PG_DIAG_MESSAGE_HINT);
  const char* const primary = libpq().result_error_field(result, PG_DIAG_MESSAGE_PRIMARY);
  std::string text = one_line(primary == nullptr ? libpq().result_error_message(result) : primary);
  if (hint != nullptr) {
    text += " (" + one_line(hint) + ")";
  }
  return {code_of(state == nullptr ? "" : state), name_, text};
}

Result<bool> Connection::wait(For what, std::chrono::milliseconds wait) {
  const Clock::time_point deadline = Clock::now() + wait;
  while (true) {
    if (options_.stop != nullptr && *options_.stop) {
      return Error::io(name_, "wait", EINTR);
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd ready{.fd = libpq().socket(connection_.get()),
                 .events = static_cast<short>(what == For::kReading ? POLLIN : POLLOUT | POLLIN),
                 .revents = 0};
    const auto slice = std::clamp(left, std::chrono::milliseconds(0), kLookAround);
    const int count = ::poll(&ready, 1, static_cast<int>(slice.count()));
    if (count > 0) {
      return true;
    }
    if (count < 0 && errno != EINTR) {
      return Error::io(name_, "wait", errno);
    }
    if (Clock::now() >= deadline) {
      return false;
    }
  }
}

Status Connection::flush() {
  while (true) {
    const int state = libpq().flush(connection_.get());
    if (state == 0) {
      return {};
    }
    if (state < 0) {
      return lost("cannot send");
    }
    BLOOMERY_ASSIGN_OR_RETURN(const bool ready, wait(For::kWriting, options_.answer));
    if (!ready) {
      return lost(message("takes nothing for ", options_.answer.count(), " ms"));
    }
    if (libpq().consume_input(connection_.get()) == 0) {
      return lost("connection broken");
    }
  }
}

Status Connection::send_query(const std::string& sql) {
  if (!connection_) {
    return lost("cannot send");
  }
  if (libpq().send_query(connection_.get(), sql.c_str()) == 0) {
    return lost("cannot send");
  }
  return flush();
}

Result<Connection::ResultPointer> Connection::next_result() {
  while (libpq().is_busy(connection_.get()) != 0) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool ready, wait(For::kReading, options_.answer));
    if (!ready) {
      return lost(message("no answer for ", options_.answer.count(), " ms"));
    }
    if (libpq().consume_input(connection_.get()) == 0) {
      return lost("connection broken");
    }
  }
  return ResultPointer(libpq().get_result(connection_.get()));
}

Status Connection::drain() {
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const ResultPointer result, next_result());
    if (result == nullptr) {
      return {};
    }
  }
}

Result<Rows> Connection::query(const std::string& sql) {
  BLOOMERY_RETURN_IF_ERROR(send_query(sql));
  BLOOMERY_ASSIGN_OR_RETURN(const ResultPointer result, next_result());
  const ExecStatusType status = libpq().result_status(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    Error error = refused(result.get());
    BLOOMERY_RETURN_IF_ERROR(drain());
    return error;
  }
  Rows rows;
  for (int row = 0; row < libpq().ntuples(result.get()); ++row) {
    std::vector<Field>& fields = rows.emplace_back();
    for (int column = 0; column < libpq().nfields(result.get()); ++column) {
      const bool is_null = libpq().getisnull(result.get(), row, column) != 0;
      fields.push_back(
          is_null
              ? std::nullopt
              : Field(std::string(libpq().getvalue(result.get(), row, column),
                                  static_cast<std::size_t>(libpq().getlength(result.get(), row, column)))));
    }
  }
  BLOOMERY_RETURN_IF_ERROR(drain());
  return rows;
}

Status Connection::copy_out(const std::string& sql, const std::function<Status(std::string_view)>& row) {
  BLOOMERY_RETURN_IF_ERROR(send_query(sql));
  BLOOMERY_ASSIGN_OR_RETURN(const ResultPointer result, next_result());
  if (libpq().result_status(result.get()) != PGRES_COPY_OUT) {
    Error error = refused(result.get());
    BLOOMERY_RETURN_IF_ERROR(drain());
    return error;
  }
  while (true) {
    char* line = nullptr;
    const int size = libpq().get_copy_data(connection_.get(), &line, 1);
    if (size > 0) {
      Status used = row(std::string_view(line, static_cast<std::size_t>(size)));
      libpq().freemem(line);
      if (!used) {
        return used;
      }
    } else if (size == 0) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool ready, wait(For::kReading, options_.answer));
      if (!ready) {
        return lost(message("no row for ", options_.answer.count(), " ms"));
      }
      if (libpq().consume_input(connection_.get()) == 0) {
        return lost("connection broken");
      }
    } else {
      break;
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(const ResultPointer end, next_result());
  if (libpq().result_status(end.get()) != PGRES_COMMAND_OK) {
    return refused(end.get());
  }
  return drain();
}

Status Connection::start_replication(const std::string& slot, Lsn from, const std::string& publication) {
  std::string names;  // identifiers inside a text, so quotes are doubled
  for (const char character : quoted_name(publication)) {
    names += character;
    if (character == '\'') {
      names += character;
    }
  }
  BLOOMERY_RETURN_IF_ERROR(
      send_query(message("START_REPLICATION SLOT ", quoted_name(slot), " LOGICAL ", to_text(from),
                         " (proto_version '1', publication_names '", names, "')")));
  BLOOMERY_ASSIGN_OR_RETURN(const ResultPointer result, next_result());
  if (libpq().result_status(result.get()) != PGRES_COPY_BOTH) {
    Error error = refused(result.get());
    BLOOMERY_RETURN_IF_ERROR(drain());
    return error;
  }
  return {};
}

Result<std::optional<std::span<const std::byte>>> Connection::receive(std::chrono::milliseconds patience) {
  using Message = std::optional<std::span<const std::byte>>;
  if (!connection_) {
    return lost("cannot receive");
  }
  libpq().freemem(std::exchange(row_, nullptr));
  for (bool has_waited = false;; has_waited = true) {
    const int size = libpq().get_copy_data(connection_.get(), &row_, 1);
    if (size > 0) {
      return Message(std::as_bytes(std::span(row_, static_cast<std::size_t>(size))));
    }
    if (size < 0) {  // the server has ended the stream
      const Result<ResultPointer> result = next_result();
      if (result && *result != nullptr && libpq().result_status(result->get()) == PGRES_FATAL_ERROR) {
        Error why = refused(result->get());
        connection_.reset();
        return why;
      }
      return lost("the server ended the stream");
    }
    if (has_waited) {
      return Message();
    }
    BLOOMERY_ASSIGN_OR_RETURN(const bool ready, wait(For::kReading, patience));
    if (!ready) {
      return Message();
    }
    if (libpq().consume_input(connection_.get()) == 0) {
      return lost("connection broken");
    }
  }
}

Status Connection::send(std::string_view text) {
  if (!connection_) {
    return lost("cannot send");
  }
  if (libpq().put_copy_data(connection_.get(), text.data(), static_cast<int>(text.size())) != 1) {
    return lost("cannot send");
  }
  return flush();
}

}  // namespace bloomery::postgres
