// The server saves, rewrites, replicates, copies, weighs, frees, announces and describes our keys as it should.
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis_module/dump_copy.h"
#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

class Manners : public LiveTest {};

std::vector<std::string> many(const std::string& key, int from, int to) {
  std::vector<std::string> words = {"BF.MADD", key};
  for (int i = from; i < to; ++i) {
    words.push_back("item" + std::to_string(i));
  }
  return words;
}

// Deletable filters: with copies and deletes, one that has grown, and one that is half loaded.
void fill_deletable(LiveServer& server) {
  server("CF.RESERVE", "counts", "50000", "BUCKETSIZE", "4", "MAXITERATIONS", "7", "EXPANSION", "3", "ERROR",
         "0.001");
  for (const char* const command : {"CF.ADD", "CF.ADD", "CF.ADDNX", "CF.DEL"}) {
    for (int i = 0; i < 300; ++i) {
      server(command, "counts", "item" + std::to_string(i % 200));
    }
  }
  server("CF.INSERTNX", "counts", "ITEMS", "item1", "new", "item2");
  std::vector<std::string> words = {"CF.INSERT", "split", "ITEMS"};
  for (int i = 0; i < 9000; ++i) {
    words.push_back("item" + std::to_string(i));
  }
  server.run(words);
  server("BLOOM.LEASE", "split", "100000000");
  server("CF.RESERVE", "reserved", "100", "EXPANSION", "0");
  server("CF.INSERT", "made", "CAPACITY", "300", "ITEMS", "a", "b");
  const DumpStep half = dump_step(server, "CF", "split", "0");
  server("CF.LOADCHUNK", "half counts", half.iterator, half.data);
  const DumpStep chunk = dump_step(server, "CF", "split", half.iterator);
  server("CF.LOADCHUNK", "half counts", chunk.iterator, chunk.data);
}

// One key of each kind, among them one of several chunks and one that is half loaded.
void fill(LiveServer& server) {
  server("BF.RESERVE", "big", "0.01", "3000000");
  server.run(many("big", 0, 2000));
  server.run(many("grown", 0, 2000));
  server("BLOOM.CREATE", "keyed", "KEYED", "CAPACITY", "5000");
  server.run(many("keyed", 0, 1000));
  server("BLOOM.CREATE", "moved", "LAYOUT", "redisbloom", "CAPACITY", "500", "ERROR", "0.003");
  server.run(many("moved", 0, 2000));
  server("BLOOM.CREATE", "leased", "BYTES", "100000");
  server("BLOOM.LEASE", "leased", "100000000");
  server("BLOOM.UNION", "union", "big", "grown");
  for (const char* const layout : {"bloomery", "redisbloom"}) {
    const std::string key = std::string("fed ") + layout;
    server("BLOOM.CREATE", key, "LAYOUT", layout, "CAPACITY", "500");
    server("BLOOM.FEED", key, "", "first", "0", "ann", "bob");
    server("BLOOM.FEED", key, "first", std::string("record \0", 8), "4000000000000", "bob", "eve");
  }
  // Layers whose bits are late: as fingerprints in tables of two sizes, and as bits.
  int items = 5000;
  for (const char* const key : {"tables", "pouring", "poured"}) {
    server("BF.RESERVE", key, "0.01", "3000");
    server.run(many(key, 0, items));
    items += 4500;
  }
  server("BLOOM.UNION", "late union", "tables", "pouring", "grown");
  const std::string header = server("BF.SCANDUMP", "moved", "0");
  server("BF.LOADCHUNK", "half", "1", header.substr(5, header.size() - 6));
  // And half of its first link: a rewritten log had all of it, of which the rest was zeros.
  server("BF.LOADCHUNK", "half link", "1", header.substr(5, header.size() - 6));
  const std::string link = dump_step(server, "BF", "moved", "1").data;
  server("BF.LOADCHUNK", "half link", std::to_string(1 + link.size() / 2), link.substr(0, link.size() / 2));
  fill_deletable(server);
}

std::string digests(LiveServer& server) {
  return server("DEBUG", "DIGEST-VALUE", "big", "grown", "keyed", "moved", "leased", "union", "half",
                "half link", "tables", "pouring", "poured", "late union", "fed bloomery", "fed redisbloom",
                "counts", "split", "reserved", "made", "half counts");
}

TEST_F(Manners, ASavedServerComesBackTheSame) {
  std::string before;
  {
    LiveServer server(folder_, "s");
    ASSERT_TRUE(server.is_up());
    fill(server);
    before = digests(server);
    EXPECT_EQ(server("DEBUG", "RELOAD"), "+OK");
    EXPECT_EQ(digests(server), before);
    EXPECT_EQ(server("SAVE"), "+OK");
  }
  LiveServer again(folder_, "s");
  ASSERT_TRUE(again.is_up());
  EXPECT_EQ(digests(again), before);
}

TEST_F(Manners, ARewrittenLogComesBackTheSame) {
  std::string before;
  {
    LiveServer server(folder_, "s", {"--appendonly", "yes", "--aof-use-rdb-preamble", "no"});
    ASSERT_TRUE(server.is_up());
    fill(server);
    before = digests(server);
    EXPECT_EQ(server("DEBUG", "LOADAOF"), "+OK");
    EXPECT_EQ(digests(server), before) << "the log as it was written";
    server("BGREWRITEAOF");
    ASSERT_TRUE(
        server.wait_for({"INFO", "persistence"}, "aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0"));
    EXPECT_EQ(server("DEBUG", "LOADAOF"), "+OK");
    EXPECT_EQ(digests(server), before) << "the log as it was rewritten";
  }
  LiveServer again(folder_, "s", {"--appendonly", "yes", "--aof-use-rdb-preamble", "no"});
  ASSERT_TRUE(again.is_up());
  EXPECT_EQ(digests(again), before);
}

TEST_F(Manners, AReplicaWithOtherSettingsHasTheSameBytes) {
  // Replication needs a port. 0 would mean none, so the primary takes one that belongs to this process alone.
  const std::string port = std::to_string(20000 + ::getpid() % 10000);
  LiveServer primary(folder_, "p",
                     {"--port", port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0"});
  LiveServer replica(
      folder_, "r",
      {"--replicaof", "127.0.0.1 " + port, "--bloomery.layout", "redisbloom", "--bloomery.capacity", "7",
       "--bloomery.memory-limit", "1024", "--bloomery.keyed", "yes"});
  ASSERT_TRUE(primary.is_up());
  ASSERT_TRUE(replica.is_up());
  ASSERT_TRUE(replica.wait_for({"INFO", "replication"}, "master_link_status:up"));
  primary("CONFIG", "SET", "bloomery.error-rate", "0.002");
  fill(primary);
  primary("BF.RESERVE", "fixed", "0.01", "3", "NONSCALING");
  primary("BF.MADD", "fixed", "a", "b", "c", "d", "e");
  primary("CONFIG", "SET", "bloomery.keyed", "yes");
  primary("BF.ADD", "secret", "a");
  ASSERT_EQ(primary("WAIT", "1", "10000"), ":1");
  EXPECT_EQ(digests(replica), digests(primary));
  EXPECT_EQ(replica("DEBUG", "DIGEST-VALUE", "fixed", "secret"),
            primary("DEBUG", "DIGEST-VALUE", "fixed", "secret"));
  EXPECT_NE(replica("INFO", "stats").find("unexpected_error_replies:0"), std::string::npos);
  EXPECT_EQ(folder_.read("r.log").find("CRITICAL"), std::string::npos);
}

TEST_F(Manners, WhatChangesNothingIsNotReplicated) {
  LiveServer server(folder_, "s", {"--appendonly", "yes"});
  ASSERT_TRUE(server.is_up());
  server("BF.MADD", "k", "a", "b");
  const std::string before = server("INFO", "persistence");
  const auto size = [](const std::string& info) { return info.substr(info.find("aof_current_size:"), 40); };
  server("BF.MADD", "k", "a", "b");
  server("BF.ADD", "k", "a");
  server("BF.EXISTS", "k", "a");
  EXPECT_EQ(size(server("INFO", "persistence")), size(before));
}

// With the setting `verbatim` the log has the clients' commands, and says the same.
TEST_F(Manners, VerbatimCommandsMakeTheSameKeys) {
  for (const std::string verbatim : {"no", "yes"}) {
    LiveServer server(
        folder_, "v" + verbatim,
        {"--appendonly", "yes", "--aof-use-rdb-preamble", "no", "--bloomery.verbatim", verbatim});
    ASSERT_TRUE(server.is_up());
    EXPECT_EQ(server("BF.ADD", "b", "a"), ":1");
    EXPECT_EQ(server("BF.MADD", "b", "a", "b"), "[:0 :1]");
    EXPECT_EQ(server("BF.INSERT", "b", "ITEMS", "c"), "[:1]");
    EXPECT_EQ(server("CF.ADD", "c", "x"), ":1");
    EXPECT_EQ(server("CF.ADD", "c", "x"), ":1");
    EXPECT_EQ(server("CF.ADDNX", "c", "x"), ":0");
    EXPECT_EQ(server("CF.INSERT", "c", "ITEMS", "y", "z"), "[:1 :1]");
    EXPECT_EQ(server("CF.DEL", "c", "x"), ":1");
    EXPECT_EQ(server("BLOOM.REMOVE", "c", "z", "absent"), "[:1 :0]");
    const std::string digest = server("DEBUG", "DIGEST-VALUE", "b", "c");
    EXPECT_EQ(server("DEBUG", "LOADAOF"), "+OK");
    EXPECT_EQ(server("DEBUG", "DIGEST-VALUE", "b", "c"), digest);
    EXPECT_EQ(server("CF.COUNT", "c", "x"), ":1");
    EXPECT_EQ(server("CF.EXISTS", "c", "z"), ":0");
    const std::string log = folder_.read("v" + verbatim + ".aof/appendonly.aof.1.incr.aof");
    const auto has = [&](std::string_view word) { return log.find(word) != std::string::npos; };
    EXPECT_EQ(has("BF.MADD"), verbatim == "yes");
    EXPECT_EQ(has("CF.DEL"), verbatim == "yes");
    EXPECT_EQ(has("BLOOM.MADD"), verbatim == "no");
  }
}

TEST_F(Manners, DeletesAndAddsThatChangeNothingAreNotReplicated) {
  LiveServer server(folder_, "s", {"--appendonly", "yes"});
  ASSERT_TRUE(server.is_up());
  server("CF.INSERT", "k", "ITEMS", "a", "b");
  const auto size = [&] {
    const std::string info = server("INFO", "persistence");
    return info.substr(info.find("aof_current_size:"), 40);
  };
  const std::string before = size();
  server("CF.ADDNX", "k", "a");
  server("CF.INSERTNX", "k", "ITEMS", "a", "b");
  server("CF.DEL", "k", "absent");
  server("CF.COUNT", "k", "a");
  server("CF.COMPACT", "k");
  EXPECT_EQ(size(), before);
}

TEST_F(Manners, ACopyIsEqualAndThenItsOwn) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server.run(many("k", 0, 1000));
  EXPECT_EQ(server("COPY", "k", "copy"), ":1");
  const std::string equal = server("DEBUG", "DIGEST-VALUE", "k", "copy");
  EXPECT_EQ(equal.substr(2, 40), equal.substr(44, 40));
  const std::string before = server("DEBUG", "DIGEST-VALUE", "k");
  server.run(many("copy", 1000, 1050));
  EXPECT_EQ(server("DEBUG", "DIGEST-VALUE", "k"), before);
  EXPECT_NE(server("DEBUG", "DIGEST-VALUE", "copy"), before);
}

TEST_F(Manners, MemoryIsCountedAndGivenBack) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("BF.RESERVE", "k", "0.01", "8000000");
  const auto usage = [&] { return std::stoll(server("MEMORY", "USAGE", "k").substr(1)); };
  server.run(many("k", 0, 2000));
  EXPECT_LT(usage(), 1'000'000) << "what is nearly empty takes little";
  for (int i = 2; i < 100; ++i) {
    server.run(many("k", i * 1000, i * 1000 + 1000));
  }
  EXPECT_GT(usage(), 10'000'000);
  EXPECT_NE(server("INFO", "bloomery").find("bloomery_filters:1"), std::string::npos);
  EXPECT_NE(server("INFO", "bloomery").find("bloomery_items_added:100000"), std::string::npos);
  EXPECT_EQ(server("UNLINK", "k"), ":1");
  EXPECT_TRUE(server.wait_for({"INFO", "bloomery"}, "bloomery_chunk_bytes:0"));
  EXPECT_TRUE(server.wait_for({"INFO", "memory"}, "lazyfreed_objects:1")) << "not freed in the background";
}

TEST_F(Manners, AServerWithoutMemoryRefusesAndStillAnswers) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("BF.ADD", "k", "a");
  server("CONFIG", "SET", "maxmemory", "1");
  EXPECT_EQ(server("BF.ADD", "k", "b").find("-OOM"), 0u);
  EXPECT_EQ(server("BF.EXISTS", "k", "a"), ":1");
}

TEST_F(Manners, EventsAreAnnounced) {
  LiveServer server(folder_, "s", {"--notify-keyspace-events", "Ed"});
  ASSERT_TRUE(server.is_up());
  RespClient listener(server.socket());
  listener.run({"HELLO", "2"});
  EXPECT_NE(listener.run({"SUBSCRIBE", "__keyevent@0__:bloom.add"}).find("subscribe"), std::string::npos);
  server("BF.ADD", "k", "a");
  EXPECT_EQ(listener.run({"PING"}), "[$message $__keyevent@0__:bloom.add $k]");
}

TEST_F(Manners, DeletesAreAnnounced) {
  LiveServer server(folder_, "s", {"--notify-keyspace-events", "Ed"});
  ASSERT_TRUE(server.is_up());
  RespClient listener(server.socket());
  listener.run({"SUBSCRIBE", "__keyevent@0__:bloom.remove"});
  server("CF.ADD", "k", "a");
  server("CF.DEL", "k", "b");
  server("CF.DEL", "k", "a");
  EXPECT_EQ(listener.run({"PING"}), "[$message $__keyevent@0__:bloom.remove $k]");
}

TEST_F(Manners, MemoryOfADeletableFilterIsTheServers) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  std::vector<std::string> words = {"CF.INSERT", "k", "ITEMS"};
  for (int i = 0; i < 50'000; ++i) {
    words.push_back("item" + std::to_string(i));
  }
  const auto used = [&] {
    const std::string info = server("INFO", "memory");
    return std::stoll(info.substr(info.find("used_memory:") + 12));
  };
  server("CF.RESERVE", "k", "2000000");  // about 10 MB, of which every segment gets items
  server.run(words);
  const long long with_key = used();
  const long long usage = std::stoll(server("MEMORY", "USAGE", "k").substr(1));
  EXPECT_GT(usage, 4'000'000);
  EXPECT_EQ(server("UNLINK", "k"), ":1");
  EXPECT_TRUE(server.wait_for({"INFO", "memory"}, "lazyfreed_objects:1"));  // counted when all is freed
  EXPECT_TRUE(server.wait_for({"INFO", "bloomery"}, "bloomery_chunk_bytes:0"));
  EXPECT_GT(with_key - used(), usage * 9 / 10);
}

TEST_F(Manners, TheServerKnowsTheCommands) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  EXPECT_EQ(server("COMMAND", "GETKEYS", "BF.MADD", "k", "a", "b"), "[$k]");
  EXPECT_EQ(server("COMMAND", "GETKEYS", "BLOOM.UNION", "k", "a", "b"), "[$k $a $b]");
  EXPECT_NE(server("COMMAND", "DOCS", "BF.RESERVE").find("nonscaling"), std::string::npos);
  EXPECT_NE(server("COMMAND", "INFO", "BF.EXISTS").find("readonly"), std::string::npos);
  EXPECT_NE(server("COMMAND", "INFO", "BF.ADD").find("denyoom"), std::string::npos);
  EXPECT_EQ(server("COMMAND", "GETKEYS", "CF.INSERT", "k", "ITEMS", "a"), "[$k]");
  EXPECT_NE(server("COMMAND", "DOCS", "CF.RESERVE").find("maxiterations"), std::string::npos);
  EXPECT_EQ(server("COMMAND", "INFO", "CF.DEL").find("denyoom"), std::string::npos) << "a delete takes none";
  EXPECT_NE(server("COMMAND", "INFO", "CF.DEL").find("+delete"), std::string::npos);
  // The key specs tell which keys a command reads and which it writes.
  server("ACL", "SETUSER", "user", "on", "nopass", "~a*", "%R~b*", "+bf.exists", "+bf.add");
  RespClient user(server.socket());
  user.run({"AUTH", "user", "x"});
  EXPECT_EQ(user.run({"BF.EXISTS", "a", "x"}), ":0");
  EXPECT_EQ(user.run({"BF.ADD", "a", "x"}), ":1");
  EXPECT_EQ(user.run({"BF.EXISTS", "b", "x"}), ":0");
  EXPECT_EQ(user.run({"BF.ADD", "b", "x"}).find("-NOPERM"), 0u);
  EXPECT_EQ(user.run({"BF.EXISTS", "c", "x"}).find("-NOPERM"), 0u);
  EXPECT_EQ(user.run({"BF.CARD", "a"}).find("-NOPERM"), 0u);
}

// Every command with the rights that it needs of its keys: r to read, w to write, b both. A command that is missing here fails
// the test. BLOOM.LOADEND took the part away from whom could only read it.
TEST_F(Manners, EveryCommandWantsTheRightsOfItsKeys) {
  struct Row {
    std::vector<std::string> words;
    std::string rights;  // of each key: mine, then theirs
  };
  const std::vector<Row> rows = {
      {{"bf.reserve", "mine", "0.01", "100"}, "w"},
      {{"bf.add", "mine", "a"}, "w"},
      {{"bf.madd", "mine", "a", "b"}, "w"},
      {{"bf.insert", "mine", "ITEMS", "a"}, "w"},
      {{"bf.exists", "mine", "a"}, "r"},
      {{"bf.mexists", "mine", "a", "b"}, "r"},
      {{"bf.info", "mine"}, "r"},
      {{"bf.card", "mine"}, "r"},
      {{"bf.scandump", "mine", "0"}, "r"},
      {{"bf.loadchunk", "mine", "1", "data"}, "w"},
      {{"cf.reserve", "mine", "100"}, "w"},
      {{"cf.add", "mine", "a"}, "w"},
      {{"cf.addnx", "mine", "a"}, "w"},
      {{"cf.insert", "mine", "ITEMS", "a"}, "w"},
      {{"cf.insertnx", "mine", "ITEMS", "a"}, "w"},
      {{"cf.exists", "mine", "a"}, "r"},
      {{"cf.mexists", "mine", "a"}, "r"},
      {{"cf.del", "mine", "a"}, "w"},
      {{"cf.count", "mine", "a"}, "r"},
      {{"cf.info", "mine"}, "r"},
      {{"cf.scandump", "mine", "0"}, "r"},
      {{"cf.loadchunk", "mine", "1", "data"}, "w"},
      {{"cf.compact", "mine"}, "w"},
      {{"bloom.create", "mine"}, "w"},
      {{"bloom.add", "mine", "a"}, "w"},
      {{"bloom.madd", "mine", "a"}, "w"},
      {{"bloom.exists", "mine", "a"}, "r"},
      {{"bloom.mexists", "mine", "a"}, "r"},
      {{"bloom.info", "mine"}, "r"},
      {{"bloom.card", "mine"}, "r"},
      {{"bloom.estimate", "mine"}, "r"},
      {{"bloom.remove", "mine", "a"}, "w"},
      {{"bloom.count", "mine", "a"}, "r"},
      {{"bloom.union", "mine", "theirs"}, "wr"},
      {{"bloom.lease", "mine", "1000"}, "w"},
      {{"bloom.feed", "mine", "", "record", "0", "a"}, "w"},
      {{"bloom.scandump", "mine", "0"}, "r"},
      {{"bloom.changes", "mine", "0", "0"}, "r"},
      {{"bloom.loadchunk", "mine", "1", "data"}, "w"},
      {{"bloom.load", "mine", "BEGIN", "header", "1"}, "w"},
      {{"bloom.loadend", "mine", "theirs"}, "wb"},
      {{"bloom.dump", "mine", "0"}, "r"},
  };
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  const std::string list = server("COMMAND", "LIST", "FILTERBY", "MODULE", "bloomery");
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(list, '$')), rows.size()) << list;
  const auto pattern_of = [](char right, const std::string& key) {
    return (right == 'r' ? "%R~" : right == 'w' ? "%W~" : "%RW~") + key;
  };
  // Whether a user with these rights of the keys may call the command.
  const auto may_call = [&](const Row& row, const std::string& rights) {
    std::vector<std::string> user = {"ACL", "SETUSER", "user", "reset", "on", "+@all"};
    for (std::size_t key = 0; key < rights.size(); ++key) {
      if (rights[key] != '-') {
        user.push_back(pattern_of(rights[key], key == 0 ? "mine" : "theirs"));
      }
    }
    EXPECT_EQ(server.run(user), "+OK");
    std::vector<std::string> words = {"ACL", "DRYRUN", "user"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    return server.run(words) == "+OK";
  };
  for (const Row& row : rows) {
    EXPECT_NE(list.find("$" + row.words[0]), std::string::npos) << row.words[0];
    EXPECT_TRUE(may_call(row, row.rights)) << row.words[0];
    for (std::size_t key = 0; key < row.rights.size(); ++key) {
      for (const char right : {'-', 'r', 'w'}) {
        std::string less = row.rights;
        less[key] = right;
        EXPECT_EQ(may_call(row, less), right == row.rights[key]) << row.words[0] << " with " << less;
      }
    }
  }
  EXPECT_EQ(server("COMMAND", "GETKEYS", "BLOOM.LOADEND", "k", "part"), "[$k $part]");
}

// The secret of a keyed filter, as a word and in the front of a dump, was in both.
TEST_F(Manners, SecretsAreNeitherInSlowlogNorInMonitor) {
  LiveServer server(folder_, "s", {"--slowlog-log-slower-than", "0"});
  ASSERT_TRUE(server.is_up());
  RespClient monitor(server.socket());
  ASSERT_EQ(monitor.run({"MONITOR"}), "+OK");
  const std::string secret = "00112233445566778899aabbccddeeff";
  EXPECT_EQ(server("BLOOM.CREATE", "k", "SECRET", secret), "+OK");
  EXPECT_EQ(server("BLOOM.LOAD", "part", "BEGIN", "header", "1", "SECRET", secret).find("-ERR"), 0U);
  const DumpStep header = dump_step(server, "BLOOM", "k", "0");
  ASSERT_NE(header.data.find("\xaa\xbb\xcc\xdd"), std::string::npos);
  EXPECT_EQ(server("BLOOM.LOADCHUNK", "copy", "1", header.data), "+OK");
  std::string seen;
  for (int i = 0; i < 4; ++i) {
    seen += monitor.run({"PING"});
  }
  EXPECT_NE(seen.find("(redacted)"), std::string::npos) << seen;
  for (const std::string& shown : {seen, server("SLOWLOG", "GET", "100")}) {
    EXPECT_NE(shown.find("SECRET"), std::string::npos) << shown;
    EXPECT_EQ(shown.find(secret), std::string::npos) << shown;
    EXPECT_EQ(shown.find("\xaa\xbb\xcc\xdd"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("\\xaa\\xbb\\xcc\\xdd"), std::string::npos) << shown;
    EXPECT_NE(shown.find("(redacted)"), std::string::npos) << shown;
  }
  EXPECT_EQ(server("BLOOM.ADD", "k", "a"), ":1");
}

TEST_F(Manners, WhereTheNamesAreTakenOnlyOurOwnAreOffered) {
  LiveServer server(folder_, "s", {}, BLOOMERY_TAKEN_NAMES);
  ASSERT_TRUE(server.is_up());
  EXPECT_EQ(server("BF.RESERVE", "k"), "+another module");
  EXPECT_EQ(server("BF.ADD", "k", "a").find("-ERR unknown command"), 0u);
  EXPECT_EQ(server("BLOOM.ADD", "k", "a"), ":1");
  EXPECT_NE(folder_.read("s.log").find("BF.RESERVE is taken, so only BLOOM.* is offered"), std::string::npos);
  EXPECT_EQ(server("CF.RESERVE", "k"), "+another module");
  EXPECT_EQ(server("CF.ADD", "k", "a").find("-ERR unknown command"), 0u);
  EXPECT_NE(folder_.read("s.log").find("CF.RESERVE is taken, so only BLOOM.* is offered"), std::string::npos);
  EXPECT_EQ(server("BLOOM.CREATE", "counts", "LAYOUT", "quotient"), "+OK");
  EXPECT_EQ(server("BLOOM.MADD", "counts", "a", "a"), "[:1 :1]");
  const std::string before = server("DEBUG", "DIGEST-VALUE", "k");
  EXPECT_EQ(server("DEBUG", "RELOAD"), "+OK");
  EXPECT_EQ(server("DEBUG", "DIGEST-VALUE", "k"), before);
}

TEST_F(Manners, ArgumentsOfTheModuleAreRefused) {
  // A setting that nobody reads would be a surprise, so the server does not start.
  LiveServer server(folder_, "s", {}, std::string(BLOOMERY_REDIS_MODULE) + " x");
  EXPECT_FALSE(server.is_up());
}

TEST_F(Manners, ABadSettingStopsTheServer) {
  for (const std::string name :
       {"layout", "error-rate", "capacity", "expansion", "keyed", "memory-limit", "verbatim"}) {
    LiveServer server(folder_, "s", {"--bloomery." + name, "-7"});
    EXPECT_FALSE(server.is_up()) << name;
  }
}

TEST_F(Manners, AModuleWithKeysStays) {
  LiveServer server(folder_, "s", {"--enable-module-command", "yes"});
  ASSERT_TRUE(server.is_up());
  EXPECT_EQ(server("MODULE", "UNLOAD", "bloomery").find("-ERR"), 0u);
  EXPECT_EQ(server("BF.ADD", "k", "a"), ":1");
}

TEST_F(Manners, CraftedRestoresAreRefused) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("BF.MADD", "k", "a", "b");
  const std::string dump = server("DUMP", "k").substr(1);
  EXPECT_EQ(server("RESTORE", "copy", "0", dump), "+OK");
  EXPECT_EQ(server("BF.MEXISTS", "copy", "a", "b", "c"), "[:1 :1 :0]");
  for (std::size_t i = 0; i < dump.size(); ++i) {
    std::string damaged = dump;
    damaged[i] ^= 0x10;
    EXPECT_EQ(server("RESTORE", "damaged", "0", damaged).find("-ERR"), 0u) << i;
  }
  EXPECT_EQ(server("PING"), "+PONG");
}

TEST_F(Manners, ALeaseThatIsOverAnswersMaybe) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("BLOOM.ADD", "k", "a");
  EXPECT_EQ(server("BLOOM.LEASE", "k", "1000000"), "+OK");
  EXPECT_EQ(server("BLOOM.EXISTS", "k", "absent"), ":0");
  EXPECT_EQ(server("BLOOM.LEASE", "k", "AT", "1"), "+OK");
  EXPECT_EQ(server("BLOOM.EXISTS", "k", "absent"), ":1");
  EXPECT_EQ(server("BF.MEXISTS", "k", "absent", "too"), "[:1 :1]");
  EXPECT_EQ(server("BLOOM.LEASE", "k", "0"), "+OK") << "0 takes the lease away";
  EXPECT_EQ(server("BLOOM.EXISTS", "k", "absent"), ":0");
  EXPECT_EQ(server("BLOOM.LEASE", "k", "-1"), "-ERR bad lease: expected 0 or more milliseconds");
  EXPECT_EQ(server("BLOOM.LEASE", "missing", "10"), "-ERR not found");
}

TEST_F(Manners, OwnCommandsRefuseWhatDoesNotFit) {
  LiveServer server(folder_, "s");
  ASSERT_TRUE(server.is_up());
  server("SET", "text", "1");
  EXPECT_EQ(server("BLOOM.EXISTS", "text", "a").find("-WRONGTYPE"), 0u);
  EXPECT_EQ(server("BLOOM.CREATE", "k", "CAPACITY"), "-ERR unknown or incomplete option");
  EXPECT_EQ(server("BLOOM.CREATE", "k", "BYTES", "10"),
            "-ERR bad bytes: too few for one item at this error rate");
  EXPECT_EQ(server("BLOOM.CREATE", "k", "BYTES", "1000", "CAPACITY", "5"),
            "-ERR BYTES goes without CAPACITY, EXPANSION and other layouts than bloomery");
  EXPECT_EQ(server("BLOOM.CREATE", "k", "LAYOUT", "redisbloom", "KEYED"),
            "-ERR keys of the layout redisbloom have a fixed hash");
  EXPECT_EQ(server("BLOOM.CREATE", "k", "SECRET", "0123"), "-ERR bad secret: expected 32 hexadecimal digits");
  EXPECT_EQ(server("BLOOM.CREATE", "a", "SEED", "1"), "+OK");
  EXPECT_EQ(server("BLOOM.CREATE", "b", "SEED", "2"), "+OK");
  EXPECT_EQ(server("BLOOM.UNION", "a", "b"), "-ERR a union is of keys with the same hash");
  EXPECT_EQ(server("BLOOM.UNION", "a", "missing"), "-ERR not found");
  EXPECT_EQ(server("BLOOM.CREATE", "bytes", "BYTES", "64000"), "+OK");
  EXPECT_NE(server("BLOOM.INFO", "bytes").find("filter-bytes :640"), std::string::npos);
  server("BLOOM.MADD", "bytes", "x", "y", "z");
  EXPECT_EQ(server("BLOOM.ESTIMATE", "bytes"), ":3");
}

}  // namespace
}  // namespace bloomery
