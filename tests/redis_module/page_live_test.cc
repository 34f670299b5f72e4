// docs/redis.md and docs/formats/redis-module.md say what happens: the transcript, the command that feeds a black list,
// and the bytes of the example.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "redis_module/file_value.h"
#include "redis_module/settings.h"
#include "redis_module/value_bytes.h"
#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

std::string page(const std::string& name) {
  std::ifstream file(std::string(BLOOMERY_SOURCE) + "/docs/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  EXPECT_NE(from, std::string::npos) << begin;
  const std::size_t start = from + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

class RedisPage : public LiveTest {
 protected:
  // Returns what a shell line prints.
  std::string shell(const std::string& line) {
    const std::string command =
        "cd '" + folder_.path("") + "' && PATH=\"$PWD:$PATH\" sh -c '" + line + "' >out 2>&1";
    static_cast<void>(std::system(command.c_str()));
    return folder_.read("out");
  }
  // Puts a redis-cli on the path that asks our server.
  void direct_client_to(const LiveServer& server) {
    folder_.write("redis-cli", "#!/bin/sh\nexec /usr/bin/redis-cli -s '" + server.socket() + "' \"$@\"\n");
    shell("chmod +x redis-cli");
  }
};

TEST_F(RedisPage, TheTranscriptIsWhatTheClientPrints) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  direct_client_to(server);
  std::istringstream lines(between(page("redis.md"), "<!-- transcript: begin -->\n```\n", "```"));
  std::string command;
  std::string expected;
  int commands = 0;
  const auto check = [&] {
    if (!command.empty()) {
      EXPECT_EQ(shell("redis-cli --no-raw " + command), expected) << command;
      ++commands;
    }
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("redis> ")) {
      check();
      command = line.substr(7);
      expected.clear();
    } else {
      expected += line + "\n";
    }
  }
  check();
  EXPECT_GT(commands, 15);
}

TEST_F(RedisPage, TheLastOfTheFiveCommandsFillsTheBlackList) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  direct_client_to(server);
  std::string list;
  for (int i = 0; i < 2500; ++i) {
    list += "item " + std::to_string(i) + "\n";
  }
  folder_.write("blacklist.txt", list);
  const std::string block = between(page("redis.md"), "```sh\n", "```");
  const std::string last = block.substr(block.rfind("\nsed ") + 1);
  folder_.write("feed", last);
  EXPECT_NEAR(std::stoi(shell("sh ./feed")), 2500, 25);
  EXPECT_EQ(server("BLOOM.MEXISTS", "blacklist", "item 0", "item 2499", "other"), "[:1 :1 :0]");
}

std::string shown(const std::string& front) {
  std::string shown;
  for (std::size_t i = 0; i < front.size(); ++i) {
    std::array<char, 4> digits;
    std::snprintf(digits.data(), digits.size(), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(front[i])));
    shown += digits.data();
    shown += i % 16 == 15 || i + 1 == front.size() ? '\n' : ' ';
  }
  return shown;
}

// The front of a new filter for 100 items, as the page shows fronts.
std::string shown_front(std::uint32_t expansion) {
  using namespace redis_module;
  const auto value = make_value({.layout = Layout::kBloomery,
                                 .plan = {.capacity = 100, .fpp = 0.01, .expansion = expansion, .hash = {}}},
                                1U << 20);
  EXPECT_TRUE(value);
  return shown(front_bytes(**value));
}

TEST(RedisModuleFormat, TheExamplesAreFronts) {
  const std::string text = page("formats/redis-module.md");
  EXPECT_EQ(between(text, "<!-- example: begin -->\n```\n", "```"), shown_front(0));
  EXPECT_EQ(between(text, "<!-- example of version 3: begin -->\n```\n", "```"), shown_front(4));
}

TEST(RedisModuleFormat, TheExampleOfAFileIsItsFront) {
  using namespace redis_module;
  std::ifstream golden(std::string(BLOOMERY_SOURCE) + "/tests/golden/native/apple_apple_banana_v1.exact");
  const std::string file{std::istreambuf_iterator<char>(golden), {}};
  const auto bytes = std::as_bytes(std::span(file));
  auto value = FileValue::begin(bytes.first(192), crc32c(bytes), std::nullopt, 1U << 20);
  ASSERT_TRUE(value);
  ASSERT_TRUE((*value)->take(0, crc32c(bytes), bytes));
  ASSERT_TRUE((*value)->finish());
  EXPECT_EQ(between(page("formats/redis-module.md"), "<!-- example of a file: begin -->\n```\n", "```"),
            shown((*value)->front()));
}

}  // namespace
}  // namespace bloomery
