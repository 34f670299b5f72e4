// The table `users` of a PostgreSQL server, asked by a few connections as a service does. Counts what reaches it.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <libpq-fe.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

class Database {
 public:
  Database(const std::string& url, int connections) {
    for (int i = 0; i < connections; ++i) {
      PGconn* const connection = PQconnectdb(url.c_str());
      if (PQstatus(connection) != CONNECTION_OK) {
        std::fprintf(stderr, "guard: %s", PQerrorMessage(connection));
        std::exit(1);
      }
      PQclear(PQprepare(connection, "row", "SELECT name FROM users WHERE id = $1", 1, nullptr));
      // What a hot page costs: a query that takes 50 ms.
      PQclear(PQprepare(connection, "page", "SELECT name || pg_sleep(0.05) FROM users WHERE id = $1", 1,
                        nullptr));
      idle_.push_back(connection);
    }
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() {
    for (PGconn* const connection : idle_) {
      PQfinish(connection);
    }
  }

  // Returns the row of a key, or nothing. Waits for a connection. `query` is "row" or "page".
  std::optional<std::string> row(const std::string& key, const char* query = "row") {
    const std::uint64_t now = ++now_;
    for (std::uint64_t most = most_; most < now && !most_.compare_exchange_weak(most, now);) {
    }
    ++queries_;
    const char* const value = key.c_str();
    PGconn* const connection = take();
    PGresult* const result = PQexecPrepared(connection, query, 1, &value, nullptr, nullptr, 0);
    give_back(connection);
    std::optional<std::string> row;
    if (PQntuples(result) == 1) {
      row = PQgetvalue(result, 0, 0);
    } else {
      ++absent_;
    }
    PQclear(result);
    --now_;
    return row;
  }
  // Calls `each` with every id.
  template <typename Each>
  void scan(Each each) {
    PGconn* const connection = take();
    PQclear(PQexec(connection, "COPY users (id) TO STDOUT"));
    char* line = nullptr;
    for (int size = PQgetCopyData(connection, &line, 0); size > 0;
         size = PQgetCopyData(connection, &line, 0)) {
      each(std::string(line, static_cast<std::size_t>(size - 1)));
      PQfreemem(line);
    }
    for (PGresult* rest = PQgetResult(connection); rest != nullptr; rest = PQgetResult(connection)) {
      PQclear(rest);
    }
    give_back(connection);
  }
  void run(const std::string& sql) {
    PGconn* const connection = take();
    PQclear(PQexec(connection, sql.c_str()));
    give_back(connection);
  }

  std::uint64_t queries() const { return queries_; }
  std::uint64_t absent() const { return absent_; }      // queries that found no row
  std::uint64_t most_at_once() const { return most_; }  // those that wait for a connection included
  void forget_most() { most_ = 0; }

 private:
  PGconn* take() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [this] { return !idle_.empty(); });
    PGconn* const connection = idle_.back();
    idle_.pop_back();
    return connection;
  }
  void give_back(PGconn* connection) {
    {
      const std::lock_guard lock(mutex_);
      idle_.push_back(connection);
    }
    freed_.notify_one();
  }

  std::mutex mutex_;  // guards the next two
  std::condition_variable freed_;
  std::vector<PGconn*> idle_;
  std::atomic<std::uint64_t> queries_{0};
  std::atomic<std::uint64_t> absent_{0};
  std::atomic<std::uint64_t> now_{0};
  std::atomic<std::uint64_t> most_{0};
};
