// `bloomery copy --all` brings all filters of one live server to another, and goes on after it was killed.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/base/start_process.h"
#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

constexpr int kFilters = 50;

class CopyAll : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (!IsSkipped()) {
      from_ = std::make_unique<LiveServer>(folder_, "from");
      to_ = std::make_unique<LiveServer>(folder_, "to");
      ASSERT_TRUE(from_->is_up() && to_->is_up());
    }
  }
  std::string url(const LiveServer& server) const { return "unix://" + server.socket(); }
  std::vector<std::string> words(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {BLOOMERY_COMMAND, "copy", "--all", url(*from_), url(*to_)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // Returns the exit status. What the command says is then in said().
  int run(const std::vector<std::string>& all) {
    std::ofstream(folder_.path("said"), std::ios::trunc);
    const pid_t process = start_process(all, folder_.path("said"));
    int status = 0;
    ::waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  int copy(const std::vector<std::string>& more = {}) { return run(words(more)); }
  std::string said() const { return folder_.read("said"); }

  LiveServer& from() { return *from_; }
  LiveServer& to() { return *to_; }

  std::unique_ptr<LiveServer> from_;
  std::unique_ptr<LiveServer> to_;
};

std::string filter_name(int i) {
  return (i % 3 == 0 ? "{tag}" : "") + std::string("filter") + std::to_string(i);
}
bool is_cf(int i) {
  return i % 4 >= 2;
}

// Loads a cuckoo filter of RedisBloom: a golden dump.
void load_cuckoo(LiveServer& server, const std::string& key) {
  const auto golden = [](const std::string& part) {
    std::ifstream in(
        std::string(BLOOMERY_SOURCE) + "/tests/golden/redisbloom-cuckoo/c64_b2_i20_e2_text700." + part,
        std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  ASSERT_EQ(server("CF.LOADCHUNK", key, "1", golden("header")), "+OK");
  const std::vector<std::string> iterators = {"65", "193", "449", "961"};
  for (std::size_t i = 0; i < iterators.size(); ++i) {
    ASSERT_EQ(server("CF.LOADCHUNK", key, iterators[i], golden("chunk" + std::to_string(i))), "+OK");
  }
}

// The items of filter i are "i:0", "i:1" and so on. Every fourth filter grows in RedisBloom's layout of BF, every fourth in
// our own, every fourth is a quotient filter, and every fourth a cuckoo filter of RedisBloom.
void make_filter(LiveServer& server, int i, int items) {
  const std::string key = filter_name(i);
  if (i % 4 == 0) {
    ASSERT_EQ(server("BLOOM.CREATE", key, "CAPACITY", "300", "ERROR", "0.001", "LAYOUT", "redisbloom"),
              "+OK");
  } else if (i % 4 == 1) {
    ASSERT_EQ(server("BF.RESERVE", key, "0.001", "300"), "+OK");
  } else if (i % 4 == 2) {
    ASSERT_EQ(server("CF.RESERVE", key, "1000"), "+OK");
  } else {
    load_cuckoo(server, key);
  }
  for (int first = 0; first < items; first += 1000) {
    std::vector<std::string> command = {is_cf(i) ? "CF.INSERT" : "BF.MADD", key};
    if (is_cf(i)) {
      command.emplace_back("ITEMS");
    }
    for (int item = first; item < std::min(first + 1000, items); ++item) {
      command.push_back(std::to_string(i) + ":" + std::to_string(item));
    }
    ASSERT_EQ(server.run(command).find("-"), std::string::npos) << key;
  }
}

// Asks for items that are in, and as many that are not.
std::vector<std::string> question(int i, int first, int count) {
  std::vector<std::string> command = {is_cf(i) ? "CF.MEXISTS" : "BF.MEXISTS", filter_name(i)};
  for (int item = first; item < first + count; ++item) {
    command.push_back(std::to_string(i) + ":" + std::to_string(item));
    command.push_back("x" + std::to_string(i) + ":" + std::to_string(item));
  }
  return command;
}

void expect_equal_answers(LiveServer& from, LiveServer& to, int i, int items) {
  for (int first = 0; first < items; first += 1000) {
    const auto command = question(i, first, std::min(1000, items - first));
    const std::string answers = from.run(command);
    ASSERT_NE(answers.find(":1 "), std::string::npos) << answers.substr(0, 100);
    ASSERT_EQ(to.run(command), answers) << filter_name(i);
  }
  EXPECT_EQ(to("DEBUG", "DIGEST-VALUE", filter_name(i)), from("DEBUG", "DIGEST-VALUE", filter_name(i)));
}

TEST_F(CopyAll, FiltersOfAllKindsArriveWithTheirTimesToLive) {
  for (int i = 0; i < 8; ++i) {
    make_filter(from(), i, 3000);
  }
  from()("SET", "text", "1");
  from()("CF.RESERVE", "empty", "100");
  ASSERT_EQ(
      std::system(("seq 1000 | " BLOOMERY_COMMAND " build -t ribbon -p 0.01 -o " + folder_.path("f") +
                   " && " BLOOMERY_COMMAND " copy " + folder_.path("f") + " file --redis " + url(from()))
                      .c_str()),
      0);
  from()("PEXPIRE", filter_name(1), "5000000");
  from()("PEXPIRE", "file", "5000000");
  ASSERT_EQ(copy({"--summary"}), 0) << said();
  EXPECT_NE(said().find("10 filters"), std::string::npos) << said();
  EXPECT_EQ(to()("DBSIZE"), ":10") << "the filters, no text, and no temporary key";
  for (int i = 0; i < 8; ++i) {
    expect_equal_answers(from(), to(), i, 3000);
  }
  for (const std::string& key : {filter_name(1), std::string("file")}) {
    const int left = std::stoi(to()("PTTL", key).substr(1));
    EXPECT_GT(left, 4'000'000) << key;
    EXPECT_LE(left, 5'000'000) << key;
  }
  EXPECT_EQ(to()("PTTL", filter_name(2)), ":-1");
  EXPECT_EQ(to()("BLOOM.MEXISTS", "file", "1", "1000"), "[:1 :1]");
  ASSERT_EQ(copy({"--summary"}), 0) << said();
  EXPECT_NE(said().find("10 of them before"), std::string::npos) << said();
}

TEST_F(CopyAll, AKeyWithOtherContentsIsReplacedOnlyOnRequest) {
  make_filter(from(), 0, 1000);
  make_filter(from(), 2, 1000);
  make_filter(to(), 0, 999);
  to()("SET", filter_name(2), "text");
  EXPECT_EQ(copy(), 2);
  EXPECT_NE(said().find(filter_name(0) + ": it exists and differs"), std::string::npos) << said();
  EXPECT_NE(said().find(filter_name(2) + ": it exists and differs"), std::string::npos) << said();
  EXPECT_EQ(to()("GET", filter_name(2)), "$text");
  EXPECT_EQ(to()("BF.EXISTS", filter_name(0), "0:999"), ":0");
  EXPECT_EQ(to()("DBSIZE"), ":2");
  EXPECT_EQ(copy({"--replace"}), 0) << said();
  expect_equal_answers(from(), to(), 0, 1000);
  expect_equal_answers(from(), to(), 2, 1000);
}

// Another client adds items while filters of 40 chunks are read.
TEST_F(CopyAll, AKeyThatChangesMeanwhileIsSaid) {
  from()("BLOOM.CREATE", "b", "BYTES", "41943040", "ERROR", "0.001");
  from()("BLOOM.CREATE", "a", "CAPACITY", "1000");
  std::atomic<bool> stops = false;
  std::thread writer([&] {
    RespClient client(from().socket());
    for (int i = 0; !stops; ++i) {
      client.run({"BLOOM.ADD", "a", std::to_string(i)});
      client.run({"BLOOM.ADD", "b", std::to_string(i)});
    }
  });
  EXPECT_EQ(copy(), 2);
  stops = true;
  writer.join();
  EXPECT_NE(said().find("key b: it changed during each of 3 copies"), std::string::npos) << said();
  EXPECT_TRUE(said().find("key a has changed since it was copied") != std::string::npos ||
              said().find("key a: it changed during") != std::string::npos)
      << said();
  EXPECT_EQ(to()("EXISTS", "b"), ":0") << "a torn filter has no name";
  EXPECT_EQ(copy({"--replace"}), 0) << said();
  EXPECT_EQ(to()("DEBUG", "DIGEST-VALUE", "a", "b"), from()("DEBUG", "DIGEST-VALUE", "a", "b"));
}

TEST_F(CopyAll, WhatCannotBeCopiedIsSaidAndTheRestIsCopied) {
  make_filter(from(), 1, 100);
  from()("BLOOM.CREATE", "leased", "CAPACITY", "1000");
  from()("BLOOM.LEASE", "leased", "600000");
  from()("BLOOM.FEED", "fed", "", "record", "0", "item");
  EXPECT_EQ(copy(), 2);
  EXPECT_NE(said().find("key leased: it has a lease"), std::string::npos) << said();
  EXPECT_EQ(to()("DBSIZE"), ":1");
  expect_equal_answers(from(), to(), 1, 100);
  EXPECT_EQ(run({BLOOMERY_COMMAND, "copy", "--all", url(from()), url(from())}), 2);
  EXPECT_NE(said().find("the same twice"), std::string::npos) << said();
  EXPECT_EQ(run({BLOOMERY_COMMAND, "copy", "--all", url(from())}), 2);
  EXPECT_EQ(run({BLOOMERY_COMMAND, "copy", "--all", url(from()), "unix:///nowhere"}), 2);
  EXPECT_EQ(run({BLOOMERY_COMMAND, "copy", "--replace", "f", "k", "--redis", url(from())}), 2);
  EXPECT_EQ(run({BLOOMERY_COMMAND, "copy", "f", "k"}), 2);
  EXPECT_NE(said().find("expected --redis"), std::string::npos) << said();
  // Another database of the same server.
  EXPECT_EQ(run({BLOOMERY_COMMAND, "copy", "--all", url(to()), url(to()) + "?db=3"}), 0) << said();
  to()("SELECT", "3");
  EXPECT_EQ(to()("DBSIZE"), ":1");
}

TEST_F(CopyAll, AServerWithoutTheModuleGetsNothing) {
  make_filter(from(), 1, 100);
  to().stop();
  const std::string plain = folder_.path("plain");
  const pid_t process = start_process({"redis-server", "--port", "0", "--unixsocket", plain, "--save", "",
                                       "--logfile", folder_.path("plain.log")});
  std::unique_ptr<RespClient> client;
  for (int i = 0; i < 3000 && (client == nullptr || !client->is_connected()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    client = std::make_unique<RespClient>(plain);
  }
  EXPECT_EQ(run({BLOOMERY_COMMAND, "copy", "--all", url(from()), "unix://" + plain}), 2);
  EXPECT_NE(said().find("bloomery.so"), std::string::npos) << said();
  EXPECT_EQ(client->run({"DBSIZE"}), ":0");
  ::kill(process, SIGTERM);
  ::waitpid(process, nullptr, 0);
}

// Kills the copy when the destination has a chosen number of keys, again and again. At each moment a key that exists there
// is complete. BLOOMERY_COPY_ITEMS=1000000 is the full size.
TEST_F(CopyAll, ACopyThatIsKilledAgainAndAgainGoesOn) {
  const char* const given = std::getenv("BLOOMERY_COPY_ITEMS");
  const int items = (given == nullptr ? 100'000 : std::atoi(given)) / kFilters;
  const unsigned seed = 20261128;
  std::cout << "seed " << seed << ", " << items << " items in each of " << kFilters << " filters\n";
  for (int i = 0; i < kFilters; ++i) {
    make_filter(from(), i, items);
  }
  std::mt19937 random(seed);
  int kills = 0;
  for (int wanted = 1; wanted < kFilters; wanted += 1 + static_cast<int>(random() % 8)) {
    const pid_t process = start_process(words(), folder_.path("said"));
    int status = 0;
    bool has_ended = false;
    while (!has_ended && std::stoi(to()("DBSIZE").substr(1)) < wanted) {
      has_ended = ::waitpid(process, &status, WNOHANG) == process;
    }
    ASSERT_FALSE(has_ended) << "it ended before it had " << wanted << " keys: " << said();
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    ++kills;
    for (int i = 0; i < kFilters; ++i) {
      if (to()("EXISTS", filter_name(i)) == ":1") {
        ASSERT_EQ(to()("DEBUG", "DIGEST-VALUE", filter_name(i)),
                  from()("DEBUG", "DIGEST-VALUE", filter_name(i)))
            << "after " << kills << " kills";
      }
    }
  }
  ASSERT_EQ(copy({"--summary"}), 0) << said();
  std::cout << kills << " kills; " << said();
  for (int i = 0; i < kFilters; ++i) {
    expect_equal_answers(from(), to(), i, items);
  }
  EXPECT_EQ(to()("DBSIZE"), ":" + std::to_string(kFilters)) << "no temporary key is left";
}

}  // namespace
}  // namespace bloomery
