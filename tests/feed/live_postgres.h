// A PostgreSQL cluster of its own, started by a test on a unix socket in a folder of its own, and ended by it.
//
// PostgreSQL refuses to run as root. A test that runs as root starts it as the user postgres, whom Debian's package makes.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <pwd.h>
#include <string>
#include <thread>

#include <unistd.h>

#include "connect/postgres/connection.h"
#include "tests/base/test_folder.h"

namespace bloomery {

class LivePostgres {
 public:
  // Returns the folder of the server's programs, or an empty text if no server is installed.
  static std::string programs() {
    std::string newest;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
      const std::string folder = entry.path().string() + "/bin";
      if (std::filesystem::exists(folder + "/initdb") && folder > newest) {
        newest = folder;
      }
    }
    return newest;
  }

  explicit LivePostgres(const std::string& more_settings = "") : folder_(root_.path("pg")) {
    std::filesystem::create_directory(folder_);
    if (::getuid() == 0) {
      if (const passwd* const user = ::getpwnam("postgres")) {
        (void)::chown(folder_.c_str(), user->pw_uid, user->pw_gid);
        std::filesystem::permissions(
            root_.path(""), std::filesystem::perms::others_exec | std::filesystem::perms::others_read,
            std::filesystem::perm_options::add);
      }
    }
    make_data();
    as_user("cat >> " + data() +
            "/postgresql.conf <<'X'\nwal_level = logical\nlisten_addresses = ''\nfsync = off\n"
            "max_slot_wal_keep_size = '1GB'\nmax_prepared_transactions = 2\nunix_socket_directories = '" +
            folder_ + "'\n" + more_settings + "\nX\n");
    start();
  }
  ~LivePostgres() { stop("immediate"); }
  LivePostgres(const LivePostgres&) = delete;
  LivePostgres& operator=(const LivePostgres&) = delete;

  void start() { run("pg_ctl -D " + data() + " -l " + folder_ + "/log -w -t 60 start"); }
  void stop(const std::string& mode) { run("pg_ctl -D " + data() + " -m " + mode + " -w stop"); }
  // Starts the stopped server as a standby, which has nobody to follow, and makes it a primary with a timeline of its own.
  void promote() {
    as_user("touch " + data() + "/standby.signal");
    start();
    run("pg_ctl -D " + data() + " -w promote");
  }
  // Copies the data of the stopped server, and puts the copy back, as a snapshot of the disk would be.
  void put_aside() { as_user("rm -rf " + data() + ".aside; cp -a " + data() + " " + data() + ".aside"); }
  void put_back() { as_user("rm -rf " + data() + "; cp -a " + data() + ".aside " + data()); }
  // To every process of the server: SIGSTOP makes it neither answer nor hang up, until SIGCONT.
  void signal(int number) const {
    std::ifstream file(data() + "/postmaster.pid");
    std::string first;
    std::getline(file, first);
    const std::string name = " -" + std::to_string(number) + " ";
    (void)std::system(("pkill" + name + "-P " + first + "; kill" + name + first).c_str());
  }

  std::string url() const { return "host=" + folder_ + " user=postgres dbname=postgres"; }
  Result<postgres::Connection> connect() const {
    return postgres::Connection::open({.url = url(), .application = "test"});
  }
  // Runs one statement on a connection of its own, and returns its first field, or the error.
  std::string operator()(const std::string& sql) const {
    Result<postgres::Connection> connection = connect();
    if (!connection) {
      return connection.error().to_string();
    }
    const Result<postgres::Rows> rows = connection->query(sql);
    if (!rows) {
      return rows.error().to_string();
    }
    return rows->empty() || rows->front().empty() ? "" : rows->front().front().value_or("NULL");
  }
  const TestFolder& folder() const { return root_; }

 private:
  std::string data() const { return folder_ + "/data"; }
  // A new cluster is a copy of the one that the first test of this build made, which takes a third of the time.
  void make_data() {
    const std::string first = std::string(BLOOMERY_COMMAND) + "-cluster-of-" + std::to_string(::getuid()) +
                              "-" + std::filesystem::path(programs()).parent_path().filename().string();
    const std::string copied = first + "." + std::to_string(::getpid());
    if (std::system(("cp -a '" + first + "' " + data() + " 2>/dev/null").c_str()) == 0) {
      return;
    }
    run("initdb -D " + data() + " -U postgres -A trust -E UTF8 --locale=C --no-sync");
    (void)std::system(("{ cp -a " + data() + " '" + copied + "' && mv -T '" + copied + "' '" + first +
                       "'; } 2>/dev/null || rm -rf '" + copied + "'")
                          .c_str());
  }
  void run(const std::string& command) {
    as_user(programs() + "/" + command + " >> " + folder_ + "/out 2>&1");
  }
  void as_user(const std::string& command) const {
    root_.write("command", command);
    const std::string script = root_.path("command");
    const std::string line =
        ::getuid() == 0 ? "cd / && su postgres -s /bin/sh " + script : "/bin/sh " + script;
    (void)std::system(line.c_str());
  }

  TestFolder root_;
  std::string folder_;
};

}  // namespace bloomery
