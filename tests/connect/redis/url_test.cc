// URLs of servers, good and bad.
#include "connect/redis/url.h"

#include <string>

#include <gtest/gtest.h>

#include "connect/redis/tls_session.h"

namespace bloomery::redis {
namespace {

TEST(RedisUrl, APortADatabaseAndALoginMayBeGiven) {
  const Result<Url> plain = parse_url("redis://example.org");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->endpoint.host, "example.org");
  EXPECT_EQ(plain->endpoint.port, 6379);
  EXPECT_EQ(plain->login.database, 0u);
  EXPECT_FALSE(plain->login.password);
  EXPECT_EQ(plain->endpoint.name(), "redis example.org:6379");

  const Result<Url> whole = parse_url("redis://ann:s%40cr%3At@10.0.0.1:7000/12");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->endpoint.host, "10.0.0.1");
  EXPECT_EQ(whole->endpoint.port, 7000);
  EXPECT_EQ(whole->login.user, "ann");
  EXPECT_EQ(whole->login.password, "s@cr:t");
  EXPECT_EQ(whole->login.database, 12u);

  const Result<Url> nameless = parse_url("redis://:only@host/");
  ASSERT_TRUE(nameless);
  EXPECT_EQ(nameless->login.user, "");
  EXPECT_EQ(nameless->login.password, "only");
}

TEST(RedisUrl, AnIpv6AddressStandsInBrackets) {
  const Result<Url> url = parse_url("redis://[2001:db8::1]:7000");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->endpoint.host, "2001:db8::1");
  EXPECT_EQ(url->endpoint.port, 7000);
  EXPECT_EQ(url->endpoint.name(), "redis [2001:db8::1]:7000");
  ASSERT_TRUE(parse_url("redis://[::1]"));
  EXPECT_EQ(parse_url("redis://[::1]")->endpoint.port, 6379);
}

TEST(RedisUrl, ASocketHasAPath) {
  for (const std::string scheme : {"unix", "redis+unix"}) {
    const Result<Url> url = parse_url(scheme + "://ann:pw@/run/a%20b/redis@1.sock?db=3");
    ASSERT_TRUE(url) << url.error().to_string();
    EXPECT_EQ(url->endpoint.socket_path, "/run/a b/redis@1.sock");
    EXPECT_EQ(url->login.user, "ann");
    EXPECT_EQ(url->login.password, "pw");
    EXPECT_EQ(url->login.database, 3u);
    EXPECT_EQ(url->endpoint.name(), "redis /run/a b/redis@1.sock");
  }
  const Result<Url> plain = parse_url("unix:///run/redis.sock");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->login.password);
}

TEST(RedisUrl, TlsHasParametersInTheQuery) {
  const Result<Url> url =
      parse_url("rediss://ann:@host:7000/2?cacert=/ca.pem&cert=c%26c&key=k&sni=n&cacertdir=d");
  if (!has_tls()) {
    ASSERT_FALSE(url);
    EXPECT_EQ(url.error().code(), ErrorCode::kUnsupported);
    EXPECT_NE(url.error().to_string().find("libssl-dev"), std::string::npos);
    return;
  }
  ASSERT_TRUE(url) << url.error().to_string();
  EXPECT_EQ(url->endpoint.host, "host");
  EXPECT_EQ(url->endpoint.port, 7000);
  EXPECT_EQ(url->login.user, "ann");
  EXPECT_EQ(url->login.database, 2u);
  ASSERT_TRUE(url->tls);
  EXPECT_EQ(url->tls->ca_file, "/ca.pem");
  EXPECT_EQ(url->tls->ca_folder, "d");
  EXPECT_EQ(url->tls->certificate, "c&c");
  EXPECT_EQ(url->tls->key, "k");
  EXPECT_EQ(url->tls->server_name, "n");
  EXPECT_TRUE(parse_url("rediss://host")->tls);
  EXPECT_FALSE(parse_url("redis://host")->tls);
  for (const char* const text : {"rediss://host?cert=c", "rediss://host?key=k",
                                 "rediss://host?cacert=", "rediss://host?cacert", "rediss://host?verify=no",
                                 "redis://host?cacert=c", "rediss://host?cacert=%00", "rediss://host?db=1"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(RedisUrl, ThePasswordMayBeInAFile) {
  for (const std::string start : {"redis://ann:@host", "unix://ann:@/p"}) {
    const Result<Url> url = parse_url(start + "?password-file=/run/a%20b");
    ASSERT_TRUE(url) << url.error().to_string();
    EXPECT_EQ(url->login.user, "ann");
    EXPECT_EQ(url->login.password_file, "/run/a b");
    EXPECT_FALSE(parse_url("redis://ann:hush@host?password-file=f"));
  }
}

TEST(RedisUrl, EveryOtherTextIsAnError) {
  for (const char* const text : {"",
                                 "host",
                                 "host:6379",
                                 "http://host",
                                 "redis:/host",
                                 "REDIS://host",
                                 "redis://",
                                 "redis://:6379",
                                 "redis:///0",
                                 "redis://host:",
                                 "redis://host:0",
                                 "redis://host:65536",
                                 "redis://host:-1",
                                 "redis://host:6379x",
                                 "redis://host/x",
                                 "redis://host/-1",
                                 "redis://host/4294967296",
                                 "redis://host/1/2",
                                 "redis://host?db=1",
                                 "redis://host#1",
                                 "redis://word@host",
                                 "redis://a:%4@host",
                                 "redis://a:%zz@host",
                                 "redis://::1",
                                 "redis://[::1",
                                 "redis://[::1]7000",
                                 "redis://[]",
                                 "unix://",
                                 "unix://relative/path",
                                 "unix:///p?x=1",
                                 "unix:///p?db=",
                                 "unix:///p%00",
                                 "unix://word@/p",
                                 "redis+unix:/p"}) {
    const Result<Url> url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code(), ErrorCode::kInvalidArgument) << text;
    EXPECT_NE(url.error().detail().find("expected "), std::string::npos) << url.error().to_string();
  }
}

TEST(RedisUrl, NoErrorShowsAPassword) {
  for (const char* const text :
       {"redis://ann:hush@host:x", "redis://ann:hush@", "redis://ann:hush%@host", "rediss://ann:hush@host?hm",
        "unix://ann:hush@relative", "http://ann:hush@host", "redis://ann:hush@host?hm",
        "redis://host?hm=hush", "redis://hush@host", "unix://ann:hush@/p?x"}) {
    const Result<Url> url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().to_string().find("hush"), std::string::npos) << url.error().to_string();
  }
}

}  // namespace
}  // namespace bloomery::redis
