// The metrics by HTTP: the two paths, and clients that ask for something else, too much, or nothing.
#include "feed/metrics_server.h"

#include <array>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "filter/leased/lease_page.h"
#include "tests/connect/tls_redis.h"

namespace bloomery::feed {
namespace {

class MetricsByHttp : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = MetricsServer::listen(std::to_string(port_));
    ASSERT_TRUE(opened) << opened.error().to_string();
    server_ = std::move(*opened);
    server_->publish("a 1\n", "active", boot_clock_ns() + 60'000'000'000);
  }
  int connected() const {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port_);
    EXPECT_EQ(::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return descriptor;
  }
  // Sends bytes, and returns all that the server says until it hangs up.
  std::string reply_to(const std::string& request) const {
    const int descriptor = connected();
    (void)::send(descriptor, request.data(), request.size(), MSG_NOSIGNAL);
    std::string reply;
    std::array<char, 4096> bytes;
    for (ssize_t got = 0; (got = ::recv(descriptor, bytes.data(), bytes.size(), 0)) > 0;) {
      reply.append(bytes.data(), static_cast<std::size_t>(got));
    }
    ::close(descriptor);
    return reply;
  }
  std::string get(const std::string& path) const {
    return reply_to("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
  }

  std::uint16_t port_ = free_port();
  std::unique_ptr<MetricsServer> server_;
};

TEST_F(MetricsByHttp, TwoPathsHaveAnAnswer) {
  EXPECT_TRUE(get("/metrics").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(get("/metrics?x=1").ends_with("\r\nContent-Length: 4\r\nConnection: close\r\n\r\na 1\n"));
  EXPECT_TRUE(get("/healthz").starts_with("HTTP/1.1 200 OK\r\n"));
  server_->publish("a 2\n", "waiting: why", 0);
  EXPECT_TRUE(get("/healthz").starts_with("HTTP/1.1 503 "));
  EXPECT_TRUE(get("/healthz").ends_with("\r\n\r\nwaiting: why\n"));
  EXPECT_TRUE(get("/metrics").ends_with("a 2\n"));
}

TEST_F(MetricsByHttp, EverythingElseIsRefused) {
  EXPECT_TRUE(get("/").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(get("/metrics/..").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(reply_to("POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
  EXPECT_TRUE(reply_to("GET \r\n\r\n").starts_with("HTTP/1.1 404 "));
  EXPECT_EQ(reply_to("GET /" + std::string(10'000, 'x')), "");
  EXPECT_TRUE(get("/metrics").starts_with("HTTP/1.1 200 OK\r\n")) << "and the next client is served";
}

TEST_F(MetricsByHttp, AClientThatStallsDelaysTheNextForTwoSeconds) {
  const int stalled = connected();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(get("/metrics").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  ::close(stalled);
}

TEST(MetricsAddress, OnlyAddressesAndPortsAreListenedAt) {
  for (const char* const text : {"", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "localhost:80", ":80",
                                 "::1:80", "[::1]", "[127.0.0.1]:80", "127.0.0.1:65536", "127.0.0.1:1x"}) {
    EXPECT_FALSE(MetricsServer::listen(text)) << text;
  }
  EXPECT_TRUE(MetricsServer::listen("127.0.0.1:0"));
  const std::uint16_t port = free_port();
  const auto first = MetricsServer::listen(std::to_string(port));
  ASSERT_TRUE(first);
  const auto second = MetricsServer::listen(std::to_string(port));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kIo);
}

}  // namespace
}  // namespace bloomery::feed
