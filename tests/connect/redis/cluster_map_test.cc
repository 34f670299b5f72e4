// Who has which slot, and where a cluster sends its clients.
#include "connect/redis/cluster_map.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connect/redis/redirect.h"
#include "connect/redis/reply_reader.h"
#include "tests/connect/redis/fake_server.h"

namespace bloomery::redis {
namespace {

Endpoint host_of(const std::string& host, std::uint16_t port) {
  Endpoint endpoint;
  endpoint.host = host;
  endpoint.port = port;
  return endpoint;
}
const Endpoint kFrom = host_of("seed", 6379);

Reply reply_of(const std::string& bytes) {
  ReplyReader reader;
  EXPECT_TRUE(reader.feed(bytes));
  const Result<std::optional<Reply>> reply = reader.next();
  EXPECT_TRUE(reply && *reply) << bytes;
  return reply && *reply ? **reply : Reply();
}

Reply error_reply(const std::string& text) {
  Reply reply;
  reply.kind = Reply::Kind::kError;
  reply.text = text;
  return reply;
}

TEST(RedisClusterMap, HasThePrimaryOfEachRange) {
  // The second range has a replica, a host that is nil, and metadata, as Redis 7 sends it.
  const Reply reply = reply_of(
      "*3\r\n*3\r\n:0\r\n:99\r\n*3\r\n$1\r\na\r\n:7000\r\n$2\r\nid\r\n"
      "*4\r\n:100\r\n:200\r\n*4\r\n$-1\r\n:7001\r\n$2\r\nid\r\n*0\r\n*3\r\n$1\r\nb\r\n:7002\r\n$2\r\nid\r\n"
      "*3\r\n:300\r\n:300\r\n*3\r\n$1\r\n?\r\n:7003\r\n$2\r\nid\r\n");
  const Result<ClusterMap> map = ClusterMap::parse(reply, kFrom);
  ASSERT_TRUE(map) << map.error().to_string();
  EXPECT_EQ(map->primary_of(0), host_of("a", 7000));
  EXPECT_EQ(map->primary_of(99), host_of("a", 7000));
  EXPECT_EQ(map->primary_of(100), host_of("seed", 7001));
  EXPECT_EQ(map->primary_of(200), host_of("seed", 7001));
  EXPECT_EQ(map->primary_of(201), std::nullopt);
  EXPECT_EQ(map->primary_of(300), std::nullopt) << "its server does not know its own name";
  EXPECT_EQ(map->primary_of(16383), std::nullopt);
  EXPECT_EQ(map->servers().size(), 3u);
  EXPECT_EQ(map->slots_of_primaries(), (std::vector<std::uint16_t>{99, 200})) << "none of the replica b";
}

TEST(RedisClusterMap, ASlotMoves) {
  ClusterMap map;
  EXPECT_EQ(map.primary_of(5), std::nullopt);
  map.move(5, host_of("a", 1));
  map.move(6, host_of("b", 1));
  map.move(5, host_of("b", 1));
  EXPECT_EQ(map.primary_of(5), host_of("b", 1));
  EXPECT_EQ(map.servers().size(), 2u);
}

TEST(RedisClusterMap, AnotherShapeIsDamage) {
  for (const char* const bytes :
       {"+OK\r\n", "*1\r\n:1\r\n", "*1\r\n*2\r\n:0\r\n:1\r\n", "*1\r\n*3\r\n:0\r\n:1\r\n:2\r\n",
        "*1\r\n*3\r\n:-1\r\n:1\r\n*0\r\n", "*1\r\n*3\r\n:0\r\n:16384\r\n*0\r\n",
        "*1\r\n*3\r\n:9\r\n:8\r\n*0\r\n", "*1\r\n*3\r\n+0\r\n:8\r\n*0\r\n"}) {
    const Result<ClusterMap> map = ClusterMap::parse(reply_of(bytes), kFrom);
    ASSERT_FALSE(map) << bytes;
    EXPECT_EQ(map.error().code(), ErrorCode::kCorruption) << bytes;
    EXPECT_EQ(map.error().subject(), "redis seed:6379");
  }
  EXPECT_TRUE(ClusterMap::parse(reply_of("*0\r\n"), kFrom)) << "a cluster that has no slots yet";
  EXPECT_TRUE(ClusterMap::parse(reply_of("*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\na\r\n:70000\r\n"), kFrom));
}

TEST(RedisRedirect, HasASlotAndAServer) {
  const Reply moved = error_reply("MOVED 3999 127.0.0.1:6381");
  ASSERT_TRUE(is_redirect(moved));
  const Result<Redirect> redirect = parse_redirect(moved, kFrom);
  ASSERT_TRUE(redirect);
  EXPECT_EQ(redirect->kind, Redirect::Kind::kMoved);
  EXPECT_EQ(redirect->slot, 3999);
  EXPECT_EQ(redirect->to, host_of("127.0.0.1", 6381));
  const Result<Redirect> ask = parse_redirect(error_reply("ASK 0 ::1:7000"), kFrom);
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->kind, Redirect::Kind::kAsk);
  EXPECT_EQ(ask->to, host_of("::1", 7000));
  const Result<Redirect> same = parse_redirect(error_reply("MOVED 1 :7000"), kFrom);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->to, host_of("seed", 7000));
  EXPECT_FALSE(is_redirect(error_reply("MOVEDX 1 a:1")));
  EXPECT_FALSE(is_redirect(error_reply("ERR MOVED 1 a:1")));
}

TEST(RedisRedirect, AnotherShapeIsDamage) {
  for (const char* const text : {"MOVED", "MOVED ", "MOVED 1", "MOVED 1 ", "MOVED 1 host", "MOVED 1 host:",
                                 "MOVED 1 host:0", "MOVED x host:1", "MOVED 16384 host:1", "MOVED -1 host:1",
                                 "MOVED 1 host:65536", "ASK 1:2", "ASK  host:1", "MOVED 1 host:1x"}) {
    const Result<Redirect> redirect = parse_redirect(error_reply(text), kFrom);
    ASSERT_FALSE(redirect) << text;
    EXPECT_EQ(redirect.error().code(), ErrorCode::kCorruption) << text;
  }
}

}  // namespace
}  // namespace bloomery::redis
