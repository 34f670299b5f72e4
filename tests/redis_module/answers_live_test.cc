// Small answers of commands that clients see: settings that are applied, limits, what INFO counts.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis_module/dump_copy.h"
#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

class Answers : public OneServerTest {
 protected:
  bool info_has(const std::string& part) {
    return server()("INFO", "bloomery").find(part) != std::string::npos;
  }
};

TEST_F(Answers, NumbersThatAreNoneAreRefused) {
  for (const std::string rate : {"inf", "-inf", "nan", "1e400", "0.01x", "", " 0.01"}) {
    EXPECT_EQ(server()("BF.RESERVE", "k", rate, "100"), "-ERR bad error rate") << rate;
  }
  for (const std::string rate : {"0", "1", "-1", "1.5"}) {
    EXPECT_EQ(server()("BF.RESERVE", "k", rate, "100").find("-ERR (0 < error rate range < 1)"), 0U) << rate;
  }
  EXPECT_EQ(server()("EXISTS", "k"), ":0");
}

TEST_F(Answers, InfoCountsWhatWasAskedAddedKnownAndRefused) {
  server()("BF.RESERVE", "k", "0.01", "3", "NONSCALING");
  server()("BF.MADD", "k", "a", "b", "a", "c", "d");
  server()("BF.MEXISTS", "k", "a", "b", "x");
  server()("BF.EXISTS", "k", "a");
  EXPECT_TRUE(info_has("bloomery_items_added:3"));
  EXPECT_TRUE(info_has("bloomery_items_known:1"));
  EXPECT_TRUE(info_has("bloomery_items_queried:4"));
  EXPECT_TRUE(info_has("bloomery_items_refused:1"));
  server()("CF.ADD", "counts", "a");
  server()("CF.DEL", "counts", "a");
  EXPECT_TRUE(info_has("bloomery_items_removed:1"));
}

TEST_F(Answers, AnExpansionOfCfIsTheNextPowerOfTwo) {
  EXPECT_EQ(server()("CF.RESERVE", "k", "100", "EXPANSION", "3"), "+OK");
  EXPECT_NE(server()("CF.INFO", "k").find("+Expansion rate :4"), std::string::npos)
      << server()("CF.INFO", "k");
}

TEST_F(Answers, AHeaderOfAKeyAboveTheLimitIsRefused) {
  server()("BF.RESERVE", "k", "0.01", "100000");
  server()("CF.RESERVE", "c", "100000");
  const DumpStep header = dump_step(server(), "BF", "k", "0");
  const DumpStep counts = dump_step(server(), "CF", "c", "0");
  server()("CONFIG", "SET", "bloomery.memory-limit", "10000");
  EXPECT_EQ(server()("BF.LOADCHUNK", "new", header.iterator, header.data),
            "-ERR operation exceeds bloom object memory limit");
  EXPECT_EQ(server()("CF.LOADCHUNK", "new", counts.iterator, counts.data),
            "-ERR operation exceeds bloom object memory limit");
  EXPECT_EQ(server()("EXISTS", "new"), ":0");
}

TEST_F(Answers, AUnionAboveTheLimitIsRefusedAndItsDestinationStays) {
  server()("BLOOM.CREATE", "a", "CAPACITY", "10000");
  server()("BLOOM.CREATE", "b", "CAPACITY", "10000");
  server()("BLOOM.ADD", "a", "x");
  server()("CONFIG", "SET", "bloomery.memory-limit", "20000");
  const std::string before = server()("DEBUG", "DIGEST-VALUE", "a");
  EXPECT_EQ(server()("BLOOM.UNION", "a", "b"), "-ERR operation exceeds bloom object memory limit");
  EXPECT_EQ(server()("DEBUG", "DIGEST-VALUE", "a"), before);
}

// It had none, and said no of what its source says maybe of.
TEST_F(Answers, AUnionThatIsNewHasTheLeaseOfItsSource) {
  server()("BLOOM.CREATE", "leased");
  server()("BLOOM.LEASE", "leased", "AT", "1");
  EXPECT_EQ(server()("BLOOM.UNION", "new", "leased"), "+OK");
  EXPECT_EQ(server()("BLOOM.EXISTS", "leased", "x"), ":1");
  EXPECT_EQ(server()("BLOOM.EXISTS", "new", "x"), ":1");
  EXPECT_EQ(server()("BLOOM.LEASE", "new", "0"), "+OK") << "whoever knows better may take it away";
  EXPECT_EQ(server()("BLOOM.EXISTS", "new", "x"), ":0");
}

// An empty filter of 1 MB has a dump of some hundred bytes. RESTORE took it, whatever the limit was.
TEST_F(Answers, AValueAboveTheLimitIsRestoredByNobodyButTheServerItself) {
  server()("BF.RESERVE", "k", "0.01", "1000000", "NONSCALING");
  server()("BLOOM.CREATE", "link", "LAYOUT", "redisbloom", "CAPACITY", "1000000");
  server()("CF.RESERVE", "counts", "1000000");
  const std::vector<std::string> keys = {"k", "link", "counts"};
  std::vector<std::string> dumps;
  for (const std::string& key : keys) {
    dumps.push_back(server()("DUMP", key).substr(1));
    EXPECT_EQ(server()("RESTORE", "copy", "0", dumps.back(), "REPLACE"), "+OK") << key;
  }
  const std::string before = server()("DEBUG", "DIGEST");
  server()("CONFIG", "SET", "bloomery.memory-limit", "100000");
  for (const std::string& dump : dumps) {
    EXPECT_EQ(server()("RESTORE", "new", "0", dump).find("-ERR"), 0U);
  }
  EXPECT_EQ(server()("EXISTS", "new"), ":0");
  EXPECT_EQ(server()("DEBUG", "RELOAD"), "+OK");
  EXPECT_EQ(server()("DEBUG", "DIGEST"), before) << "what is there stays";
}

TEST_F(Answers, ALeaseHasABound) {
  server()("BLOOM.CREATE", "k");
  for (const std::string moment : {"4503599627370497", "9223372036854775807", "18446744073709551615"}) {
    EXPECT_EQ(server()("BLOOM.LEASE", "k", moment), "-ERR bad lease: expected 0 or more milliseconds");
    EXPECT_EQ(server()("BLOOM.FEED", "k", "", "r", moment),
              "-ERR bad lease: expected 0 or more milliseconds");
  }
  EXPECT_EQ(server()("BLOOM.LEASE", "k", "4503599627370496"),
            "-ERR bad lease: expected 0 or more milliseconds")
      << "from now on that is too late, and DEBUG RELOAD failed";
  EXPECT_EQ(server()("BLOOM.LEASE", "k", "AT", "4503599627370496"), "+OK");
  EXPECT_EQ(server()("DEBUG", "RELOAD"), "+OK");
  EXPECT_EQ(server()("BLOOM.EXISTS", "k", "a"), ":0");
}

TEST_F(Answers, CreateHasNoItems) {
  EXPECT_EQ(server()("BLOOM.CREATE", "k", "ITEMS", "a"), "-ERR unknown or incomplete option");
  EXPECT_EQ(server()("BLOOM.CREATE", "k", "ITEMS"), "-ERR unknown or incomplete option");
  EXPECT_EQ(server()("EXISTS", "k"), ":0");
}

TEST_F(Answers, AKeyThatIsHalfLoadedHasTheErrorRate1) {
  server()("BF.RESERVE", "k", "0.01", "100");
  server()("BF.ADD", "k", "a");
  const DumpStep header = dump_step(server(), "BF", "k", "0");
  ASSERT_EQ(server()("BF.LOADCHUNK", "half", header.iterator, header.data), "+OK");
  server()("HELLO", "3");
  const std::string info = server()("BLOOM.INFO", "half");
  EXPECT_NE(info.find("+current-error=,1}"), std::string::npos) << info;
  EXPECT_EQ(server()("BLOOM.INFO", "k").find("+current-error=,1}"), std::string::npos);
}

// A keyed filter of CF has a hash of its own: two keys with the same items have other bytes.
TEST_F(Answers, TheSettingKeyedIsOfCfToo) {
  server()("CF.RESERVE", "a", "100");
  server()("CF.RESERVE", "b", "100");
  const auto digests_are_equal = [&] {
    server()("CF.ADD", "a", "x");
    server()("CF.ADD", "b", "x");
    const std::string both = server()("DEBUG", "DIGEST-VALUE", "a", "b");
    return both.substr(2, 40) == both.substr(44, 40);
  };
  EXPECT_TRUE(digests_are_equal());
  server()("DEL", "a", "b");
  server()("CONFIG", "SET", "bloomery.keyed", "yes");
  EXPECT_FALSE(digests_are_equal()) << "made by an add";
  server()("DEL", "a", "b");
  server()("CONFIG", "SET", "bloomery.layout", "redisbloom");
  EXPECT_EQ(server()("BF.ADD", "k", "x"), ":1");
  EXPECT_NE(server()("BLOOM.INFO", "k").find("keyed :0"), std::string::npos) << server()("BLOOM.INFO", "k");
}

// The setting holds for every key of our layouts, also if BLOOM.CREATE names another layout than the usual one.
TEST_F(Answers, KeysAreKeyedBySettingWhateverLayoutIsTheUsualOne) {
  const auto keyed = [&](const std::vector<std::string>& words) {
    server()("DEL", "k");
    std::vector<std::string> all = {"BLOOM.CREATE", "k"};
    all.insert(all.end(), words.begin(), words.end());
    const std::string made = server().run(all);
    const std::string info = server()("BLOOM.INFO", "k");
    return made == "+OK" ? info.substr(info.find("keyed :") + 7, 1) : made;
  };
  const std::string refused = "-ERR keys of the layout redisbloom have a fixed hash";
  server()("CONFIG", "SET", "bloomery.keyed", "yes");
  for (const char* const usual : {"bloomery", "redisbloom"}) {
    server()("CONFIG", "SET", "bloomery.layout", usual);
    const bool is_ours = std::string(usual) == "bloomery";
    EXPECT_EQ(keyed({"LAYOUT", "BLOOMERY"}), "1") << usual;
    EXPECT_EQ(keyed({"LAYOUT", "QUOTIENT"}), "1") << usual;
    EXPECT_EQ(keyed({"CAPACITY", "100", "LAYOUT", "REDISBLOOM"}), is_ours ? refused : "0");
    EXPECT_EQ(keyed({}), is_ours ? "1" : "0");
    EXPECT_EQ(keyed({"LAYOUT", "REDISBLOOM", "KEYED"}), refused) << usual;
    for (const char* const layout : {"BLOOMERY", "QUOTIENT"}) {
      EXPECT_EQ(keyed({"SEED", "7", "LAYOUT", layout}), "0") << "a seed is named";
      EXPECT_EQ(keyed({"KEYED", "SEED", "7", "LAYOUT", layout}), "0");
      EXPECT_EQ(keyed({"SEED", "7", "KEYED", "LAYOUT", layout}), "1");
    }
  }
}

}  // namespace
}  // namespace bloomery
