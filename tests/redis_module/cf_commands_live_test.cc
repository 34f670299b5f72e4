// CF.* on a live server answers as RedisBloom does: replies in RESP2 and RESP3, texts of errors, dumps.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis_module/dump_copy.h"
#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

class CfCommands : public LiveTest {};

std::vector<std::string> insert_of(const std::string& key, int from, int to) {
  std::vector<std::string> words = {"CF.INSERT", key, "ITEMS"};
  for (int i = from; i < to; ++i) {
    words.push_back("item" + std::to_string(i));
  }
  return words;
}

TEST_F(CfCommands, AnswerInResp2) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  EXPECT_EQ(server("CF.RESERVE", "k", "1000"), "+OK");
  EXPECT_EQ(server("CF.ADD", "k", "a"), ":1");
  EXPECT_EQ(server("CF.ADD", "k", "a"), ":1") << "a second copy";
  EXPECT_EQ(server("CF.ADDNX", "k", "a"), ":0");
  EXPECT_EQ(server("CF.ADDNX", "k", "b"), ":1");
  EXPECT_EQ(server("CF.COUNT", "k", "a"), ":2");
  EXPECT_EQ(server("CF.INSERT", "k", "ITEMS", "a", "c"), "[:1 :1]");
  EXPECT_EQ(server("CF.INSERTNX", "k", "ITEMS", "a", "d", "d"), "[:0 :1 :0]");
  EXPECT_EQ(server("CF.EXISTS", "k", "d"), ":1");
  EXPECT_EQ(server("CF.MEXISTS", "k", "a", "absent", "d"), "[:1 :0 :1]");
  EXPECT_EQ(server("CF.DEL", "k", "a"), ":1");
  EXPECT_EQ(server("CF.COUNT", "k", "a"), ":2");
  EXPECT_EQ(server("CF.DEL", "k", "absent"), ":0");
  EXPECT_EQ(server("CF.COUNT", "missing", "a"), ":0");
  EXPECT_EQ(server("CF.COMPACT", "k"), "+OK");
  EXPECT_EQ(server("CF.INFO", "k").find("[+Size :"), 0u);
  EXPECT_TRUE(server("CF.INFO", "k")
                  .ends_with(" +Number of buckets :512 +Number of filters :1 +Number of items inserted :5 "
                             "+Number of items deleted :1 +Bucket size :2 +Expansion rate :1 "
                             "+Max iterations :20]"));
  EXPECT_EQ(server("TYPE", "k"), "+bloomeryQ");
}

TEST_F(CfCommands, AnswerInResp3) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("HELLO", "3");
  EXPECT_EQ(server("CF.ADD", "k", "a"), "#t");
  EXPECT_EQ(server("CF.ADDNX", "k", "a"), "#f");
  EXPECT_EQ(server("CF.INSERT", "k", "ITEMS", "a", "b"), "[#t #t]");
  EXPECT_EQ(server("CF.INSERTNX", "k", "ITEMS", "a", "c"), "[:0 :1]") << "numbers, as in RedisBloom";
  EXPECT_EQ(server("CF.EXISTS", "k", "b"), "#t");
  EXPECT_EQ(server("CF.MEXISTS", "k", "b", "absent"), "[#t #f]");
  EXPECT_EQ(server("CF.DEL", "k", "b"), "#t");
  EXPECT_EQ(server("CF.DEL", "k", "b"), "#f");
  EXPECT_EQ(server("CF.COUNT", "k", "a"), ":2");
  EXPECT_EQ(server("CF.INFO", "k").find("{+Size=:"), 0u);
  EXPECT_EQ(server("CF.SCANDUMP", "k", "99999999"), "[:0 _]");
  EXPECT_EQ(server("CF.RESERVE", "full", "4", "EXPANSION", "0"), "+OK");
  EXPECT_EQ(server("CF.INSERT", "full", "ITEMS", "a", "b", "c", "d", "e"), "[#t #t #t #t #f]");
  EXPECT_EQ(server("CF.INSERTNX", "full", "ITEMS", "a", "f"), "[:0 :-1]");
}

TEST_F(CfCommands, HaveTheErrorsOfRedisBloom) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("SET", "text", "1");
  server("BF.ADD", "bloom", "a");
  server("CF.RESERVE", "k", "10");
  const std::string wrong_type = "-WRONGTYPE Operation against a key holding the wrong kind of value";
  EXPECT_EQ(server("CF.ADD", "k"), "-ERR wrong number of arguments for 'cf.add' command");
  EXPECT_EQ(server("CF.RESERVE", "k", "10"), "-ERR item exists");
  EXPECT_EQ(server("CF.RESERVE", "bloom", "10"), wrong_type);
  EXPECT_EQ(server("CF.RESERVE", "n", "x"), "-Bad capacity");
  EXPECT_EQ(server("CF.RESERVE", "n", "-1"), "-Bad capacity");
  EXPECT_EQ(server("CF.RESERVE", "n", "3"), "-Capacity must be at least (BucketSize * 2)");
  EXPECT_EQ(server("CF.RESERVE", "n", "19", "BUCKETSIZE", "10"),
            "-Capacity must be at least (BucketSize * 2)");
  EXPECT_EQ(server("CF.RESERVE", "n", "100", "BUCKETSIZE", "x"), "-Couldn't parse BUCKETSIZE");
  EXPECT_EQ(server("CF.RESERVE", "n", "100", "BUCKETSIZE", "0"),
            "-BUCKETSIZE: value must be an integer between 1 and 255, inclusive.");
  EXPECT_EQ(server("CF.RESERVE", "n", "100", "MAXITERATIONS", "x"), "-Couldn't parse MAXITERATIONS");
  EXPECT_EQ(server("CF.RESERVE", "n", "100", "MAXITERATIONS", "65536"),
            "-MAXITERATIONS: value must be an integer between 1 and 65535, inclusive.");
  EXPECT_EQ(server("CF.RESERVE", "n", "100", "EXPANSION", "x"), "-Couldn't parse EXPANSION");
  EXPECT_EQ(server("CF.RESERVE", "n", "100", "EXPANSION", "32769"),
            "-EXPANSION: value must be an integer between 0 and 32768, inclusive.");
  EXPECT_EQ(server("CF.RESERVE", "n", "100", "ERROR", "1"),
            "-Bad error rate: expected more than 0 and less than 1");
  EXPECT_EQ(server("CF.RESERVE", "n", "100", "WHAT"), "-Unknown argument received");
  EXPECT_EQ(server("CF.INSERT", "n", "CAPACITY", "x", "ITEMS", "a"), "-Bad capacity");
  EXPECT_EQ(server("CF.INSERT", "n", "NOCREATE", "ITEMS", "a"), "-ERR not found");
  EXPECT_EQ(server("CF.INSERTNX", "n", "NOCREATE", "ITEMS"),
            "-ERR wrong number of arguments for 'cf.insertnx' command");
  EXPECT_EQ(server("CF.DEL", "n", "a"), "-Not found");
  EXPECT_EQ(server("CF.DEL", "text", "a"), "-Not found");
  EXPECT_EQ(server("CF.INFO", "n"), "-ERR not found");
  EXPECT_EQ(server("CF.COMPACT", "n"), "-Cuckoo filter was not found");
  EXPECT_EQ(server("CF.SCANDUMP", "n", "0"), "-ERR not found");
  EXPECT_EQ(server("CF.SCANDUMP", "k", "x"), "-Invalid position");
  EXPECT_EQ(server("CF.LOADCHUNK", "n", "x", "data"), "-Invalid position");
  EXPECT_EQ(server("CF.ADD", "bloom", "a"), wrong_type);
  EXPECT_EQ(server("BF.ADD", "k", "a"), wrong_type);
  EXPECT_EQ(server("CF.EXISTS", "text", "a"), ":0");
  EXPECT_EQ(server("CF.EXISTS", "bloom", "a"), ":0");
  EXPECT_EQ(server("EXISTS", "n"), ":0");
}

TEST_F(CfCommands, AFullFilterSaysSoAndTakesItemsAgainAfterADelete) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  ASSERT_EQ(server("CF.RESERVE", "k", "4", "EXPANSION", "0"), "+OK");
  EXPECT_EQ(server("CF.INSERT", "k", "ITEMS", "a", "b", "c", "d", "e"), "[:1 :1 :1 :1 :-1]");
  EXPECT_EQ(server("CF.ADD", "k", "e"), "-Filter is full");
  EXPECT_EQ(server("CF.ADDNX", "k", "a"), ":0");
  EXPECT_EQ(server("CF.DEL", "k", "a"), ":1");
  EXPECT_EQ(server("CF.ADD", "k", "e"), ":1");
}

TEST_F(CfCommands, AreRefusedBeforeTheyTakeMemory) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  const std::string refusal = "-ERR operation exceeds bloom object memory limit";
  for (const std::string capacity : {"1000000000000000000", "10000000000", "1000000000"}) {
    EXPECT_EQ(server("CF.RESERVE", "k", capacity), refusal) << capacity;
  }
  EXPECT_EQ(server("EXISTS", "k"), ":0");
  server("CONFIG", "SET", "bloomery.memory-limit", "16384");
  ASSERT_EQ(server("CF.RESERVE", "k", "100"), "+OK");
  const std::string grown = server.run(insert_of("k", 0, 6000));
  EXPECT_TRUE(grown.ends_with(":-1]"));
  EXPECT_EQ(server("CF.ADD", "k", "one more"), refusal);
}

TEST_F(CfCommands, AKeyGrowsFromFewToManyAndIsNeverStuck) {
  // RedisBloom's key with its defaults stopped after 31,000 of these items, and took 125 copies of one.
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  for (int i = 0; i < 100; ++i) {
    const std::string answers = server.run(insert_of("k", i * 1000, (i + 1) * 1000));
    ASSERT_EQ(answers.find(":-1"), std::string::npos) << i;
  }
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(server("CF.ADD", "k", "the same"), ":1");
  }
  EXPECT_EQ(server("CF.COUNT", "k", "the same"), ":1000");
  for (int i = 0; i < 100'000; i += 77) {
    ASSERT_EQ(server("CF.EXISTS", "k", "item" + std::to_string(i)), ":1") << i;
  }
  int maybes = 0;
  for (int i = 200'000; i < 202'000; ++i) {
    maybes += server("CF.EXISTS", "k", "item" + std::to_string(i)) == ":1" ? 1 : 0;
  }
  EXPECT_LT(maybes, 5);
}

TEST_F(CfCommands, DumpsLoadAgain) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("CF.RESERVE", "k", "200000");
  server.run(insert_of("k", 0, 5000));
  EXPECT_GE(copy_by_dump(server, "CF", "k", server, "copy"), 20);
  const std::string digests = server("DEBUG", "DIGEST-VALUE", "k", "copy");
  EXPECT_EQ(digests.substr(2, 40), digests.substr(44, 40)) << digests;
  EXPECT_EQ(server("CF.DEL", "copy", "item1"), ":1");
}

std::string cuckoo_dump(const std::string& name) {
  std::ifstream in(std::string(BLOOMERY_SOURCE) + "/tests/golden/redisbloom-cuckoo/" + name,
                   std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Asks CF.COUNT for the keys of a golden dump's counts.
std::string counts_of_keys(LiveServer& server, const std::string& key) {
  std::string counts;
  for (int i = 0; i < 2000; ++i) {
    const std::string digits = std::to_string(i);
    counts += server("CF.COUNT", key, "key" + std::string(6 - digits.size(), '0') + digits).substr(1);
  }
  return counts + "\n";
}

TEST_F(CfCommands, ACuckooFilterOfRedisBloomStaysOne) {
  LiveServer server(folder_, "s", {"--appendonly", "yes", "--aof-use-rdb-preamble", "no"});
  ASSERT_TRUE(server.is_up());
  const std::string name = "c64_b2_i20_e2_text700";
  ASSERT_EQ(server("CF.LOADCHUNK", "k", "1", cuckoo_dump(name + ".header")), "+OK");
  const std::vector<std::string> iterators = {"65", "193", "449", "961"};
  for (std::size_t i = 0; i < iterators.size(); ++i) {
    EXPECT_EQ(server("CF.COUNT", "k", "nobody"), ":1") << "maybe while it is loaded";
    ASSERT_EQ(server("CF.LOADCHUNK", "k", iterators[i], cuckoo_dump(name + ".chunk" + std::to_string(i))),
              "+OK");
  }
  const std::string counts = cuckoo_dump(name + ".counts");
  EXPECT_EQ(counts_of_keys(server, "k"), counts);
  EXPECT_EQ(server("TYPE", "k"), "+bloomeryQ");
  EXPECT_NE(server("CF.INFO", "k")
                .find("+Number of buckets :32 +Number of filters :4 +Number of items inserted "
                      ":700 +Number of items deleted :0 +Bucket size :2 +Expansion rate :2 +Max "
                      "iterations :20"),
            std::string::npos)
      << server("CF.INFO", "k");
  EXPECT_NE(server("BLOOM.INFO", "k").find("+layout +cuckoo"), std::string::npos);
  EXPECT_EQ(dump_step(server, "CF", "k", "449").data, cuckoo_dump(name + ".chunk3"));
  EXPECT_EQ(server("COPY", "k", "copy"), ":1");
  EXPECT_EQ(server("CF.ADD", "copy", "new"), ":1");
  EXPECT_EQ(server("CF.ADDNX", "copy", "new"), ":0");
  EXPECT_EQ(server("CF.DEL", "copy", "new"), ":1");
  EXPECT_EQ(counts_of_keys(server, "copy"), counts);
  EXPECT_EQ(server("BLOOM.REMOVE", "copy", "key000000"), "[:1]");
  EXPECT_EQ(server("CF.LOADCHUNK", "copy", "1", cuckoo_dump(name + ".header")), "-ERR item exists");
  EXPECT_EQ(server("BF.LOADCHUNK", "bf", "1", cuckoo_dump(name + ".header")), "-ERR received bad data");
  const std::string digests = server("DEBUG", "DIGEST-VALUE", "k", "copy");
  EXPECT_EQ(server("DEBUG", "RELOAD"), "+OK");
  EXPECT_EQ(server("DEBUG", "DIGEST-VALUE", "k", "copy"), digests) << "by RDB";
  EXPECT_EQ(server("DEBUG", "LOADAOF"), "+OK");
  EXPECT_EQ(server("DEBUG", "DIGEST-VALUE", "k", "copy"), digests) << "by the log of commands";
  server("BGREWRITEAOF");
  EXPECT_TRUE(server.wait_for({"INFO", "persistence"}, "aof_rewrite_in_progress:0"));
  EXPECT_EQ(server("DEBUG", "LOADAOF"), "+OK");
  EXPECT_EQ(server("DEBUG", "DIGEST-VALUE", "k", "copy"), digests) << "by a log that was rewritten";
  EXPECT_EQ(counts_of_keys(server, "k"), counts);
}

TEST_F(CfCommands, ChunksThatDoNotFitAreRefused) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("CF.ADD", "k", "a");
  server("CF.RESERVE", "other", "5000");
  server("BF.ADD", "bloom", "a");
  const std::string header = dump_step(server, "CF", "k", "0").data;
  const DumpStep chunk = dump_step(server, "CF", "k", "1");
  const std::string refused = "-Invalid header: expected one of CF.SCANDUMP, of RedisBloom or of bloomery";
  // Items, buckets, deletes and filters as u64; bucket size, iterations, expansion as u16. There are too many filters.
  EXPECT_EQ(server("CF.LOADCHUNK", "copy", "1",
                   std::string("\1\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0", 16) + std::string(22, '\1')),
            refused);
  EXPECT_EQ(server("CF.LOADCHUNK", "copy", "1", dump_step(server, "BF", "bloom", "0").data), refused);
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "1", header), "-ERR received bad data");
  EXPECT_EQ(server("CF.LOADCHUNK", "k", "1", header), "-ERR item exists");
  EXPECT_EQ(server("CF.LOADCHUNK", "copy", chunk.iterator, chunk.data), "-ERR not found");
  ASSERT_EQ(server("CF.LOADCHUNK", "copy", "1", header), "+OK");
  EXPECT_EQ(server("CF.ADD", "copy", "x"), "-ERR filter is being loaded");
  EXPECT_EQ(server("CF.DEL", "copy", "x"), "-ERR filter is being loaded");
  EXPECT_EQ(server("CF.EXISTS", "copy", "certainly not in"), ":1");
  EXPECT_EQ(server("CF.COUNT", "copy", "certainly not in"), ":1");
  EXPECT_EQ(server("CF.LOADCHUNK", "copy", "99999", chunk.data), "-Invalid position");
  EXPECT_EQ(server("CF.LOADCHUNK", "copy", chunk.iterator, dump_step(server, "CF", "other", "1").data),
            "-Invalid position");
  std::string damaged = chunk.data;
  damaged[30] ^= 1;
  EXPECT_EQ(server("CF.LOADCHUNK", "copy", chunk.iterator, damaged), "-Couldn't load chunk!");
  EXPECT_EQ(server("CF.LOADCHUNK", "copy", chunk.iterator, chunk.data), "+OK");
  EXPECT_EQ(server("CF.EXISTS", "copy", "certainly not in"), ":0");
  EXPECT_EQ(server("CF.EXISTS", "copy", "a"), ":1");
}

TEST_F(CfCommands, HaveCommandsOfOurOwnBesideThem) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  EXPECT_EQ(server("BLOOM.CREATE", "k", "LAYOUT", "quotient", "CAPACITY", "500", "KEYED"), "+OK");
  EXPECT_EQ(server("BLOOM.MADD", "k", "a", "b", "a"), "[:1 :1 :1]");
  EXPECT_EQ(server("BLOOM.COUNT", "k", "a"), ":2");
  EXPECT_EQ(server("BLOOM.REMOVE", "k", "a", "absent", "b"), "[:1 :0 :1]");
  EXPECT_EQ(server("BLOOM.MEXISTS", "k", "a", "b"), "[:1 :0]");
  EXPECT_EQ(server("BLOOM.CARD", "k"), ":1");
  EXPECT_EQ(server("BLOOM.ESTIMATE", "k"), ":1");
  EXPECT_NE(server("BLOOM.INFO", "k").find("+layout +quotient +capacity :500 +items :1 "), std::string::npos);
  EXPECT_NE(server("BLOOM.INFO", "k").find("+keyed :1"), std::string::npos);
  server("BLOOM.ADD", "bloom", "a");
  EXPECT_EQ(server("BLOOM.REMOVE", "bloom", "a").find("-WRONGTYPE"), 0u);
  EXPECT_EQ(server("BLOOM.UNION", "k", "bloom"), "-ERR a union is of keys of the layout bloomery");
  server("BLOOM.LEASE", "k", "AT", "1");
  EXPECT_EQ(server("CF.EXISTS", "k", "absent"), ":1");
}

}  // namespace
}  // namespace bloomery
