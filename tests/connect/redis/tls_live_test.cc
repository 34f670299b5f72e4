// TLS to a live redis-server: what is accepted, and the words for everything that is not.
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "bloomery/connect/redis_cache.h"
#include "connect/redis/client.h"
#include "connect/redis/tls_session.h"
#include "tests/connect/tls_redis.h"

namespace bloomery::redis {
namespace {

using namespace std::chrono_literals;

constexpr Limits kTlsLimits{.connect = 5000ms, .answer = 5000ms, .total = 15000ms};

class RedisTls : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_tls()) {
      GTEST_SKIP() << "SKIPPED: this build has no TLS";
    }
    if (!ServerProcess::is_installed("redis-server") || !ServerProcess::is_installed("openssl")) {
      GTEST_SKIP() << "SKIPPED: redis-server or openssl is not installed (scripts/setup check)";
    }
    ASSERT_TRUE(make_certificates(folder_)) << folder_.read("made");
  }
  // Starts the server, and waits until it listens.
  void start(const std::string& certificate, const std::vector<std::string>& more = {}) {
    server_ = std::make_unique<TlsRedis>(folder_, certificate, more);
    const std::string plain = "redis://127.0.0.1:" + std::to_string(server_->plain_port());
    for (int i = 0; i < 3000 && !connect(plain); ++i) {
      std::this_thread::sleep_for(10ms);
    }
  }
  static Result<Client> connect(const std::string& url, const Limits& limits = kTlsLimits) {
    BLOOMERY_ASSIGN_OR_RETURN(const Url parsed, parse_url(url));
    return Client::connect(parsed, limits);
  }
  std::string url(const std::string& parameters, const std::string& host = "127.0.0.1") const {
    return "rediss://" + host + ":" + std::to_string(server_->port()) + "?" + parameters;
  }
  std::string file(const std::string& parameter, const std::string& name) const {
    return parameter + "=" + folder_.path(name);
  }
  std::string ca() const { return file("cacert", "ca.pem"); }
  std::string client() const { return file("cert", "client.pem") + "&" + file("key", "client.key"); }
  // Returns why a URL does not connect.
  static std::string refusal(const std::string& url, ErrorCode code = ErrorCode::kInvalidArgument) {
    const Result<Client> refused = connect(url);
    EXPECT_FALSE(refused) << url;
    if (refused) {
      return "";
    }
    EXPECT_EQ(refused.error().code(), code) << refused.error().to_string();
    return refused.error().to_string();
  }

  TestFolder folder_;
  std::unique_ptr<TlsRedis> server_;
};

testing::AssertionResult has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos ? testing::AssertionSuccess()
                                              : testing::AssertionFailure() << "'" << text << "'";
}

TEST_F(RedisTls, ServersWhoseCertificateIsValidAreUsed) {
  start("server", {"--tls-auth-clients", "no"});
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    Result<Client> connected = connect(url(ca(), host));
    ASSERT_TRUE(connected) << connected.error().to_string();
    EXPECT_EQ(connected->run(Command("SET").key("k").word("v"))->text, "OK");
    // more than one record of TLS, and more than one read, in both directions
    const std::string large(3'000'000, 'x');
    EXPECT_EQ(connected->run(Command("SET").key("large").word(large))->text, "OK");
    EXPECT_EQ(connected->run(Command("GET").key("large"))->text, large);
    EXPECT_EQ(connected->counts().connections, 1u) << "session tickets do not end a connection";
  }
}

// A pipeline whose replies are larger than the buffers of both sides.
TEST_F(RedisTls, ALongPipelineDoesNotDeadlock) {
  start("server", {"--tls-auth-clients", "no"});
  Result<Client> connected = connect(url(ca()));
  ASSERT_TRUE(connected) << connected.error().to_string();
  const std::string value(100'000, 'y');
  const std::vector<Request> requests(300, Request(Command("ECHO").word(value).repeatable()));
  for (const Result<Reply>& reply : connected->run(requests)) {
    ASSERT_TRUE(reply) << reply.error().to_string();
    ASSERT_EQ(reply->text, value);
  }
}

TEST_F(RedisTls, AServerThatCannotProveWhoItIsIsRefused) {
  start("server", {"--tls-auth-clients", "no"});
  EXPECT_TRUE(has(refusal(url(file("cacert", "other.pem"))), "cacert= says which authorities sign"));
  // the system's authorities did not sign it
  EXPECT_TRUE(
      has(refusal("rediss://127.0.0.1:" + std::to_string(server_->port())), "self-signed certificate"));
  EXPECT_TRUE(has(refusal(url(ca() + "&sni=elsewhere.example")),
                  "expected a valid certificate of elsewhere.example, found: hostname mismatch"));
  start("elsewhere", {"--tls-auth-clients", "no"});
  EXPECT_TRUE(
      has(refusal(url(ca())), "expected a valid certificate of 127.0.0.1, found: IP address mismatch"));
  EXPECT_TRUE(has(refusal(url(ca(), "localhost")), "sni= says for which host the certificate is"));
  EXPECT_TRUE(connect(url(ca() + "&sni=elsewhere.example")));
  start("expired", {"--tls-auth-clients", "no"});
  EXPECT_TRUE(has(refusal(url(ca())), "certificate has expired"));
}

TEST_F(RedisTls, AServerMayWantACertificateOfTheClient) {
  start("server");
  EXPECT_TRUE(connect(url(ca() + "&" + client())));
  EXPECT_TRUE(has(refusal(url(ca())), "cert= and key= name the client's certificate"));
  start("server", {"--tls-protocols", "TLSv1.2"});
  EXPECT_TRUE(connect(url(ca() + "&" + client())));
  EXPECT_TRUE(has(refusal(url(ca())), "cert= and key= name the client's certificate"));
}

TEST_F(RedisTls, FilesThatCannotBeUsedAreNamed) {
  start("server");
  EXPECT_TRUE(
      has(refusal(url(file("cacert", "missing"))), "missing: expected a file of certificates in PEM"));
  EXPECT_TRUE(has(refusal(url(file("cacert", "make"))), "make: expected a file of certificates in PEM"));
  EXPECT_TRUE(has(refusal(url(ca() + "&" + file("cert", "client.pem") + "&" + file("key", "ca.key"))),
                  "ca.key: expected the private key of the certificate"));
  EXPECT_EQ(std::system(("openssl ec -aes128 -passout pass:x -in " + folder_.path("client.key") + " -out " +
                         folder_.path("locked.key") + " 2>/dev/null")
                            .c_str()),
            0);
  EXPECT_TRUE(
      has(refusal(url(ca() + "&" + file("cert", "client.pem") + "&" + file("key", "locked.key"))),
          "locked.key: expected the private key of the certificate, in PEM and without a passphrase"));
}

TEST_F(RedisTls, AMistakenPortIsSaid) {
  start("server", {"--tls-auth-clients", "no"});
  EXPECT_TRUE(
      has(refusal("redis://127.0.0.1:" + std::to_string(server_->port()), ErrorCode::kIo), "rediss://"));
  const std::string plain = "rediss://127.0.0.1:" + std::to_string(server_->plain_port()) + "?" + ca();
  EXPECT_TRUE(has(refusal(plain, ErrorCode::kIo), "its port has no TLS"));
  Result<TlsSession> session = TlsSession::start({}, "127.0.0.1");
  ASSERT_TRUE(session);
  EXPECT_FALSE(*session->handshake());
  ASSERT_TRUE(session->feed("-ERR unknown command\r\n"));
  const Result<bool> refused = session->handshake();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(has(refused.error().to_string(), "is this a port without TLS (redis://)?"));
}

// The time limit covers the handshake: a server that accepts and says nothing, and one that stops.
TEST_F(RedisTls, AServerThatStallsInTheHandshakeCostsTheTimeLimit) {
  start("server", {"--tls-auth-clients", "no"});
  ASSERT_TRUE(connect(url(ca())));
  server_->process().stop();
  const auto begin = Clock::now();
  const Result<Client> stalled = connect(url(ca()), {.connect = 300ms, .answer = 300ms, .total = 600ms});
  ASSERT_FALSE(stalled);
  EXPECT_EQ(stalled.error().code(), ErrorCode::kIo);
  EXPECT_TRUE(has(stalled.error().to_string(), "within the time limit"));
  EXPECT_LT(Clock::now() - begin, 5s);
  server_->process().resume();
  EXPECT_TRUE(connect(url(ca())));
}

// Users of the server's ACL, and passwords that are in a file, which may change between two logins.
TEST_F(RedisTls, APasswordMayBeInAFile) {
  start("server", {"--tls-auth-clients", "no", "--user", "ann", "on", ">s3cret", "~*", "+@all"});
  folder_.write("password", "s3cret\n");
  const std::string address = "@127.0.0.1:" + std::to_string(server_->port()) + "?" + ca();
  Result<Client> named = connect("rediss://ann:" + address + "&" + file("password-file", "password"));
  ASSERT_TRUE(named) << named.error().to_string();
  EXPECT_EQ(named->run(Command("ACL").word("WHOAMI"))->text, "ann");
  EXPECT_TRUE(connect("rediss://ann:s3cret" + address));
  folder_.write("password", "other");
  EXPECT_TRUE(has(refusal("rediss://ann:" + address + "&" + file("password-file", "password")), "WRONGPASS"));
  folder_.write("password", "\n");
  EXPECT_TRUE(has(refusal("rediss://ann:" + address + "&" + file("password-file", "password")),
                  "expected a password of 1 to 4096 bytes in the first line"));
  EXPECT_TRUE(
      has(refusal("rediss://ann:" + address + "&" + file("password-file", "absent"), ErrorCode::kNotFound),
          "absent"));
}

TEST_F(RedisTls, TheServersOfAClusterAreReachedByTlsToo) {
  const std::vector<std::string> options = {"--cluster-enabled", "yes", "--tls-cluster",      "yes",
                                            "--tls-replication", "yes", "--tls-auth-clients", "no"};
  const auto with_file = [&](const std::string& name) {
    std::vector<std::string> all = options;
    all.insert(all.end(), {"--cluster-config-file", name, "--tls-client-cert-file",
                           folder_.path("client.pem"), "--tls-client-key-file", folder_.path("client.key")});
    return all;
  };
  start("server", with_file("nodes-1"));
  const std::unique_ptr<TlsRedis> first = std::move(server_);
  start("server", with_file("nodes-2"));
  const auto own = [&](std::uint16_t port) {
    return "rediss://127.0.0.1:" + std::to_string(port) + "?" + ca();
  };
  Result<Client> one = connect(own(first->port()));
  Result<Client> two = connect(own(server_->port()));
  ASSERT_TRUE(one && two);
  const auto run = [](Result<Client>& to, const std::vector<std::string>& words) {
    Command command(words.front());
    for (std::size_t i = 1; i < words.size(); ++i) {
      command.word(words[i]);
    }
    const Result<Reply> reply = to->run(command);
    return reply ? reply->text : reply.error().to_string();
  };
  ASSERT_EQ(run(one, {"CLUSTER", "ADDSLOTSRANGE", "0", "8191"}), "OK");
  ASSERT_EQ(run(two, {"CLUSTER", "ADDSLOTSRANGE", "8192", "16383"}), "OK");
  ASSERT_EQ(run(one, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(server_->port())}), "OK");
  const auto end = Clock::now() + 30s;
  while (Clock::now() < end && (!has(run(one, {"CLUSTER", "INFO"}), "cluster_state:ok") ||
                                !has(run(two, {"CLUSTER", "INFO"}), "cluster_state:ok"))) {
    std::this_thread::sleep_for(20ms);
  }
  Result<Client> whole = connect(own(first->port()));
  ASSERT_TRUE(whole) << whole.error().to_string();
  EXPECT_TRUE(whole->is_cluster());
  for (int i = 0; i < 100; ++i) {
    const std::string key = "key" + std::to_string(i);
    const Result<Reply> set = whole->run(Command("SET").key(key).word("v"));
    ASSERT_TRUE(set) << set.error().to_string();
  }
  EXPECT_GE(whole->counts().connections, 2u);
}

// A guard's cache has the same URLs.
TEST_F(RedisTls, ACacheOfAGuardIsReachedByTls) {
  start("server", {"--tls-auth-clients", "no"});
  const auto cache = redis_cache(url(ca()), {.prefix = "guard:", .connect = 5000ms, .answer = 5000ms});
  ASSERT_TRUE(cache) << cache.error().to_string();
  const auto missing = (*cache)->get("k");
  EXPECT_TRUE(missing) << missing.error().to_string();
}

}  // namespace
}  // namespace bloomery::redis
