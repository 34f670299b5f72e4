// query --redis: a filter on a server answers as one in a file does, and whatever is wrong with it is never a no.
#include <string>

#include <gtest/gtest.h>

#include "tests/cli/run_command.h"
#include "tests/connect/redis/fake_server.h"
#include "tests/connect/redis/one_key.h"

namespace bloomery {
namespace {

using redis::FakeServer;
using redis::OneKey;
using redis::Say;
using redis::Words;

// The server, and a command line to it. Its filter has the lines that begin with 'y'.
class RedisQuery : public testing::Test {
 protected:
  Ran query(const std::string& words, const std::string& before = "") {
    return shell.run("printf 'yes\\nno\\nyet\\n' > lines; " + before + " bloomery query --redis redis://" +
                     server.address() + " " + words);
  }

  OneKey key;
  FakeServer server{[this](const Words& words) { return key(words); }};
  Shell shell;
};

TEST_F(RedisQuery, PrintsTheLinesThatMayBeIn) {
  const Ran maybe = query("black lines");
  EXPECT_EQ(maybe.status, 0) << maybe.err;
  EXPECT_EQ(maybe.out, "yes\nyet\n");
  EXPECT_EQ(query("-v black lines").out, "no\n");
  EXPECT_EQ(query("-c black lines").out, "2\n");
  EXPECT_EQ(query("black -e no -e yes --answers").out, "0\n1\n");
  EXPECT_EQ(query("black -e no").status, 1);
  EXPECT_EQ(query("--key-form hex black -e 796573").status, 0) << "the bytes of 'yes'";
  EXPECT_EQ(query("--allow lines black -e yes -e yacht").out, "yacht\n");
  EXPECT_EQ(query("-f other black lines").out, "yes\nyet\n");
}

TEST_F(RedisQuery, SaysWhoWasAsked) {
  const Ran ran = query("--summary black lines");
  EXPECT_EQ(ran.err, "bloomery query: 3 keys, 2 may be in, 1 are not; asked BF.MEXISTS of redis " +
                         server.address() + " (RedisBloom, a Bloom filter)\n");
  EXPECT_EQ(query("black lines").err, "");
}

TEST_F(RedisQuery, AsksManyLinesInBatches) {
  const Ran ran = query("-c black", "seq -f y%.0f 25000 |");
  EXPECT_EQ(ran.out, "25000\n") << ran.err;
  EXPECT_EQ(server.heard("MULTI"), server.heard("EXEC"));
  EXPECT_LE(server.heard("EXEC"), 100u);
}

TEST_F(RedisQuery, AFileMayHaveTheNameOfTheKey) {
  EXPECT_EQ(query("lines lines --absent-to black").status, 0);
  EXPECT_EQ(query("black lines --absent-to black --force").out, "yes\nyet\n");
}

TEST_F(RedisQuery, AMissingKeyIsAnErrorAndNeverANo) {
  key.type = "none";
  const Ran ran = query("-v black lines");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "bloomery query: redis " + server.address() +
                         ": key black: expected a filter, found no such key (not found)\n");
}

TEST_F(RedisQuery, AKeyOfAnotherTypeIsAnErrorAndNeverANo) {
  key.type = "string";
  const Ran ran = query("-v black lines");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(says(ran.err, "expected a filter, found the type string")) << ran.err;
}

TEST_F(RedisQuery, AKeyThatGoesMeanwhileIsAnError) {
  key.goes_after_first_batch = true;
  const Ran ran = query("-v black", "seq -f n%.0f 100000 |");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.err, "expected the type MBbloom-- as before, found no such key")) << ran.err;
  EXPECT_LT(ran.out.size(), 100000u) << "lines are printed that no filter denied";
}

TEST_F(RedisQuery, AServerWithoutTheModuleIsUnsupported) {
  key.answer = "-ERR unknown command 'BF.MEXISTS', with args beginning with: 'black' \r\n";
  EXPECT_EQ(query("-v black lines").status, 5);
}

TEST_F(RedisQuery, AServerThatIsNoneOfRedisIsDamage) {
  FakeServer http(
      [](const Words&) { return Say{.bytes = "HTTP/1.1 400 Bad Request\r\n\r\n", .hangs_up = true}; });
  const Ran ran = shell.run("bloomery query -v --redis redis://" + http.address() + " black -e no");
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.out, "");
}

TEST_F(RedisQuery, AServerThatIsDownIsAnError) {
  server.stop();
  const Ran ran = query("-v black lines");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(says(ran.err, "expected a server that listens")) << ran.err;
  const Ran socket = shell.run("bloomery query -v --redis unix://$PWD/no.sock black -e no");
  EXPECT_EQ(socket.status, 2);
  EXPECT_TRUE(says(socket.err, "no.sock")) << socket.err;
}

TEST_F(RedisQuery, ABadUrlIsRefused) {
  for (const std::string url : {"localhost", "redis://", "http://host", "redis://host:x", "rediss://"}) {
    const Ran ran = shell.run("bloomery query --redis " + url + " black -e no");
    EXPECT_EQ(ran.status, 2) << url;
    EXPECT_TRUE(says(ran.err, "URL of a Redis server: expected ")) << ran.err;
  }
}

TEST_F(RedisQuery, OptionsOfFilesAreRefused) {
  for (const std::string option :
       {"--which", "--no-verify", "--cold", "--dialect guava", "--key-file k", "--cassandra-key int",
        "--column-family c", "--prefix-extractor noop", "--file-memory map"}) {
    const Ran ran = query(option + " black -e no");
    EXPECT_EQ(ran.status, 2) << option;
    EXPECT_TRUE(says(ran.err, "--redis")) << option << ": " << ran.err;
  }
  EXPECT_TRUE(says(query("--cidr black -e 10.0.0.0/8").err, "--cidr"));
}

TEST_F(RedisQuery, ThePasswordMayBeInTheEnvironment) {
  EXPECT_EQ(query("black lines", "REDISCLI_AUTH=hush").status, 0);
  EXPECT_EQ(server.heard("AUTH hush"), 1u);
  EXPECT_EQ(shell
                .run("REDISCLI_AUTH=hush bloomery query --redis redis://ann:pw@" + server.address() +
                     " black -e yes")
                .status,
            0);
  EXPECT_EQ(server.heard("AUTH ann pw"), 1u);
}

}  // namespace
}  // namespace bloomery
