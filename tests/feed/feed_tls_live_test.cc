// `bloomery feed postgres` and those who ask its key, with TLS to both servers, users with passwords, and no password in a
// process list, a log or a status.
#include <fstream>
#include <iterator>
#include <memory>
#include <pwd.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/connect/redis_source.h"
#include "connect/redis/client.h"
#include "connect/redis/tls_session.h"
#include "tests/connect/tls_redis.h"
#include "tests/feed/live_postgres.h"
#include "tests/feed/running_feeder.h"
#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

using namespace std::chrono_literals;

constexpr const char* kDatabasePassword = "hush-of-postgres";
constexpr const char* kServerPassword = "hush-of-redis";

class FeedTls : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    if (!redis::has_tls() || LivePostgres::programs().empty() || !ServerProcess::is_installed("openssl")) {
      GTEST_SKIP() << "SKIPPED: no TLS in this build, or PostgreSQL's server or openssl is not installed";
    }
    ASSERT_TRUE(make_certificates(folder_)) << folder_.read("made");
    start_redis();
    start_postgres();
  }
  void TearDown() override {
    feeder_.reset();
    ::unsetenv("PGPORT");
    ::unsetenv("PGPASSFILE");
  }

  void start_redis() {
    server_ = std::make_unique<TlsRedis>(
        folder_, "server",
        std::vector<std::string>{"--loadmodule", BLOOMERY_REDIS_MODULE, "--user", "feeder", "on",
                                 std::string(">") + kServerPassword, "~*", "+@all"});
    folder_.write("redis-password", kServerPassword + std::string("\n"));
  }
  void start_postgres() {
    const std::string port = std::to_string(free_port());
    ::setenv("PGPORT", port.c_str(), 1);
    database_ = std::make_unique<LivePostgres>("listen_addresses = '127.0.0.1'\nport = " + port);
    const std::string hba = (*database_)("SHOW hba_file");
    sql("COPY (VALUES ('local all all trust'), ('hostssl all all 127.0.0.1/32 scram-sha-256')) TO '" + hba +
        "'");
    give_certificate("server");
    sql("CREATE TABLE t (k text PRIMARY KEY)");
    sql("INSERT INTO t SELECT 'old' || i FROM generate_series(1, 3000) i");
    sql("CREATE PUBLICATION bloomery FOR TABLE t");
    sql(std::string("CREATE ROLE feeder LOGIN REPLICATION PASSWORD '") + kDatabasePassword + "'");
    sql("GRANT SELECT ON t TO feeder");
    folder_.write("pgpass", std::string("*:*:*:feeder:") + kDatabasePassword + "\n");
    std::filesystem::permissions(folder_.path("pgpass"), std::filesystem::perms::owner_read);
    ::setenv("PGPASSFILE", folder_.path("pgpass").c_str(), 1);
  }
  // The server of the database offers TLS with this certificate from now on.
  void give_certificate(const std::string& name) {
    for (const std::string end : {".pem", ".key"}) {
      const std::string copy = database_->folder().path("server" + end);
      std::filesystem::remove(copy);
      std::filesystem::copy_file(folder_.path(name + end), copy);
      const passwd* const user = ::getuid() == 0 ? ::getpwnam("postgres") : nullptr;
      if (user != nullptr) {
        (void)::chown(copy.c_str(), user->pw_uid, user->pw_gid);
      }
      std::filesystem::permissions(copy, std::filesystem::perms::owner_read);
      sql("ALTER SYSTEM SET ssl_" + std::string(end == ".pem" ? "cert" : "key") + "_file = '" + copy + "'");
    }
    sql("ALTER SYSTEM SET ssl = on");
    EXPECT_EQ((*database_)("SELECT pg_reload_conf()"), "t");
  }
  void sql(const std::string& statement) { EXPECT_EQ((*database_)(statement), "") << statement; }
  std::string redis_url(const std::string& more = "") const {
    return "rediss://feeder:@127.0.0.1:" + std::to_string(server_->port()) +
           "/0?cacert=" + folder_.path("ca.pem") + "&cert=" + folder_.path("client.pem") +
           "&key=" + folder_.path("client.key") + "&password-file=" + folder_.path("redis-password") + more;
  }
  std::string database_url(const std::string& host, const std::string& authority) const {
    return "host=" + host +
           " hostaddr=127.0.0.1 user=feeder dbname=postgres sslmode=verify-full sslrootcert=" +
           folder_.path(authority);
  }
  // Starts a feeder, and returns its log once it says `text`.
  std::string log_with(const std::string& text, const std::string& database, const std::string& server) {
    feeder_.reset();
    std::filesystem::remove(folder_.path("feed.log"));
    feeder_ = std::make_unique<RunningFeeder>(
        folder_, std::vector<std::string>{"--db", database, "--table", "t", "--key", "k", "--redis", server,
                                          "users", "--bound", "2s", "--status", folder_.path("status"),
                                          "--metrics", folder_.path("metrics")});
    EXPECT_TRUE(feeder_->says(text)) << feeder_->log();
    return feeder_->log();
  }

  std::unique_ptr<TlsRedis> server_;
  std::unique_ptr<LivePostgres> database_;
  std::unique_ptr<RunningFeeder> feeder_;
};

TEST_F(FeedTls, AKeyIsFedAndAskedByTlsAndNoPasswordIsShown) {
  const std::string log = log_with("active", database_url("localhost", "ca.pem"), redis_url());
  const auto source = redis_source(redis_url(), "users", {.connect = 5000ms, .answer = 5000ms});
  ASSERT_TRUE(source) << source.error().to_string();
  const auto says_no = [&] { return !(*source)->ask("nobody").may_contain; };
  EXPECT_TRUE(comes_true(says_no));
  sql("INSERT INTO t VALUES ('new')");
  EXPECT_TRUE(comes_true([&] { return (*source)->ask("new").may_contain; }));
  EXPECT_TRUE((*source)->ask("old1").may_contain);
  EXPECT_EQ(std::system((std::string(BLOOMERY_COMMAND " query --redis '") + redis_url() +
                         "' users -e old2 > " + folder_.path("found"))
                            .c_str()),
            0);
  EXPECT_EQ(folder_.read("found"), "old2\n");

  const std::string process = folder_.read("status");
  const std::size_t pid = process.find("\"pid\": ");
  ASSERT_NE(pid, std::string::npos);
  std::ifstream file("/proc/" + std::to_string(std::stoi(process.substr(pid + 7))) + "/cmdline");
  const std::string words((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_NE(words.find("password-file"), std::string::npos);
  for (const std::string& text : {words, process, folder_.read("metrics"), feeder_->log()}) {
    EXPECT_EQ(text.find("hush"), std::string::npos) << text;
  }
}

// Passwords that somebody wrote into the URLs all the same are in no error, no log and no status.
TEST_F(FeedTls, ARefusedPasswordIsNotRepeated) {
  const std::string at = "@127.0.0.1:" + std::to_string(server_->port()) +
                         "/0?cacert=" + folder_.path("ca.pem") + "&cert=" + folder_.path("client.pem") +
                         "&key=" + folder_.path("client.key");
  RunningFeeder refused(folder_, {"--db", database_url("localhost", "ca.pem"), "--table", "t", "--key", "k",
                                  "--redis", "rediss://feeder:hush-wrong" + at, "users"});
  EXPECT_EQ(refused.wait(), 2);
  EXPECT_TRUE(refused.says("WRONGPASS")) << refused.log();
  EXPECT_EQ(refused.log().find("hush"), std::string::npos) << refused.log();
  ::unsetenv("PGPASSFILE");
  const std::string log =
      log_with("password authentication failed",
               "postgresql://feeder:hush-wrong@127.0.0.1/postgres?sslmode=require", redis_url());
  EXPECT_EQ((log + folder_.read("status")).find("hush"), std::string::npos) << log;
}

TEST_F(FeedTls, ADatabaseThatCannotProveWhoItIsIsNotFollowed) {
  (void)log_with("certificate verify failed", database_url("localhost", "other.pem"), redis_url());
  give_certificate("elsewhere");
  (void)log_with("does not match host name", database_url("localhost", "ca.pem"), redis_url());
  (void)log_with("active", database_url("elsewhere.example", "ca.pem"), redis_url());
}

}  // namespace
}  // namespace bloomery
