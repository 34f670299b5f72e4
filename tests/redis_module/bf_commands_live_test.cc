// BF.* on a live server answers as RedisBloom does: replies in RESP2 and RESP3, texts of errors, dumps.
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis_module/dump_copy.h"
#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

class BfCommands : public LiveTest {};

std::string file(const std::string& name) {
  std::ifstream in(std::string(BLOOMERY_SOURCE) + "/tests/golden/redisbloom/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> numbered(const std::string& command, const std::string& key, int from, int to) {
  std::vector<std::string> words = {command, key};
  for (int i = from; i < to; ++i) {
    words.push_back("item" + std::to_string(i));
  }
  return words;
}

TEST_F(BfCommands, AnswerInResp2) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  EXPECT_EQ(server("BF.RESERVE", "k", "0.01", "1000"), "+OK");
  EXPECT_EQ(server("BF.ADD", "k", "a"), ":1");
  EXPECT_EQ(server("BF.ADD", "k", "a"), ":0");
  EXPECT_EQ(server("BF.MADD", "k", "a", "b", "c"), "[:0 :1 :1]");
  EXPECT_EQ(server("BF.EXISTS", "k", "a"), ":1");
  EXPECT_EQ(server("BF.EXISTS", "k", "absent"), ":0");
  EXPECT_EQ(server("BF.MEXISTS", "k", "a", "absent", "c"), "[:1 :0 :1]");
  EXPECT_EQ(server("BF.CARD", "k"), ":3");
  EXPECT_EQ(server("BF.CARD", "missing"), ":0");
  EXPECT_EQ(server("BF.INFO", "k", "Items"), "[:3]");
  EXPECT_EQ(server("BF.INFO", "k").find("[+Capacity :1000 +Size :"), 0u);
  EXPECT_TRUE(server("BF.INFO", "k")
                  .ends_with("+Number of filters :1 +Number of items inserted :3 +Expansion rate :4]"));
  EXPECT_EQ(
      server("BF.INSERT", "i", "CAPACITY", "10", "ERROR", "0.1", "EXPANSION", "4", "ITEMS", "x", "y", "x"),
      "[:1 :1 :0]");
  EXPECT_EQ(server("BF.INFO", "i", "EXPANSION"), "[:4]");
  EXPECT_EQ(server("BF.INFO", "i", "CAPACITY"), "[:10]");
  EXPECT_EQ(server("TYPE", "k"), "+bloomery-");
}

TEST_F(BfCommands, AnswerInResp3) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("HELLO", "3");
  EXPECT_EQ(server("BF.ADD", "k", "a"), "#t");
  EXPECT_EQ(server("BF.ADD", "k", "a"), "#f");
  EXPECT_EQ(server("BF.MADD", "k", "a", "b"), "[#f #t]");
  EXPECT_EQ(server("BF.EXISTS", "k", "b"), "#t");
  EXPECT_EQ(server("BF.MEXISTS", "k", "b", "absent"), "[#t #f]");
  EXPECT_EQ(server("BF.INFO", "k", "CAPACITY"), "{+Capacity=:100}");
  EXPECT_EQ(server("BF.INFO", "k").find("{+Capacity=:100 +Size=:"), 0u);
  server("BF.RESERVE", "fixed", "0.01", "10", "NONSCALING");
  EXPECT_EQ(server("BF.INFO", "fixed", "EXPANSION"), "{+Expansion rate=_}");
}

TEST_F(BfCommands, GrowByTheExpansionOfTheirLayoutUnlessOneIsNamed) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  EXPECT_EQ(server("BF.RESERVE", "ours", "0.01", "10"), "+OK");
  EXPECT_EQ(server("BF.RESERVE", "named", "0.01", "10", "EXPANSION", "2"), "+OK");
  EXPECT_EQ(server("BLOOM.CREATE", "theirs", "LAYOUT", "redisbloom"), "+OK");
  EXPECT_EQ(server("BLOOM.CREATE", "theirs named", "EXPANSION", "7", "LAYOUT", "redisbloom"), "+OK");
  EXPECT_EQ(server("BLOOM.CREATE", "fixed", "NONSCALING"), "+OK");
  EXPECT_EQ(server("CONFIG", "SET", "bloomery.layout", "redisbloom"), "+OK");
  EXPECT_EQ(server("BF.ADD", "added", "x"), ":1");
  EXPECT_EQ(server("CONFIG", "SET", "bloomery.expansion", "3"), "+OK");
  EXPECT_EQ(server("BF.ADD", "by setting", "x"), ":1");
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"ours", "[:4]"}, {"named", "[:2]"}, {"theirs", "[:2]"},    {"theirs named", "[:7]"},
      {"fixed", "[_]"}, {"added", "[:2]"}, {"by setting", "[:3]"}};
  for (const auto& [key, expansion] : expected) {
    EXPECT_EQ(server("BF.INFO", key, "EXPANSION"), expansion) << key;
  }
}

TEST_F(BfCommands, HaveTheErrorsOfRedisBloom) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("SET", "text", "1");
  server("BF.RESERVE", "k", "0.01", "10");
  const std::string wrong_type = "-WRONGTYPE Operation against a key holding the wrong kind of value";
  EXPECT_EQ(server("BF.ADD", "k"), "-ERR wrong number of arguments for 'bf.add' command");
  EXPECT_EQ(server("BF.RESERVE", "k", "0.01", "10"), "-ERR item exists");
  EXPECT_EQ(server("BF.RESERVE", "text", "0.01", "10"), wrong_type);
  EXPECT_EQ(server("BF.RESERVE", "n", "x", "10"), "-ERR bad error rate");
  EXPECT_EQ(server("BF.RESERVE", "n", "nan", "10"), "-ERR bad error rate");
  EXPECT_EQ(server("BF.RESERVE", "n", "1", "10"), "-ERR (0 < error rate range < 1) ");
  EXPECT_EQ(server("BF.RESERVE", "n", "0.01", "x"), "-ERR bad capacity");
  EXPECT_EQ(server("BF.RESERVE", "n", "0.01", "0"), "-ERR (capacity should be larger than 0)");
  EXPECT_EQ(server("BF.RESERVE", "n", "0.01", "10", "EXPANSION"), "-ERR no expansion");
  EXPECT_EQ(server("BF.RESERVE", "n", "0.01", "10", "EXPANSION", "x"), "-ERR bad expansion");
  EXPECT_EQ(server("BF.RESERVE", "n", "0.01", "10", "EXPANSION", "99999"),
            "-ERR expansion must be in the range [0, 32768]");
  EXPECT_EQ(server("BF.RESERVE", "n", "0.01", "10", "NONSCALING", "EXPANSION", "2"),
            "-Nonscaling filters cannot expand");
  EXPECT_EQ(server("BF.INSERT", "n", "CAPACITY", "x", "ITEMS", "a"), "-Bad capacity");
  EXPECT_EQ(server("BF.INSERT", "n", "ERROR", "x", "ITEMS", "a"), "-Bad error rate");
  EXPECT_EQ(server("BF.INSERT", "n", "ERROR", "2", "ITEMS", "a"), "-Bad argument received");
  EXPECT_EQ(server("BF.INSERT", "n", "CAPACITY", "0", "ITEMS", "a"), "-Bad argument received");
  EXPECT_EQ(server("BF.INSERT", "n", "WHAT", "ITEMS", "a"), "-Unknown argument received");
  EXPECT_EQ(server("BF.INSERT", "n", "NOCREATE", "ITEMS", "a"), "-ERR not found");
  EXPECT_EQ(server("BF.INSERT", "n", "NOCREATE", "ITEMS"),
            "-ERR wrong number of arguments for 'bf.insert' command");
  EXPECT_EQ(server("BF.INFO", "n"), "-ERR not found");
  EXPECT_EQ(server("BF.INFO", "k", "WHAT"), "-Invalid information value");
  EXPECT_EQ(server("BF.SCANDUMP", "n", "0"), "-ERR not found");
  EXPECT_EQ(server("BF.SCANDUMP", "k", "x"), "-Second argument must be numeric");
  EXPECT_EQ(server("BF.ADD", "text", "a"), wrong_type);
  EXPECT_EQ(server("BF.CARD", "text"), wrong_type);
  EXPECT_EQ(server("BF.EXISTS", "text", "a"), ":0");
  EXPECT_EQ(server("BF.MEXISTS", "missing", "a", "b"), "[:0 :0]");
  EXPECT_EQ(server("EXISTS", "n"), ":0");
}

TEST_F(BfCommands, AFullFilterThatDoesNotGrowEndsTheAnswerEarly) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  for (const std::string layout : {"bloomery", "redisbloom"}) {
    server("CONFIG", "SET", "bloomery.layout", layout);
    server("BF.RESERVE", layout, "0.001", "2", "NONSCALING");
    EXPECT_EQ(server("BF.MADD", layout, "a", "b", "c", "d"), "[:1 :1 -ERR non scaling filter is full]");
    EXPECT_EQ(server("BF.ADD", layout, "e"), "-ERR non scaling filter is full");
    EXPECT_EQ(server("BF.ADD", layout, "a"), ":0");
  }
}

TEST_F(BfCommands, AreRefusedBeforeTheyTakeMemory) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  const std::string refusal = "-ERR operation exceeds bloom object memory limit";
  for (const std::string layout : {"bloomery", "redisbloom"}) {
    server("CONFIG", "SET", "bloomery.layout", layout);
    for (const std::string capacity : {"1000000000000000000", "10000000000", "1500000000"}) {
      EXPECT_EQ(server("BF.RESERVE", "k", "0.001", capacity), refusal) << layout << " " << capacity;
    }
    EXPECT_EQ(server("BF.INSERT", "k", "CAPACITY", "1500000000", "ITEMS", "a"), refusal);
  }
  EXPECT_EQ(server("EXISTS", "k"), ":0");
  server("CONFIG", "SET", "bloomery.memory-limit", "4096");
  for (const std::string layout : {"bloomery", "redisbloom"}) {
    server("CONFIG", "SET", "bloomery.layout", layout);
    ASSERT_EQ(server("BF.RESERVE", layout, "0.01", "500"), "+OK");
    const std::string grown = server.run(numbered("BF.MADD", layout, 0, 3000));
    EXPECT_TRUE(grown.ends_with(refusal + "]")) << layout;
    EXPECT_EQ(server.run(numbered("BF.MEXISTS", layout, 0, 500)).find(":0"), std::string::npos);
  }
}

TEST_F(BfCommands, NoKeyIsLostWhileAFilterGrowsFromFewToMany) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  for (const std::string layout : {"bloomery", "redisbloom"}) {
    server("CONFIG", "SET", "bloomery.layout", layout);
    for (int i = 0; i < 40; ++i) {
      server.run(numbered("BF.MADD", layout, i * 1000, (i + 1) * 1000));
    }
    for (int i = 0; i < 40; ++i) {
      const std::string answers = server.run(numbered("BF.MEXISTS", layout, i * 1000, (i + 1) * 1000));
      ASSERT_EQ(answers.find(":0"), std::string::npos) << layout << " " << i;
    }
    int maybes = 0;
    for (int i = 100; i < 110; ++i) {
      const std::string answers = server.run(numbered("BF.MEXISTS", layout, i * 1000, (i + 1) * 1000));
      for (const char letter : answers) {
        maybes += letter == '1' ? 1 : 0;
      }
    }
    EXPECT_LT(maybes, 150) << layout << ": 1 % of 10,000 were agreed";
  }
}

TEST_F(BfCommands, LoadDumpsOfRedisBloomAndGoOnAsItWould) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  const std::string stem = "scaling_e0.01_c100_text5000";
  ASSERT_EQ(server("BF.LOADCHUNK", "k", "1", file(stem + ".header")), "+OK");
  std::size_t end = 1;
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(server("BF.ADD", "k", "x"), "-ERR filter is being loaded");
    EXPECT_EQ(server("BF.EXISTS", "k", "certainly not in"), ":1")
        << "a filter that is not whole must say maybe";
    const std::string chunk = file(stem + ".chunk" + std::to_string(i));
    end += chunk.size();
    ASSERT_EQ(server("BF.LOADCHUNK", "k", std::to_string(end), chunk), "+OK");
  }
  EXPECT_EQ(server("BF.EXISTS", "k", "certainly not in"), ":0");
  // The dump is the same bytes.
  EXPECT_EQ(server("BF.SCANDUMP", "k", "0"), "[:1 $" + file(stem + ".header") + "]");
  const std::string first = file(stem + ".chunk0");
  EXPECT_EQ(server("BF.SCANDUMP", "k", "1"), "[:" + std::to_string(1 + first.size()) + " $" + first + "]");
  EXPECT_EQ(server("BF.SCANDUMP", "k", std::to_string(end)), "[:0 $]");
  EXPECT_EQ(server("BF.ADD", "k", "x"), ":1");
}

TEST_F(BfCommands, FiltersOfItsLayoutHaveTheBytesOfRedisBloom) {
  LiveServer server(folder_, "s", {"--bloomery.layout", "redisbloom"});
  ASSERT_TRUE(server.is_up());
  server("BF.RESERVE", "empty", "0.01", "100");
  EXPECT_EQ(server("BF.SCANDUMP", "empty", "0"), "[:1 $" + file("empty_e0.01_c100.header") + "]");
  // A filter that does not grow differs from its dump here in nothing but its keys.
  server("BF.RESERVE", "fixed", "0.01", "1000", "NONSCALING");
  const std::string header = file("nonscaling_e0.01_c1000_text1000.header");
  const std::string ours = server("BF.SCANDUMP", "fixed", "0").substr(5, header.size());
  EXPECT_EQ(ours.substr(8, 8), header.substr(8, 8)) << "links and options";
  EXPECT_EQ(ours.substr(16, 4), std::string("\x02\0\0\0", 4))
      << "growth, which nobody uses: 2 in RedisBloom 2.8.20";
  EXPECT_EQ(ours.substr(20, 16), header.substr(20, 16)) << "bytes and bits";
  // Chunks that end beyond their link, or begin beyond the filter.
  ASSERT_EQ(server("BF.LOADCHUNK", "copy", "1", header), "+OK");
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "1202", std::string(1201, 'x')),
            "-ERR invalid chunk - Too big for current filter");
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "99999", "x"), "-ERR invalid offset - no link found");
}

TEST_F(BfCommands, DumpsOfBothLayoutsLoadAgain) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  for (const std::string layout : {"bloomery", "redisbloom"}) {
    server("CONFIG", "SET", "bloomery.layout", layout);
    server("BF.RESERVE", layout, "0.01", "2000000");  // 2.4 MB and more: several chunks
    for (int i = 0; i < 5; ++i) {
      server.run(numbered("BF.MADD", layout, i * 1000, (i + 1) * 1000));
    }
    EXPECT_GE(copy_by_dump(server, "BF", layout, server, "copy"), 4);
    const std::string digests = server("DEBUG", "DIGEST-VALUE", layout, "copy");
    EXPECT_EQ(digests.substr(2, 40), digests.substr(44, 40)) << digests;
    server("DEL", "copy");
  }
}

TEST_F(BfCommands, ChunksThatDoNotFitAreRefused) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("BF.RESERVE", "k", "0.01", "2000000");
  server("BF.RESERVE", "other", "0.01", "2000001");
  const auto data_of = [&](const std::string& key, const std::string& iterator) {
    return dump_step(server, "BF", key, iterator).data;
  };
  const std::string header = data_of("k", "0");
  const std::string first = data_of("k", "1");
  const std::string second = data_of("k", "1048577");
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "1048577", first), "-ERR not found");
  EXPECT_EQ(server("BF.LOADCHUNK", "k", "1", header), "-ERR item exists");
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "x", header), "-ERR Second argument must be numeric");
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "1", header.substr(1)), "-ERR received bad data");
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "1", ""), "-ERR received bad data");
  ASSERT_EQ(server("BF.LOADCHUNK", "copy", "1", header), "+OK");
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "2097153", second), "-ERR invalid offset - no link found");
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "1048577", data_of("other", "1")),
            "-ERR invalid offset - no link found");
  std::string damaged = first;
  damaged[100] ^= 1;
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "1048577", damaged), "-ERR received bad data");
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "1048577", first), "+OK");
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "1048577", first), "-ERR invalid offset - no link found");
  EXPECT_EQ(server("BF.SCANDUMP", "copy", "0"), "-ERR filter is being loaded");
  EXPECT_EQ(server("BF.LOADCHUNK", "copy", "2097153", second), "+OK");
}

}  // namespace
}  // namespace bloomery
