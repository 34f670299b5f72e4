// What comes from outside and does not fit has an answer: crafted values, keys of a later module, a full memory, words at random.
#include <array>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis_module/dump_copy.h"
#include "tests/redis_module/live_server.h"
#include "tests/redis_module/loaded_files.h"

namespace bloomery {
namespace {

constexpr std::size_t kFooterBytes = 10;  // of a dump: the version of RDB and the server's checksum

class BadInput : public LoadedFiles {
 protected:
  void add(const std::string& key, int items) {
    std::vector<std::string> words = {"BF.MADD", key};
    for (int i = 0; i < items; ++i) {
      words.push_back(item(i));
    }
    server().run(words);
  }

  // Makes a small key of each kind, and returns their names.
  std::vector<std::string> fill() {
    server()("BF.RESERVE", "bits", "0.01", "30");
    add("bits", 20);
    server()("BF.RESERVE", "late", "0.01", "10");
    add("late", 40);
    server()("BLOOM.CREATE", "keyed", "KEYED", "CAPACITY", "20");
    add("keyed", 10);
    server()("BLOOM.CREATE", "link", "LAYOUT", "redisbloom", "CAPACITY", "10");
    add("link", 40);
    server()("BLOOM.CREATE", "fed", "CAPACITY", "20");
    server()("BLOOM.FEED", "fed", "", "record", "4000000000000", "ann");
    server()("CF.RESERVE", "counts", "40", "EXPANSION", "0");
    server()("CF.INSERT", "counts", "ITEMS", "a", "b", "b", "c");
    server()("CF.DEL", "counts", "c");
    const DumpStep header = dump_step(server(), "BF", "late", "0");
    server()("BF.LOADCHUNK", "half", header.iterator, header.data);
    load(blocked_file(20), "file");
    load(ribbon_file(20), "static");
    return {"bits", "late", "keyed", "link", "fed", "counts", "half", "file", "static"};
  }
};

TEST_F(BadInput, ValuesThatTheServersChecksumDoesNotProtectAreRefusedByOurs) {
  const std::vector<std::string> keys = fill();
  ASSERT_EQ(server()("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1"), "+OK");
  // Of compressed bytes some can change that unpack to the same.
  ASSERT_EQ(server()("CONFIG", "SET", "rdbcompression", "no"), "+OK");
  for (const std::string& key : keys) {
    const std::string reply = server()("DUMP", key);
    const std::string dump = reply.substr(1);
    const std::size_t end = dump.size() - kFooterBytes;
    ASSERT_EQ(server()("RESTORE", "copy", "0", dump, "REPLACE"), "+OK") << key;
    for (std::size_t i = 1; i < end; ++i) {  // byte 0 is the type that the server reads
      for (const int flip : {0x01, 0x20, 0x80}) {
        std::string damaged = dump;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        const std::string refusal = server()("RESTORE", "damaged", "0", damaged);
        ASSERT_EQ(refusal.find("-ERR"), 0U)
            << key << ", byte " << i << " of " << end << ", flipped by " << flip << ": " << refusal;
      }
      const std::string cut = dump.substr(0, i) + dump.substr(end);
      if (cut.starts_with(dump.substr(0, end))) {
        continue;  // the footer begins with the very bytes that were cut, so nothing is missing
      }
      const std::string refusal = server()("RESTORE", "damaged", "0", cut);
      ASSERT_EQ(refusal.find("-ERR"), 0U) << key << ", cut at " << i << ": " << refusal;
    }
  }
  EXPECT_EQ(server()("EXISTS", "damaged"), ":0");
  EXPECT_EQ(server()("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "0"), "+OK");
}

// CF.INFO divided by the bucket size of a front, which nobody had looked at, and the server was gone.
TEST_F(BadInput, AFrontWhoseBucketSizeIs0IsRefusedByEveryLoad) {
  constexpr std::size_t kBucketSize = 24 + 56 + 8;
  server()("CF.RESERVE", "counts", "64");
  std::string front = dump_step(server(), "CF", "counts", "0").data;
  front.replace(kBucketSize, 2, std::string(2, '\0'));
  front.resize(front.size() - 4);
  const std::uint32_t crc = crc32c(std::as_bytes(std::span(front)));
  front.append(reinterpret_cast<const char*>(&crc), sizeof(crc));
  EXPECT_EQ(server()("CF.LOADCHUNK", "crafted", "1", front).find("-Invalid header"), 0U);
  EXPECT_EQ(server()("BLOOM.LOADCHUNK", "crafted", "1", front), "-ERR received bad data");
  EXPECT_EQ(server()("CF.INFO", "crafted"), "-ERR not found");
  EXPECT_EQ(server()("PING"), "+PONG");
}

// A later version may know filters that this one cannot read. A server without them would answer no of their items.
TEST_F(BadInput, AServerWhoseFileHasKeysOfALaterModuleDoesNotStart) {
  {
    LiveServer later(folder_, "l", {}, "", BLOOMERY_NEWER_MODULE);
    ASSERT_TRUE(later.is_up());
    ASSERT_EQ(later("NEWER.MAKE", "k"), "+OK");
    ASSERT_EQ(later("SAVE"), "+OK");
    const std::string dump = later("DUMP", "k").substr(1);
    EXPECT_EQ(server()("RESTORE", "k", "0", dump).find("-ERR"), 0U);
    EXPECT_EQ(server()("EXISTS", "k"), ":0");
    EXPECT_NE(folder_.read("s.log").find("expected encoding 1, found 2 of a newer module"),
              std::string::npos);
  }
  const LiveServer ours(folder_, "l");
  EXPECT_FALSE(ours.is_up());
  EXPECT_NE(folder_.read("l.log").find("found 2 of a newer module"), std::string::npos);
}

TEST_F(BadInput, AReplicaOfALaterModuleEndsAndDoesNotServeWithoutTheKeys) {
  const std::string port = std::to_string(30000 + ::getpid() % 10000);
  LiveServer later(folder_, "l", {"--port", port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0"},
                   "", BLOOMERY_NEWER_MODULE);
  ASSERT_TRUE(later.is_up());
  ASSERT_EQ(later("NEWER.MAKE", "k"), "+OK");
  ASSERT_EQ(server()("BF.ADD", "own", "a"), ":1");
  server()("REPLICAOF", "127.0.0.1", port);
  EXPECT_TRUE(server().wait_for_end());
  EXPECT_NE(folder_.read("s.log").find("found 2 of a newer module"), std::string::npos);
  EXPECT_EQ(later("PING"), "+PONG");
}

TEST_F(BadInput, WhatTakesMemoryIsRefusedAboveMaxmemoryAndAllElseIsAnswered) {
  fill();
  const DumpStep header = dump_step(server(), "BF", "bits", "0");
  const DumpStep counts = dump_step(server(), "CF", "counts", "0");
  const std::string file = blocked_file(20);
  const std::string before = server()("DEBUG", "DIGEST");
  ASSERT_EQ(server()("CONFIG", "SET", "maxmemory", "1"), "+OK");
  const std::vector<std::vector<std::string>> taking = {
      {"BF.RESERVE", "new", "0.01", "100"},
      {"BF.ADD", "bits", "new"},
      {"BF.MADD", "bits", "new", "newer"},
      {"BF.INSERT", "bits", "ITEMS", "new"},
      {"BF.LOADCHUNK", "new", header.iterator, header.data},
      {"CF.RESERVE", "new", "100"},
      {"CF.ADD", "counts", "new"},
      {"CF.ADDNX", "counts", "new"},
      {"CF.INSERT", "counts", "ITEMS", "new"},
      {"CF.INSERTNX", "counts", "ITEMS", "new"},
      {"CF.LOADCHUNK", "new", counts.iterator, counts.data},
      {"BLOOM.CREATE", "new"},
      {"BLOOM.ADD", "bits", "new"},
      {"BLOOM.MADD", "file", "new"},
      {"BLOOM.UNION", "new", "bits", "late"},
      {"BLOOM.FEED", "fed", "record", "next", "4000000000000", "eve"},
      {"BLOOM.LOAD", "new", "BEGIN", file.substr(0, kHeader), crc_of(file)},
      {"BLOOM.LOADCHUNK", "new", header.iterator, header.data},
      {"COPY", "bits", "new"},
      {"RESTORE", "new", "0", "x"},
  };
  for (const auto& words : taking) {
    EXPECT_EQ(server().run(words).find("-OOM"), 0U) << words[0];
  }
  EXPECT_EQ(server()("DEBUG", "DIGEST"), before) << "nothing was done in part";
  const std::vector<std::vector<std::string>> answered = {
      {"BF.EXISTS", "bits", item(1)},
      {"BF.MEXISTS", "late", item(1)},
      {"BF.INFO", "bits"},
      {"BF.CARD", "bits"},
      {"BF.SCANDUMP", "bits", "0"},
      {"CF.EXISTS", "counts", "a"},
      {"CF.MEXISTS", "counts", "a"},
      {"CF.COUNT", "counts", "a"},
      {"CF.INFO", "counts"},
      {"CF.SCANDUMP", "counts", "0"},
      {"CF.DEL", "counts", "a"},
      {"BLOOM.EXISTS", "file", item(1)},
      {"BLOOM.INFO", "static"},
      {"BLOOM.ESTIMATE", "bits"},
      {"BLOOM.CARD", "bits"},
      {"BLOOM.REMOVE", "counts", "b"},
      {"BLOOM.COUNT", "counts", "b"},
      {"BLOOM.LEASE", "bits", "100000"},
      {"BLOOM.DUMP", "file", "0"},
      {"BLOOM.SCANDUMP", "late", "0"},
      {"UNLINK", "late"},
  };
  for (const auto& words : answered) {
    EXPECT_NE(server().run(words).front(), '-') << words[0];
  }
}

// Every command of the module with words that are drawn from those that mean something and those that do not. The server must go
// on, keep its memory, and still know the items that were added before.
TEST_F(BadInput, WordsAtRandomNeitherEndTheServerNorTakeItsMemory) {
  const std::vector<std::string> keys = fill();
  server()("SET", "text", "1");
  const std::string list = server()("COMMAND", "LIST", "FILTERBY", "MODULE", "bloomery");
  std::vector<std::string> commands;
  for (std::size_t at = list.find('$'); at != std::string::npos; at = list.find('$', at + 1)) {
    commands.push_back(list.substr(at + 1, list.find_first_of(" ]", at) - at - 1));
  }
  ASSERT_GT(commands.size(), 35U) << list;
  const std::vector<std::string> other_words = {"text",
                                                "missing",
                                                "new1",
                                                "new2",
                                                "",
                                                "0",
                                                "1",
                                                "2",
                                                "-1",
                                                "100",
                                                "65536",
                                                "4294967296",
                                                "1000000000000000000",
                                                "9223372036854775807",
                                                "-9223372036854775808",
                                                "18446744073709551615",
                                                "0.01",
                                                "1",
                                                "0.999",
                                                "1e-300",
                                                "nan",
                                                "inf",
                                                "1e400",
                                                "ITEMS",
                                                "CAPACITY",
                                                "ERROR",
                                                "EXPANSION",
                                                "NONSCALING",
                                                "NOCREATE",
                                                "BYTES",
                                                "KEYED",
                                                "SEED",
                                                "SECRET",
                                                "LAYOUT",
                                                "redisbloom",
                                                "bloomery",
                                                "quotient",
                                                "BUCKETSIZE",
                                                "MAXITERATIONS",
                                                "AT",
                                                "BEGIN",
                                                "CHUNK",
                                                "FILTERS",
                                                "SIZE",
                                                std::string("\0\xff\n", 3),
                                                std::string(300, 'x'),
                                                "record"};
  std::vector<std::string> all = keys;
  all.insert(all.end(), other_words.begin(), other_words.end());
  constexpr unsigned kSeed = 23;
  std::mt19937 random(kSeed);
  const auto drawn = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  std::array<int, 2> answers = {};
  for (int i = 0; i < 30'000; ++i) {
    std::vector<std::string> words = {drawn(commands)};
    if (words[0] == "bloom.remove" || words[0] == "cf.del" || words[0] == "bloom.loadend") {
      continue;  // they may take out what was added
    }
    // Mostly a key comes first, and keys that were made are made again.
    words.push_back(drawn(random() % 4 == 0 ? other_words : keys));
    for (std::size_t more = random() % 7; more > 0; --more) {
      words.push_back(drawn(all));
    }
    const std::string reply = server().run(words);
    ASSERT_FALSE(reply.empty()) << "seed " << kSeed << ", command " << i << ", " << words[0];
    ++answers[reply.front() == '-' ? 1 : 0];
    if (i % 100 == 0) {
      server()("UNLINK", "new1", "new2", "missing", "0", "1", "ITEMS", "");
    }
  }
  std::cout << "    seed " << kSeed << ": " << answers[0] << " answers, " << answers[1] << " errors\n";
  EXPECT_GT(answers[0], 1000);
  for (const char* const key : {"bits", "late", "keyed", "link"}) {
    EXPECT_NE(server()("BF.EXISTS", key, item(1)), ":0") << key;
  }
  EXPECT_NE(server()("BLOOM.EXISTS", "fed", "ann"), ":0");
  EXPECT_NE(server()("BLOOM.EXISTS", "static", item(1)), ":0");
  EXPECT_EQ(server()("CF.EXISTS", "counts", "a"), ":1");
  const std::string memory = server()("INFO", "memory");
  EXPECT_LT(std::stoll(memory.substr(memory.find("used_memory:") + 12)), 1LL << 30);
  EXPECT_EQ(server()("DEBUG", "RELOAD"), "+OK");
}

}  // namespace
}  // namespace bloomery
