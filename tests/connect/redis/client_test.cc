// The client beside servers that are wrong in every way: they hang up, are slow, send nonsense, and send it in circles.
#include "connect/redis/client.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "connect/redis/key_slot.h"
#include "tests/base/test_folder.h"
#include "tests/connect/redis/fake_server.h"

namespace bloomery::redis {
namespace {

using std::chrono::milliseconds;

// Long enough for a busy machine, so that only what must run out does.
constexpr Limits kPatient = {
    .connect = milliseconds(20000), .answer = milliseconds(20000), .total = milliseconds(60000)};

Command get(const std::string& key) {
  return Command("GET").key(key).repeatable();
}

Result<Reply> ask(FakeServer& server, const Request& request, const Limits& limits = kPatient) {
  BLOOMERY_ASSIGN_OR_RETURN(Client client, Client::connect(server.url(), limits));
  return client.run(request);
}

// A server without a cluster that answers GET with the key, and all else with OK.
Say echo(const Words& words) {
  if (words[0] == "CLUSTER") {
    return kNoCluster;
  }
  return words[0] == "GET" ? Say{.bytes = bulk(words[1])} : line("+OK");
}

bool has(const Error& error, const std::string& words) {
  return error.to_string().find(words) != std::string::npos;
}

TEST(RedisClient, RepliesComeInTheOrderOfTheRequests) {
  FakeServer server(echo);
  Result<Client> client = Client::connect(server.url(), kPatient);
  ASSERT_TRUE(client) << client.error().to_string();
  EXPECT_FALSE(client->is_cluster());
  std::vector<Request> requests;
  for (int i = 0; i < 5000; ++i) {
    requests.emplace_back(get(std::to_string(i) + std::string(100, 'x')));
  }
  const std::vector<Result<Reply>> replies = client->run(requests);
  ASSERT_EQ(replies.size(), requests.size());
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(replies[static_cast<std::size_t>(i)]);
    EXPECT_EQ(replies[static_cast<std::size_t>(i)]->text, std::to_string(i) + std::string(100, 'x'));
  }
  EXPECT_TRUE(client->run(get("again")));
  EXPECT_EQ(client->counts().connections, 1u);
  EXPECT_TRUE(client->run(std::span<const Request>()).empty());
}

TEST(RedisClient, AKeyMayHaveAnyBytes) {
  FakeServer server(echo);
  for (const std::string& key :
       {std::string(), std::string("a\0\r\n$3\r\n", 9), std::string(1 << 20, '\xff')}) {
    const Result<Reply> reply = ask(server, get(key));
    ASSERT_TRUE(reply) << reply.error().to_string();
    EXPECT_EQ(reply->text, key);
  }
}

TEST(RedisClient, LogsInAndChoosesTheDatabaseFirst) {
  FakeServer server(echo);
  Url url = server.url();
  url.login = {.user = "ann", .password = "pw", .database = 7};
  ASSERT_TRUE(Client::connect(url, kPatient));
  EXPECT_EQ(server.heard(), (std::vector<std::string>{"AUTH ann pw", "SELECT 7", "CLUSTER SLOTS"}));
}

TEST(RedisClient, ARefusedLoginIsAnErrorWithoutThePassword) {
  FakeServer server([](const Words& words) {
    return words[0] == "AUTH" ? line("-WRONGPASS invalid username-password pair or user is disabled.")
                              : line("+OK");
  });
  Url url = server.url();
  url.login.password = "hush";
  const Result<Client> client = Client::connect(url, kPatient);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(has(client.error(), "WRONGPASS")) << client.error().to_string();
  EXPECT_FALSE(has(client.error(), "hush"));
  FakeServer closed([](const Words&) { return line("-NOAUTH Authentication required."); });
  EXPECT_FALSE(Client::connect(closed.url(), kPatient));
  FakeServer small([](const Words&) { return line("-ERR DB index is out of range"); });
  Url far = small.url();
  far.login.database = 99;
  const Result<Client> none = Client::connect(far, kPatient);
  ASSERT_FALSE(none);
  EXPECT_TRUE(has(none.error(), "expected that the database is accepted")) << none.error().to_string();
}

TEST(RedisClient, NobodyWhoListensIsAnErrorAtOnce) {
  Url url;
  {
    FakeServer server(echo);
    url = server.url();
  }
  const Result<Client> client = Client::connect(url, kPatient);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code(), ErrorCode::kIo);
  EXPECT_TRUE(has(client.error(), "expected a server that listens")) << client.error().to_string();
  const TestFolder folder;
  url.endpoint.socket_path = folder.path("no.sock");
  const Result<Client> socket = Client::connect(url, kPatient);
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code(), ErrorCode::kNotFound);
}

TEST(RedisClient, AServerThatIsNoneOfRedisIsDamage) {
  FakeServer server(
      [](const Words&) { return Say{.bytes = "HTTP/1.1 400 Bad Request\r\n\r\n", .hangs_up = true}; });
  const Result<Client> client = Client::connect(server.url(), kPatient);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(client.error().subject(), "redis " + server.address() + ": reply");
}

TEST(RedisClient, AnErrorReplyIsAnErrorWithTheServersName) {
  FakeServer server([](const Words& words) {
    return words[0] == "CLUSTER" ? kNoCluster
                                 : line("-WRONGTYPE Operation against a key holding the wrong kind of value");
  });
  const Result<Reply> reply = ask(server, get("k"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(reply.error().subject(), "redis " + server.address());
  EXPECT_TRUE(has(reply.error(), "WRONGTYPE"));
}

TEST(RedisClient, ARepeatableRequestSurvivesACutConnection) {
  for (const std::string& before : {std::string(), std::string("$5\r\nhal")}) {
    int asked = 0;
    FakeServer server([&](const Words& words) {
      if (words[0] == "GET" && ++asked == 1) {
        return Say{.bytes = before, .hangs_up = true};
      }
      return echo(words);
    });
    const Result<Reply> reply = ask(server, get("whole"));
    ASSERT_TRUE(reply) << reply.error().to_string();
    EXPECT_EQ(reply->text, "whole");
    EXPECT_EQ(server.heard("GET whole"), 2u);
  }
}

TEST(RedisClient, ARequestThatIsNotRepeatableIsSentOnce) {
  FakeServer server([](const Words& words) {
    return words[0] == "INCR" ? Say{.bytes = ":", .hangs_up = true} : echo(words);
  });
  const Result<Reply> reply = ask(server, Command("INCR").key("n"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), ErrorCode::kIo);
  EXPECT_EQ(reply.error().errno_value(), 0);
  EXPECT_TRUE(has(reply.error(), "nobody knows whether")) << reply.error().to_string();
  EXPECT_EQ(server.heard("INCR n"), 1u);
}

// If a pipeline breaks in its middle, the answers before the break count.
TEST(RedisClient, RepliesBeforeACutCount) {
  FakeServer server([](const Words& words) {
    return words.size() > 1 && words[1] == "c" ? Say{.bytes = "", .hangs_up = true} : echo(words);
  });
  Result<Client> client = Client::connect(server.url(), kPatient);
  ASSERT_TRUE(client);
  const std::vector<Request> requests = {Command("SET").key("a"), Command("SET").key("b"),
                                         Command("SET").key("c"), Command("SET").key("d")};
  const std::vector<Result<Reply>> replies = client->run(requests);
  EXPECT_TRUE(replies[0]);
  EXPECT_TRUE(replies[1]);
  EXPECT_FALSE(replies[2]);
  EXPECT_FALSE(replies[3]);
  EXPECT_EQ(server.heard("SET d"), 0u);
}

// The server ended an idle connection. Even a request that is not repeatable gets through, because nothing was sent yet.
TEST(RedisClient, AnIdleConnectionThatWasEndedIsReplaced) {
  FakeServer server(echo);
  Result<Client> client = Client::connect(server.url(), kPatient);
  ASSERT_TRUE(client);
  server.hang_up();
  std::this_thread::sleep_for(milliseconds(50));
  const Result<Reply> reply = client->run(Command("INCR").key("n"));
  ASSERT_TRUE(reply) << reply.error().to_string();
  EXPECT_EQ(client->counts().connections, 2u);
}

TEST(RedisClient, SilenceEndsAtTheLimit) {
  FakeServer server([](const Words& words) { return words[0] == "CLUSTER" ? kNoCluster : Say{}; });
  const Limits limits = {
      .connect = milliseconds(20000), .answer = milliseconds(50), .total = milliseconds(200)};
  const Result<Reply> once = ask(server, Command("INCR").key("n"), limits);
  ASSERT_FALSE(once);
  EXPECT_TRUE(has(once.error(), "within the time limit")) << once.error().to_string();
  const Result<Reply> again = ask(server, get("k"), limits);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::kIo);
  EXPECT_TRUE(has(again.error(), "gave up after 200 ms")) << again.error().to_string();
  EXPECT_GE(server.heard("GET k"), 2u);
}

// Each byte comes in time, but not all of them.
TEST(RedisClient, ASlowReplyEndsAtTheLimitToo) {
  FakeServer server([](const Words& words) {
    return words[0] == "CLUSTER"
               ? kNoCluster
               : Say{.bytes = bulk(std::string(100, 'x')), .between_bytes = milliseconds(10)};
  });
  const Limits limits = {
      .connect = milliseconds(20000), .answer = milliseconds(100), .total = milliseconds(100)};
  const Result<Reply> reply = ask(server, get("k"), limits);
  ASSERT_FALSE(reply);
  EXPECT_TRUE(has(reply.error(), "within the time limit")) << reply.error().to_string();
  EXPECT_TRUE(ask(server, get("k")));
}

// A reply that comes after its time must not be taken for that of the next request.
TEST(RedisClient, ALateReplyIsNobodys) {
  FakeServer server([](const Words& words) {
    return words[0] == "LATE" ? Say{.bytes = bulk("too late"), .before = milliseconds(150)} : echo(words);
  });
  const Limits limits = {
      .connect = milliseconds(20000), .answer = milliseconds(100), .total = milliseconds(60000)};
  Result<Client> client = Client::connect(server.url(), limits);
  ASSERT_TRUE(client);
  EXPECT_FALSE(client->run(Command("LATE").key("k")));
  const Result<Reply> reply = client->run(get("next"));
  ASSERT_TRUE(reply) << reply.error().to_string();
  EXPECT_EQ(reply->text, "next");
}

TEST(RedisClient, WaitsForAServerThatLoads) {
  int asked = 0;
  FakeServer server([&](const Words& words) {
    return words[0] == "GET" && ++asked < 3 ? line("-LOADING Redis is loading the dataset in memory")
                                            : echo(words);
  });
  const Result<Reply> reply = ask(server, get("k"));
  ASSERT_TRUE(reply) << reply.error().to_string();
  EXPECT_EQ(asked, 3);
}

// ---- Several commands as one ----

TEST(RedisClient, CommandsThatGoTogetherHaveOneReply) {
  FakeServer server([](const Words& words) {
    return words[0] == "CLUSTER" ? kNoCluster
           : words[0] == "MULTI" ? line("+OK")
           : words[0] == "EXEC"  ? line("*2\r\n+OK\r\n-ERR of the second")
                                 : line("+QUEUED");
  });
  const Result<Reply> reply =
      ask(server, Request({Command("SET").key("a").word("1"), Command("INCR").key("a")}));
  ASSERT_TRUE(reply) << reply.error().to_string();
  ASSERT_EQ(reply->elements.size(), 2u);
  EXPECT_EQ(reply->elements[0].text, "OK");
  EXPECT_TRUE(reply->elements[1].is_error("ERR"));
  EXPECT_EQ(server.heard(),
            (std::vector<std::string>{"CLUSTER SLOTS", "MULTI", "SET a 1", "INCR a", "EXEC"}));
}

TEST(RedisClient, OneRefusedCommandIsTheErrorOfAll) {
  FakeServer server([](const Words& words) {
    return words[0] == "CLUSTER" ? kNoCluster
           : words[0] == "MULTI" ? line("+OK")
           : words[0] == "EXEC"  ? line("-EXECABORT Transaction discarded because of previous errors.")
           : words[0] == "NONE"  ? line("-ERR unknown command 'NONE', with args beginning with: ")
                                 : line("+QUEUED");
  });
  const Result<Reply> reply = ask(server, Request({get("a"), Command("NONE").key("a"), get("a")}));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), ErrorCode::kUnsupported);
  EXPECT_TRUE(has(reply.error(), "unknown command 'NONE'"));
}

TEST(RedisClient, AnotherReplyOfExecIsDamage) {
  for (const char* const exec : {"*1\r\n+OK", "+OK", "$-1"}) {
    FakeServer server([&](const Words& words) {
      return words[0] == "CLUSTER" ? kNoCluster : words[0] == "EXEC" ? line(exec) : line("+QUEUED");
    });
    const Result<Reply> reply = ask(server, Request({get("a"), get("a")}));
    ASSERT_FALSE(reply) << exec;
    EXPECT_EQ(reply.error().code(), ErrorCode::kCorruption) << exec;
  }
}

// ---- Clusters ----

// Two servers that share the slots. `answer` says what each does with anything but CLUSTER SLOTS.
class Pair {
 public:
  using Answer = std::function<Say(int server, const Words&)>;

  explicit Pair(Answer answer)
      : answer_(std::move(answer)),
        low([this](const Words& words) { return say(0, words); }),
        high([this](const Words& words) { return say(1, words); }) {
    low_port = low.port();
    high_port = high.port();
  }

 private:
  Say say(int server, const Words& words) {
    if (words[0] == "CLUSTER") {
      return slots_reply({{0, 8191, low_port}, {8192, 16383, high_port}});
    }
    return answer_(server, words);
  }

  Answer answer_;
  std::atomic<std::uint16_t> low_port{0};
  std::atomic<std::uint16_t> high_port{0};

 public:
  FakeServer low;
  FakeServer high;
};

TEST(RedisCluster, EachKeyGoesToItsServer) {
  Pair pair([](int server, const Words& words) {
    return Say{.bytes = bulk(words[1] + (server == 0 ? " low" : " high"))};
  });
  Result<Client> client = Client::connect(pair.low.url(), kPatient);
  ASSERT_TRUE(client) << client.error().to_string();
  EXPECT_TRUE(client->is_cluster());
  std::vector<Request> requests;
  for (int i = 0; i < 1000; ++i) {
    requests.emplace_back(get(std::to_string(i)));
  }
  const std::vector<Result<Reply>> replies = client->run(requests);
  for (int i = 0; i < 1000; ++i) {
    const std::string key = std::to_string(i);
    ASSERT_TRUE(replies[static_cast<std::size_t>(i)]);
    EXPECT_EQ(replies[static_cast<std::size_t>(i)]->text, key + (key_slot(key) < 8192 ? " low" : " high"));
  }
  EXPECT_EQ(client->counts().connections, 2u);
  EXPECT_EQ(client->counts().redirections, 0u);
}

TEST(RedisCluster, MovedIsFollowedAndRemembered) {
  std::string high_address;
  Pair pair([&](int server, const Words& words) {
    return server == 0 ? line("-MOVED " + std::to_string(key_slot(words[1])) + " " + high_address)
                       : echo(words);
  });
  high_address = pair.high.address();
  Result<Client> client = Client::connect(pair.low.url(), kPatient);
  ASSERT_TRUE(client);
  const std::string key = "bar";  // slot 5061
  for (int i = 0; i < 3; ++i) {
    const Result<Reply> reply =
        client->run(Command("GET").key(key));  // it was not carried out: it need not be repeatable
    ASSERT_TRUE(reply) << reply.error().to_string();
    EXPECT_EQ(reply->text, key);
  }
  EXPECT_EQ(pair.low.heard("GET bar"), 1u);
  EXPECT_EQ(client->counts().redirections, 1u);
}

TEST(RedisCluster, ACircleOfMovedEnds) {
  std::string addresses[2];
  Pair pair([&](int server, const Words&) { return line("-MOVED 5061 " + addresses[1 - server]); });
  addresses[0] = pair.low.address();
  addresses[1] = pair.high.address();
  Limits limits = kPatient;
  limits.redirections = 5;
  const Result<Reply> reply = ask(pair.low, get("bar"), limits);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), ErrorCode::kIo);
  EXPECT_TRUE(has(reply.error(), "after 5 redirections")) << reply.error().to_string();
  EXPECT_EQ(pair.low.heard("GET bar") + pair.high.heard("GET bar"), 6u);
}

TEST(RedisCluster, MovedToNonsenseIsDamage) {
  Pair pair([](int, const Words&) { return line("-MOVED to somewhere else"); });
  const Result<Reply> reply = ask(pair.low, get("bar"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), ErrorCode::kCorruption);
}

TEST(RedisCluster, AskIsFollowedOnceAndNotRemembered) {
  std::string high_address;
  bool asking = false;
  Pair pair([&](int server, const Words& words) {
    if (server == 0) {
      return line("-ASK 5061 " + high_address);
    }
    if (words[0] == "ASKING") {
      asking = true;
      return line("+OK");
    }
    return std::exchange(asking, false) ? echo(words) : line("-MOVED 5061 127.0.0.1:1");
  });
  high_address = pair.high.address();
  Result<Client> client = Client::connect(pair.low.url(), kPatient);
  ASSERT_TRUE(client);
  for (int i = 0; i < 2; ++i) {
    const Result<Reply> reply = client->run(get("bar"));
    ASSERT_TRUE(reply) << reply.error().to_string();
    EXPECT_EQ(reply->text, "bar");
  }
  EXPECT_EQ(pair.low.heard("GET bar"), 2u);
  EXPECT_EQ(pair.high.heard("ASKING"), 2u);
}

TEST(RedisCluster, AnAskHoldsForOneAttempt) {
  std::string high_address;
  bool has_come_back = false;
  Pair pair([&](int server, const Words& words) {
    if (words[0] == "ASKING") {
      return line("+OK");
    }
    if (server == 1) {
      has_come_back = true;
      return line("-TRYAGAIN Multiple keys request during rehashing of slot");
    }
    return has_come_back ? echo(words) : line("-ASK 5061 " + high_address);
  });
  high_address = pair.high.address();
  const Result<Reply> reply = ask(pair.low, get("bar"));
  ASSERT_TRUE(reply) << reply.error().to_string();
  EXPECT_EQ(pair.low.heard("GET bar"), 2u);
  EXPECT_EQ(pair.high.heard("GET bar"), 1u);
}

// A key may leave between MULTI and EXEC: then MULTI is accepted and one command is redirected.
TEST(RedisCluster, CommandsThatGoTogetherAreRedirectedTogether) {
  std::string high_address;
  Pair pair([&](int server, const Words& words) {
    if (words[0] == "MULTI" || words[0] == "ASKING") {
      return line("+OK");
    }
    if (words[0] == "EXEC") {
      return server == 0 ? line("-EXECABORT Transaction discarded because of previous errors.")
                         : line("*2\r\n:1\r\n:2");
    }
    return server == 0 && words[0] == "INCR" ? line("-ASK 5061 " + high_address) : line("+QUEUED");
  });
  high_address = pair.high.address();
  const Result<Reply> reply = ask(pair.low, Request({Command("GET").key("bar"), Command("INCR").key("bar")}));
  ASSERT_TRUE(reply) << reply.error().to_string();
  ASSERT_EQ(reply->elements.size(), 2u);
  EXPECT_EQ(reply->elements[1].integer, 2);
  EXPECT_EQ(pair.high.heard(), (std::vector<std::string>{"ASKING", "MULTI", "GET bar", "INCR bar", "EXEC"}));
}

TEST(RedisCluster, TryAgainIsTriedAgainUnlessTheRequestDoesNotWait) {
  int asked = 0;
  Pair pair([&](int, const Words& words) {
    return ++asked < 3 ? line("-TRYAGAIN Multiple keys request during rehashing of slot") : echo(words);
  });
  Request request(get("bar"));
  request.waits_for_moving_slots = false;
  const Result<Reply> told = ask(pair.low, request);
  ASSERT_FALSE(told);
  EXPECT_TRUE(has(told.error(), "TRYAGAIN"));
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(ask(pair.low, get("bar")));
  EXPECT_EQ(asked, 3);
}

// A primary dies. The other server, whoever was asked first, has the new map.
TEST(RedisCluster, AnotherServerTakesTheSlots) {
  std::atomic<bool> has_all = false;
  std::atomic<std::uint16_t> ports[2];
  const auto serve = [&](const Words& words) {
    if (words[0] == "CLUSTER") {
      return has_all ? slots_reply({{0, 16383, ports[1]}})
                     : slots_reply({{0, 8191, ports[0]}, {8192, 16383, ports[1]}});
    }
    return echo(words);
  };
  FakeServer low(serve);
  FakeServer high([&](const Words& words) {
    return words[0] == "GET" && key_slot(words[1]) < 8192 && !has_all ? line("-MOVED 5061 " + low.address())
                                                                      : serve(words);
  });
  ports[0] = low.port();
  ports[1] = high.port();
  Result<Client> client = Client::connect(low.url(), kPatient);
  ASSERT_TRUE(client);
  const std::vector<Request> both = {get("foo"), get("bar")};  // slots 12182 and 5061
  for (const Result<Reply>& reply : client->run(both)) {
    ASSERT_TRUE(reply);
  }
  low.stop();
  std::thread failover([&] {
    std::this_thread::sleep_for(milliseconds(100));
    has_all = true;
  });
  for (const Result<Reply>& reply : client->run(both)) {
    EXPECT_TRUE(reply) << reply.error().to_string();
  }
  failover.join();
  EXPECT_GE(client->counts().maps, 2u);
  EXPECT_GE(client->counts().repeats, 1u);
}

TEST(RedisCluster, ASlotThatNobodyHasIsAnErrorInTheEnd) {
  Pair pair([](int, const Words&) { return line("-CLUSTERDOWN Hash slot not served"); });
  const Limits limits = {
      .connect = milliseconds(20000), .answer = milliseconds(20000), .total = milliseconds(100)};
  const Result<Reply> reply = ask(pair.low, get("bar"), limits);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), ErrorCode::kIo);
  EXPECT_TRUE(has(reply.error(), "CLUSTERDOWN")) << reply.error().to_string();
}

TEST(RedisCluster, ANonsensicalMapIsDamage) {
  FakeServer server([](const Words&) { return line(":1"); });
  const Result<Client> client = Client::connect(server.url(), kPatient);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code(), ErrorCode::kCorruption);
}

}  // namespace
}  // namespace bloomery::redis
