// A filter file is loaded into a key chunk by chunk, answers as the file does, and comes out of it byte for byte.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/counting_bloom_filter.h"
#include "bloomery/filter/ribbon_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "hash/secret_text.h"
#include "tests/redis_module/loaded_files.h"

namespace bloomery {
namespace {

class Load : public LoadedFiles {
 protected:
  void expect_damage_is_refused(const std::string& file) {
    for (std::size_t i = 0; i < file.size(); ++i) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
      server()("DEL", "{k}:part");
      // A client that announces the damaged file, as it would one that lay damaged on its disk.
      std::string reply = begin(damaged);
      if (reply == ":0") {
        reply = chunk(damaged, 0);
        // Keys of an exact file are proven as they come.
        reply = reply.front() == ':' ? server()("BLOOM.LOADEND", "k", "{k}:part") : reply;
      }
      EXPECT_EQ(reply.find("-ERR"), 0U) << "byte " << i << ": " << reply;
      // One that was damaged on the way.
      server()("DEL", "{k}:part");
      ASSERT_EQ(begin(file), ":0");
      EXPECT_EQ(server()("BLOOM.LOAD", "{k}:part", "CHUNK", "0", crc_of(file), damaged).find("-ERR"), 0U);
      if (i >= kHeader) {
        const std::string refused = chunk(damaged, 0);
        EXPECT_TRUE(refused.find("-ERR") == 0 ||
                    server()("BLOOM.LOADEND", "k", "{k}:part").find("-ERR expected the checksums") == 0)
            << i;
      }
    }
    EXPECT_EQ(server()("EXISTS", "k"), ":0");
  }
};

TEST_F(Load, FilesOfAllTypesThatAreTakenAnswerAndComeBack) {
  const std::vector<std::string> files = {blocked_file(300'000),
                                          file_of(*BloomFilter::for_capacity(200'000, 1e-6), 200'000),
                                          ribbon_file(500'000),
                                          file_of(*CountingBloomFilter::for_capacity(100'000, 1e-6), 100'000),
                                          file_of(*ScalableFilter::for_capacity(1000, 1e-6), 100'000),
                                          exact_file(100'000),
                                          windowed_file(100'000, std::chrono::hours(0))};
  const std::vector<int> keys = {300'000, 200'000, 500'000, 100'000, 100'000, 100'000, 100'000};
  for (std::size_t i = 0; i < files.size(); ++i) {
    load(files[i]);
    expect_answers(server(), keys[i]);
    EXPECT_EQ(dumped(server()), files[i]);
    EXPECT_EQ(server()("EXISTS", "{k}:part"), ":0");
    EXPECT_EQ(server()("TTL", "k"), ":-1");
  }
  EXPECT_EQ(server()("TYPE", "k"), "+bloomeryF");
  EXPECT_NE(server()("BLOOM.INFO", "k").find("+type +windowed"), std::string::npos);
}

TEST_F(Load, TheKeyAnswersAsBeforeUntilTheEnd) {
  server()("BLOOM.CREATE", "k", "CAPACITY", "1000", "ERROR", "1e-6");
  server()("BLOOM.ADD", "k", "old");
  const std::string file = blocked_file(300'000);
  EXPECT_EQ(begin(file), ":0");
  EXPECT_EQ(chunk(file, 0), ":" + std::to_string(kChunk));
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "old", "item 1"), "[:1 :0]");
  EXPECT_EQ(server()("BLOOM.EXISTS", "{k}:part", "nobody"), ":1") << "a part says maybe";
  EXPECT_EQ(server()("BLOOM.LOADEND", "k", "{k}:part").find("-ERR expected all bytes"), 0U);
  EXPECT_EQ(server()("BLOOM.EXISTS", "k", "old"), ":1");
  EXPECT_EQ(begin(file), ":" + std::to_string(kChunk)) << "it goes on";
  for (std::size_t at = kChunk; at < file.size(); at += kChunk) {
    chunk(file, at);
  }
  EXPECT_GT(std::stoi(server()("TTL", "{k}:part").substr(1)), 3000);
  EXPECT_EQ(server()("BLOOM.LOADEND", "k", "{k}:part"), "+OK");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "old", "item 1"), "[:0 :1]");
  load(blocked_file(1000), "k");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "item 999", "item 1001"), "[:1 :0]");
}

// LOADEND of a key onto itself is how the log of a server ends a load. Done again, it took the time to live that the key had
// got since.
TEST_F(Load, TheEndOfAFinishedLoadLeavesItsTimeToLive) {
  const std::string file = blocked_file(1000);
  ASSERT_EQ(begin(file, "k"), ":0");
  chunk(file, 0, kChunk, "k");
  EXPECT_EQ(server()("BLOOM.LOADEND", "k", "k"), "+OK");
  EXPECT_EQ(server()("TTL", "k"), ":-1") << "of a part";
  EXPECT_EQ(server()("EXPIRE", "k", "5000"), ":1");
  EXPECT_EQ(server()("BLOOM.LOADEND", "k", "k"), "+OK");
  EXPECT_GT(std::stoi(server()("TTL", "k").substr(1)), 4000);
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "item 1", "nobody"), "[:1 :0]");
}

// Whoever can only read a part does not take it away.
TEST_F(Load, APartOfAnotherUserStays) {
  load(blocked_file(1000), "theirs");
  server()("ACL", "SETUSER", "user", "on", "nopass", "~mine", "%R~theirs", "+@all");
  RespClient user(server().socket());
  user.run({"AUTH", "user", "x"});
  EXPECT_EQ(user.run({"BLOOM.EXISTS", "theirs", "item 1"}), ":1");
  EXPECT_EQ(user.run({"BLOOM.LOADEND", "mine", "theirs"}).find("-NOPERM"), 0U);
  EXPECT_EQ(server()("EXISTS", "theirs"), ":1");
  server()("ACL", "SETUSER", "user", "%RW~theirs");
  EXPECT_EQ(user.run({"BLOOM.LOADEND", "mine", "theirs"}), "+OK");
  EXPECT_EQ(server()("EXISTS", "mine", "theirs"), ":1");
}

TEST_F(Load, AFileAboveTheLimitIsRestoredByNobodyButTheServerItself) {
  load(blocked_file(10'000));
  const std::string dump = server()("DUMP", "k").substr(1);
  EXPECT_EQ(server()("RESTORE", "copy", "0", dump), "+OK");
  server()("CONFIG", "SET", "bloomery.memory-limit", "10000");
  EXPECT_EQ(server()("RESTORE", "new", "0", dump).find("-ERR"), 0U);
  EXPECT_EQ(server()("DEBUG", "RELOAD"), "+OK");
  EXPECT_EQ(server()("BLOOM.EXISTS", "copy", "item 1"), ":1");
}

TEST_F(Load, ChunksOutOfOrderOrDamagedAreRefused) {
  const std::string file = blocked_file(1000);
  EXPECT_EQ(chunk(file, 0), "-ERR not found");
  ASSERT_EQ(begin(file), ":0");
  EXPECT_EQ(chunk(file, 100, 100).find("-ERR expected the chunk at 0"), 0U);
  EXPECT_EQ(chunk(file, 0, 300), ":300");
  EXPECT_EQ(chunk(file, 0, 300), ":300") << "once more";
  EXPECT_EQ(chunk(file, 100, 100), ":300");
  EXPECT_EQ(chunk(file, 200, 200).find("-ERR"), 0U);
  EXPECT_EQ(
      server()("BLOOM.LOAD", "{k}:part", "CHUNK", "300", "1", "data").find("-ERR expected bytes of the"), 0U);
  EXPECT_EQ(server()("BLOOM.LOAD", "{k}:part", "CHUNK", "300", crc_of(""), "").find("-ERR expected a chunk"),
            0U);
  const std::string long_chunk(kChunk + 1, 'x');
  EXPECT_EQ(server()("BLOOM.LOAD", "{k}:part", "CHUNK", "300", crc_of(long_chunk), long_chunk).find("-ERR"),
            0U);
  for (const char* const offset : {"-1", "x", "99999999", "9223372036854775807", "18446744073709551615"}) {
    EXPECT_EQ(server()("BLOOM.LOAD", "{k}:part", "CHUNK", offset, crc_of("a"), "a").find("-ERR"), 0U)
        << offset;
  }
  EXPECT_EQ(begin(blocked_file(2000)).find("-ERR the key has another file"), 0U);
  EXPECT_EQ(chunk(file, 300), ":" + std::to_string(file.size()));
  EXPECT_EQ(server()("BLOOM.LOADEND", "k", "{k}:part"), "+OK");
  EXPECT_EQ(begin(file, "k").find("-ERR the key has another file"), 0U)
      << "a key that is finished is no part";
  EXPECT_EQ(chunk(file, 0, 300, "k"), "-ERR the load has ended");
}

TEST_F(Load, EveryDamagedByteOfAFileIsRefused) {
  for (const std::string& file :
       {blocked_file(20), exact_file(20), windowed_file(20, std::chrono::hours(0))}) {
    expect_damage_is_refused(file);
  }
}

TEST_F(Load, FilesThatAServerCannotAskAreRefusedByName) {
  const auto refused = [&](const std::string& file) {
    server()("DEL", "{k}:part");
    return begin(file);
  };
  EXPECT_NE(refused(blocked_file(10, {.keys = {.form = KeyForm::kUrl}})).find("URLs"), std::string::npos);
  EXPECT_NE(refused(blocked_file(10, {.keys = {.parts = 2}})).find("composite"), std::string::npos);
  EXPECT_EQ(server()("BLOOM.LOAD", "p", "BEGIN", "short", "1").find("-ERR expected the first 192"), 0U);
  EXPECT_EQ(server()("BLOOM.LOAD", "p", "BEGIN", std::string(kHeader, '\0'), "1").find("-ERR"), 0U);
  const std::string file = blocked_file(10);
  for (const char* const crc : {"-1", "x", "4294967296"}) {
    EXPECT_EQ(server()("BLOOM.LOAD", "p", "BEGIN", file.substr(0, kHeader), crc).find("-ERR bad checksum"),
              0U);
  }
  EXPECT_EQ(server()("BLOOM.LOAD", "p", "MIDDLE", "1", "2").find("-ERR expected BEGIN"), 0U);
  server()("CONFIG", "SET", "bloomery.memory-limit", "100000");
  EXPECT_EQ(refused(blocked_file(300'000)), "-ERR operation exceeds bloom object memory limit");
  server()("SET", "text", "1");
  EXPECT_EQ(begin(file, "text").find("-WRONGTYPE"), 0U);
  EXPECT_EQ(server()("BLOOM.LOADEND", "k", "text").find("-WRONGTYPE"), 0U);
  EXPECT_EQ(server()("BLOOM.LOADEND", "k", "missing"), "-ERR not found");
  ASSERT_EQ(begin(file), ":0");
  chunk(file, 0);
  EXPECT_EQ(server()("BLOOM.LOADEND", "text", "{k}:part").find("-WRONGTYPE"), 0U);
  server()("BLOOM.CREATE", "fed");
  server()("BLOOM.FEED", "fed", "", "mine", "0");
  EXPECT_EQ(server()("BLOOM.LOADEND", "fed", "{k}:part").find("-ERR a feeder has this key"), 0U);
}

TEST_F(Load, SizesThatNoMachineHasAreRefused) {
  const std::string file = blocked_file(1000);
  for (const std::size_t at : {std::size_t{88}, std::size_t{96}, std::size_t{104}, std::size_t{160}}) {
    for (const std::uint64_t size :
         {std::uint64_t{1'000'000'000'000'000'000}, ~std::uint64_t{0}, ~std::uint64_t{63}}) {
      std::string header = file.substr(0, kHeader);
      auto* const bytes = reinterpret_cast<std::byte*>(header.data());
      store_little(bytes + at, size);
      store_little(bytes + 188, crc32c({bytes, 188}));
      EXPECT_EQ(server()("BLOOM.LOAD", "p", "BEGIN", header, "1").find("-ERR"), 0U) << at << " " << size;
    }
  }
  EXPECT_EQ(server()("EXISTS", "p"), ":0");
}

TEST_F(Load, AServerWithoutMemoryRefusesChunksAndTheLoadGoesOnLater) {
  const std::string file = blocked_file(1000);
  ASSERT_EQ(begin(file), ":0");
  server()("CONFIG", "SET", "maxmemory", "1");
  EXPECT_EQ(chunk(file, 0).find("-OOM"), 0U);
  EXPECT_EQ(begin(file).find("-OOM"), 0U);
  server()("CONFIG", "SET", "maxmemory", "0");
  EXPECT_EQ(begin(file), ":0");
  EXPECT_EQ(chunk(file, 0), ":" + std::to_string(file.size()));
  EXPECT_EQ(server()("BLOOM.LOADEND", "k", "{k}:part"), "+OK");
}

TEST_F(Load, AFileIsLoadedInOneTransaction) {
  const std::string file = blocked_file(1000);
  EXPECT_EQ(server()("MULTI"), "+OK");
  begin(file);
  chunk(file, 0);
  server()("BLOOM.LOADEND", "k", "{k}:part");
  EXPECT_EQ(server()("EXEC"), "[:0 :" + std::to_string(file.size()) + " +OK]");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "item 1", "nobody"), "[:1 :0]");
}

TEST_F(Load, AKeyedFileWantsItsSecret) {
  const auto secret = HashSecret::generate();
  const std::string file = blocked_file(1000, {.hash = keyed_hash(*secret)});
  const std::string hex = secret_text(*secret);
  const auto begin_with = [&](const std::string& text) {
    return server()("BLOOM.LOAD", "{k}:part", "BEGIN", file.substr(0, kHeader), crc_of(file), "SECRET", text);
  };
  EXPECT_EQ(begin(file).find("-ERR the file is keyed"), 0U);
  EXPECT_EQ(begin_with(std::string(32, '0')).find("-ERR the file is keyed"), 0U);
  EXPECT_EQ(begin_with("short").find("-ERR bad secret"), 0U);
  EXPECT_EQ(begin_with(hex), ":0");
  chunk(file, 0);
  EXPECT_EQ(server()("BLOOM.LOADEND", "k", "{k}:part"), "+OK");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "item 1", "nobody"), "[:1 :0]");
  EXPECT_EQ(server()("DEBUG", "RELOAD"), "+OK");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "item 1", "nobody"), "[:1 :0]");
}

TEST_F(Load, ItemsAreMadeKeysAsTheFileRecords) {
  auto filter = *BlockedBloomFilter::for_capacity(100, 1e-6, {.keys = {.trim = true, .ignore_case = true}});
  filter.insert(*filter.key_of("ann"));
  std::string file;
  filter.serialize(file);
  load(file);
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", " ANN ", "bob"), "[:1 :0]");
  auto digits = *BlockedBloomFilter::for_capacity(100, 1e-6, {.keys = {.form = KeyForm::kHex}});
  digits.insert(*digits.key_of("abcd"));
  file.clear();
  digits.serialize(file);
  load(file);
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "ABcd", "abce"), "[:1 :0]");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "ABcd", "no digits").find("-ERR an item is no key"), 0U);
}

TEST_F(Load, OtherCommandsTakeItForAnotherType) {
  load(blocked_file(1000));
  for (const char* const command : {"BF.ADD", "BF.EXISTS", "CF.ADD", "BLOOM.LEASE"}) {
    const std::string reply = server()(command, "k", "1");
    EXPECT_TRUE(reply.find("-WRONGTYPE") == 0 || reply == ":0") << command << " " << reply;
  }
  EXPECT_EQ(server()("BLOOM.FEED", "k", "", "mine", "0").find("-WRONGTYPE"), 0U);
  EXPECT_EQ(server()("BLOOM.UNION", "u", "k").find("-WRONGTYPE"), 0U);
  EXPECT_EQ(server()("BLOOM.DUMP", "k", "-1").find("-ERR bad offset"), 0U);
  EXPECT_EQ(server()("BLOOM.DUMP", "k", "99999999").find("-ERR bad offset"), 0U);
  server()("BLOOM.ADD", "grown", "a");
  EXPECT_NE(server()("BLOOM.DUMP", "grown", "0").find("SCANDUMP"), std::string::npos);
  EXPECT_EQ(server()("BLOOM.DUMP", "missing", "0"), "-ERR not found");
}

class ReadOnlyFile : public LoadedFiles, public ::testing::WithParamInterface<const char*> {
 protected:
  static std::string file_of_the_type() {
    const std::string type = GetParam();
    return type == "ribbon"  ? ribbon_file(500'000)
           : type == "exact" ? exact_file(500'000)
                             : windowed_file(500'000, std::chrono::hours(0));
  }
};

INSTANTIATE_TEST_SUITE_P(All, ReadOnlyFile, ::testing::Values("ribbon", "exact", "windowed"),
                         [](const auto& type) { return std::string(type.param); });

TEST_P(ReadOnlyFile, IsSavedRewrittenCopiedAndReplicated) {
  const std::string file = file_of_the_type();
  const std::string port = std::to_string(20000 + ::getpid() % 10000);
  std::string before;
  {
    LiveServer primary(folder_, "p", {"--port", port, "--appendonly", "yes", "--aof-use-rdb-preamble", "no"});
    LiveServer replica(folder_, "r",
                       {"--replicaof", "127.0.0.1 " + port, "--replica-serve-stale-data", "yes"});
    ASSERT_TRUE(primary.is_up() && replica.is_up());
    ASSERT_TRUE(replica.wait_for({"INFO", "replication"}, "master_link_status:up"));
    server_.reset();
    const auto load_into = [&](const std::string& key, std::size_t until) {
      primary("BLOOM.LOAD", key, "BEGIN", file.substr(0, kHeader), crc_of(file));
      for (std::size_t at = 0; at < until; at += kChunk) {
        const std::string data = file.substr(at, kChunk);
        primary("BLOOM.LOAD", key, "CHUNK", std::to_string(at), crc_of(data), data);
      }
    };
    load_into("part", file.size());
    EXPECT_EQ(primary("BLOOM.LOADEND", "k", "part"), "+OK");
    load_into("half", kChunk);
    EXPECT_EQ(primary("COPY", "k", "copy"), ":1");
    EXPECT_NE(primary("COPY", "half", "no copy"), ":1") << "both would write to the same bytes";
    EXPECT_EQ(primary("EXISTS", "no copy"), ":0");
    EXPECT_EQ(primary("WAIT", "1", "10000"), ":1");
    before = primary("DEBUG", "DIGEST-VALUE", "k", "half", "copy");
    EXPECT_EQ(replica("DEBUG", "DIGEST-VALUE", "k", "half", "copy"), before);
    expect_answers(replica, 500'000);
    EXPECT_EQ(primary("DEBUG", "RELOAD"), "+OK");
    EXPECT_EQ(primary("DEBUG", "DIGEST-VALUE", "k", "half", "copy"), before);
    EXPECT_EQ(primary("DEBUG", "LOADAOF"), "+OK");
    EXPECT_EQ(primary("DEBUG", "DIGEST-VALUE", "k", "half", "copy"), before) << "the log as it was written";
    primary("BGREWRITEAOF");
    ASSERT_TRUE(
        primary.wait_for({"INFO", "persistence"}, "aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0"));
    EXPECT_EQ(primary("DEBUG", "LOADAOF"), "+OK");
    EXPECT_EQ(primary("DEBUG", "DIGEST-VALUE", "k", "half", "copy"), before) << "the log as it was rewritten";
    EXPECT_EQ(dumped(primary), file);
    EXPECT_EQ(dumped(primary, "copy"), file);
    EXPECT_EQ(dumped(primary, "half"), "-ERR filter is being loaded");
  }
}

TEST_F(Load, AnExactFileAnswersWithoutError) {
  load(exact_file(20'000));
  std::vector<std::string> words = {"BLOOM.MEXISTS", "k"};
  std::string expected;
  for (int i = 0; i < 40'000; i += 40) {
    words.push_back(item(i));
    expected += i < 20'000 ? ":1 " : ":0 ";
  }
  EXPECT_EQ(server().run(words), "[" + expected.substr(0, expected.size() - 1) + "]");
  EXPECT_EQ(server()("BLOOM.COUNT", "k", "item 7"), ":1");
  EXPECT_EQ(server()("BLOOM.COUNT", "k", "item 20000"), ":0");
  EXPECT_EQ(server()("BLOOM.ADD", "k", "a").find("-ERR an exact file is read-only"), 0U);
  EXPECT_EQ(server()("BLOOM.REMOVE", "k", "item 7").find("-ERR an exact file is read-only"), 0U);
  EXPECT_NE(server()("BLOOM.INFO", "k").find("+items :20000 +takes-items :0"), std::string::npos);
  EXPECT_NE(server()("BLOOM.INFO", "k").find("+planned-error $0"), std::string::npos)
      << server()("BLOOM.INFO", "k");
  EXPECT_EQ(server()("UNLINK", "k"), ":1");
}

TEST_F(Load, AWindowedFileForgetsByTheClockOfTheServer) {
  load(windowed_file(1000, std::chrono::hours(0)), "now");
  load(windowed_file(1000, std::chrono::hours(5)), "past");
  load(windowed_file(1000, -std::chrono::hours(5)), "ahead");
  load(windowed_file(1000, std::chrono::hours(2)), "half");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "now", "item 1", "nobody"), "[:1 :0]");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "past", "item 1", "nobody"), "[:0 :0]");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "ahead", "item 1", "nobody"), "[:1 :0]") << "a clock that is behind";
  EXPECT_EQ(server()("BLOOM.MEXISTS", "half", "item 1", "nobody"), "[:1 :0]");
  const auto says = [&](const char* key, const char* what) {
    const std::string info = server()("BLOOM.INFO", key);
    EXPECT_NE(info.find(what), std::string::npos) << info;
  };
  says("now", "+remembered-generations :5 +remembered-items :1000");
  says("past", "+remembered-generations :0 +remembered-items :0");
  says("ahead", "+remembered-generations :5 +remembered-items :1000");
  says("half", "+remembered-generations :3 +remembered-items :1000");
  EXPECT_EQ(server()("BLOOM.ADD", "now", "a").find("-ERR a windowed file is read-only"), 0U);
  EXPECT_EQ(server()("BLOOM.COUNT", "now", "a").find("-ERR items are counted in"), 0U);
  EXPECT_EQ(server()("COPY", "past", "copy"), ":1");
  EXPECT_EQ(server()("DEBUG", "RELOAD"), "+OK");
  EXPECT_EQ(server()("BLOOM.EXISTS", "copy", "item 1"), ":0");
  EXPECT_EQ(server()("BLOOM.EXISTS", "half", "item 1"), ":1");
}

TEST_F(Load, CraftedRestoresAreRefused) {
  for (const std::string& file :
       {blocked_file(20), exact_file(20), windowed_file(20, std::chrono::hours(0))}) {
    load(file);
    const std::string dump = server()("DUMP", "k").substr(1);
    EXPECT_EQ(server()("RESTORE", "copy", "0", dump, "REPLACE"), "+OK");
    EXPECT_EQ(dumped(server(), "copy"), file);
    for (std::size_t i = 0; i < dump.size(); ++i) {
      std::string damaged = dump;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
      EXPECT_EQ(server()("RESTORE", "damaged", "0", damaged).find("-ERR"), 0U) << i;
    }
  }
  EXPECT_EQ(server()("PING"), "+PONG");
}

}  // namespace
}  // namespace bloomery
