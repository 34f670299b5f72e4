// Keys that were loaded from files take items as `bloomery add` gives them to the files, on all sides of a
// live server.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "bloomery/filter/any_filter.h"
#include "hash/secret_text.h"
#include "tests/redis_module/loaded_files.h"

namespace bloomery {
namespace {

struct NamedFile {
  std::string name;
  std::string bytes;
};

template <typename Filter>
std::string with_exceptions(Filter filter) {
  std::vector<Hash128> denied;
  for (int i = 0; i < 20; ++i) {
    denied.push_back(filter.hash(std::string_view("denied " + std::to_string(i))));
  }
  EXPECT_TRUE(filter.add_as_exceptions(denied));
  EXPECT_TRUE(filter.set_metadata("a note"));
  return file_of(std::move(filter), 3000);
}

// Files of each type that takes items.
std::vector<NamedFile> files() {
  const FilterOptions dense{.setting = BlockedSetting::kDense};
  return {{"bloom", with_exceptions(*BloomFilter::for_capacity(100'000, 1e-3))},
          {"fast", with_exceptions(*BlockedBloomFilter::for_capacity(100'000, 1e-3))},
          {"dense", with_exceptions(*BlockedBloomFilter::for_capacity(100'000, 1e-3, dense))},
          {"counting", with_exceptions(*CountingBloomFilter::for_capacity(100'000, 1e-3))},
          {"quotient", with_exceptions(*QuotientFilter::for_capacity(4000, 1e-3))},
          {"scalable", with_exceptions(*ScalableFilter::for_capacity(1000, 1e-3))},
          {"small", file_of(*BloomFilter::for_capacity(1, 0.1), 1)}};
}

std::vector<std::string> items(int from, int to) {
  std::vector<std::string> texts;
  for (int i = from; i < to; ++i) {
    texts.push_back(item(i));
  }
  return texts;
}

class FileItems : public LoadedFiles {
 protected:
  static std::string run(LiveServer& with, const char* command, const std::string& key,
                         const std::vector<std::string>& given) {
    std::vector<std::string> words = {command, key};
    words.insert(words.end(), given.begin(), given.end());
    return with.run(words);
  }
  // What the file becomes by these items.
  std::string added(const std::string& file, const std::vector<std::string>& given) {
    folder_.write("model", file);
    const std::string path = folder_.path("model");
    const bool in_place = AnyFilter::open(path)->updates_in_place();
    auto filter = *AnyFilter::open(path, {.access = in_place ? Access::kUpdateInPlace : Access::kCopyLocked});
    for (const std::string& text : given) {
      EXPECT_TRUE(filter.insert(*filter.key_of(text)));
    }
    EXPECT_TRUE(in_place ? filter.native().finish_update() : filter.save(path, {.replace = true}));
    return folder_.read("model");
  }
};

TEST_F(FileItems, ItemsMakeOfAFileWhatTheCommandMakesOfIt) {
  for (const NamedFile& file : files()) {
    load(file.bytes);
    std::vector<std::string> given = items(2000, 8000);
    given.insert(given.end(), {"denied 3", "denied 5", "denied 3"});
    const std::string reply = run(server(), "BLOOM.MADD", "k", given);
    if (file.name != "small") {
      EXPECT_EQ(reply.substr(0, 6), "[:0 :0") << "known: " << file.name;
      EXPECT_EQ(reply.substr(reply.size() - 10), " :1 :1 :0]") << file.name;
    }
    given.emplace_back("one more");
    EXPECT_EQ(server()("BLOOM.ADD", "k", "one more"), file.name == "small" ? ":0" : ":1") << file.name;
    EXPECT_EQ(run(server(), "BLOOM.MEXISTS", "k", given).find(":0"), std::string::npos) << file.name;
    EXPECT_TRUE(dumped(server()) == added(file.bytes, given)) << file.name;
    EXPECT_NE(server()("BLOOM.INFO", "k").find("+takes-items :1"), std::string::npos);
  }
}

TEST_F(FileItems, AReplicaASnapshotAndALogHaveTheSameBytes) {
  const std::string port = std::to_string(20000 + (::getpid() + 1) % 10000);
  LiveServer primary(folder_, "p", {"--port", port, "--appendonly", "yes", "--aof-use-rdb-preamble", "no"});
  LiveServer replica(folder_, "r", {"--replicaof", "127.0.0.1 " + port});
  ASSERT_TRUE(primary.is_up() && replica.is_up());
  ASSERT_TRUE(replica.wait_for({"INFO", "replication"}, "master_link_status:up"));
  server_.reset();
  std::vector<std::string> words = {"DEBUG", "DIGEST-VALUE"};
  for (const NamedFile& file : files()) {
    primary("BLOOM.LOAD", "part", "BEGIN", file.bytes.substr(0, kHeader), crc_of(file.bytes));
    for (std::size_t at = 0; at < file.bytes.size(); at += kChunk) {
      const std::string data = file.bytes.substr(at, kChunk);
      primary("BLOOM.LOAD", "part", "CHUNK", std::to_string(at), crc_of(data), data);
    }
    ASSERT_EQ(primary("BLOOM.LOADEND", file.name, "part"), "+OK");
    EXPECT_EQ(primary("COPY", file.name, file.name + " before"), ":1");
    for (int i = 0; i < 20; ++i) {
      run(primary, "BLOOM.MADD", file.name, items(2900 + 500 * i, 3500 + 500 * i));
      primary("BLOOM.ADD", file.name, "denied " + std::to_string(i));
    }
    EXPECT_TRUE(dumped(primary, file.name + " before") == file.bytes) << file.name;
    words.insert(words.end(), {file.name, file.name + " before"});
  }
  EXPECT_EQ(primary("BLOOM.REMOVE", "counting", "item 3450", "item 3450", "nobody", "denied 1"),
            "[:1 :1 :0 :1]");
  EXPECT_EQ(primary("BLOOM.REMOVE", "quotient", "item 3450", "item 3450", "nobody", "denied 1"),
            "[:1 :1 :0 :1]");
  EXPECT_EQ(primary("WAIT", "1", "10000"), ":1");
  const std::string before = primary.run(words);
  EXPECT_EQ(replica.run(words), before);
  EXPECT_EQ(primary("DEBUG", "RELOAD"), "+OK");
  EXPECT_EQ(primary.run(words), before);
  EXPECT_EQ(primary("DEBUG", "LOADAOF"), "+OK");
  EXPECT_EQ(primary.run(words), before) << "the log as it was written";
  primary("BGREWRITEAOF");
  ASSERT_TRUE(
      primary.wait_for({"INFO", "persistence"}, "aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0"));
  EXPECT_EQ(primary("DEBUG", "LOADAOF"), "+OK");
  EXPECT_EQ(primary.run(words), before) << "the log as it was rewritten";
  EXPECT_EQ(primary("BLOOM.MADD", "scalable", "after", "all"), "[:1 :1]");
}

TEST_F(FileItems, AQuotientFileAnswersCountsAndTakesItems) {
  auto filter = *QuotientFilter::for_capacity(300'000, 1e-3);
  for (int i = 0; i < 250'000; ++i) {
    ASSERT_TRUE(filter.insert(item(i)));
  }
  ASSERT_TRUE(filter.insert(filter.hash(std::string_view("often")), 1000));
  const std::array denied = {filter.hash(std::string_view("item 7"))};
  ASSERT_TRUE(filter.add_as_exceptions(denied));
  std::string file;
  filter.serialize(file);
  load(file);
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "item 1", "item 7", "often", "item 249999"), "[:1 :0 :1 :1]");
  EXPECT_EQ(server()("BLOOM.COUNT", "k", "often"), ":1000");
  EXPECT_EQ(server()("BLOOM.COUNT", "k", "item 7"), ":0");
  int maybe = 0;
  for (int i = 0; i < 10; ++i) {
    const std::vector<std::string> strangers = items(1'000'000 + 1000 * i, 1'001'000 + 1000 * i);
    const std::string reply = run(server(), "BLOOM.MEXISTS", "k", strangers);
    maybe += static_cast<int>(std::count(reply.begin(), reply.end(), '1'));
  }
  EXPECT_LT(maybe, 30) << "of 10,000";
  EXPECT_NE(server()("BLOOM.INFO", "k").find("+takes-items :1"), std::string::npos);
  EXPECT_EQ(server()("COPY", "k", "copy"), ":1");
  EXPECT_EQ(server()("DEBUG", "RELOAD"), "+OK");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "copy", "item 1", "item 7", "often", "item 249999"), "[:1 :0 :1 :1]");
  EXPECT_TRUE(dumped(server(), "copy") == file);
  EXPECT_EQ(server()("BLOOM.MADD", "k", "often", "item 7", "a new one"), "[:0 :1 :1]");
  EXPECT_EQ(server()("BLOOM.COUNT", "k", "often"), ":1001");
  EXPECT_EQ(server()("BLOOM.REMOVE", "k", "often", "a new one", "a new one"), "[:1 :1 :0]");
  EXPECT_TRUE(dumped(server(), "copy") == file) << "the copy has none of it";
  EXPECT_TRUE(filter.insert(filter.hash(std::string_view("item 7"))));
  file.clear();
  filter.serialize(file);
  EXPECT_TRUE(dumped(server()) == file);
}

TEST_F(FileItems, AQuotientFileSplitsUpToTheLimitOfAKey) {
  const std::string file = file_of(*QuotientFilter::for_capacity(1000, 1e-3), 900);
  load(file);
  server()("CONFIG", "SET", "bloomery.memory-limit", std::to_string(4 * file.size()));
  const std::string reply = run(server(), "BLOOM.MADD", "k", items(1000, 20'000));
  EXPECT_NE(reply.find("-ERR operation exceeds bloom object memory limit]"), std::string::npos);
  EXPECT_LE(dumped(server()).size(), 4 * file.size());
  const auto taken = static_cast<int>(std::count(reply.begin(), reply.end(), ':'));
  EXPECT_TRUE(dumped(server()) == added(file, items(1000, 1000 + taken)));
  server()("CONFIG", "SET", "bloomery.memory-limit", "1000000");
  EXPECT_EQ(server()("BLOOM.ADD", "k", item(1000 + taken)), ":1");
}

TEST_F(FileItems, WhatAFileDoesNotTakeIsSaid) {
  load(ribbon_file(1000));
  EXPECT_EQ(server()("BLOOM.ADD", "k", "a").find("-ERR the file is a ribbon"), 0U);
  EXPECT_EQ(server()("BLOOM.MADD", "k", "a", "b").find("-ERR the file is a ribbon"), 0U);
  EXPECT_EQ(server()("BLOOM.REMOVE", "k", "a").find("-ERR the file is a ribbon"), 0U);
  EXPECT_NE(server()("BLOOM.INFO", "k").find("+takes-items :0"), std::string::npos);
  EXPECT_EQ(server()("BF.ADD", "k", "a").find("-WRONGTYPE"), 0U);
  const std::string file = blocked_file(1000);
  ASSERT_EQ(begin(file), ":0");
  EXPECT_EQ(server()("BLOOM.ADD", "{k}:part", "a"), "-ERR filter is being loaded");
  EXPECT_EQ(server()("BLOOM.REMOVE", "{k}:part", "a"), "-ERR filter is being loaded");
  EXPECT_EQ(server()("BLOOM.COUNT", "{k}:part", "a"), "-ERR filter is being loaded");
  EXPECT_EQ(server()("DEL", "{k}:part"), ":1");
  load(file);
  EXPECT_EQ(server()("BLOOM.REMOVE", "k", "a").find("-ERR items are taken out of files of the type counting"),
            0U);
  EXPECT_EQ(server()("BLOOM.COUNT", "k", "a").find("-ERR items are counted in files of the types counting"),
            0U);
  server()("CONFIG", "SET", "maxmemory", "1");
  EXPECT_EQ(server()("BLOOM.ADD", "k", "a").find("-OOM"), 0U);
  server()("CONFIG", "SET", "maxmemory", "0");
  EXPECT_TRUE(dumped(server()) == file) << "nothing has changed";
}

TEST_F(FileItems, AnItemThatIsNoKeyOfTheFormChangesNothing) {
  auto filter = *BlockedBloomFilter::for_capacity(100, 1e-6, {.keys = {.form = KeyForm::kHex}});
  std::string file;
  filter.serialize(file);
  load(file);
  EXPECT_EQ(server()("BLOOM.MADD", "k", "abcd", "no digits").find("-ERR an item is no key"), 0U);
  EXPECT_EQ(server()("BLOOM.EXISTS", "k", "abcd"), ":0");
  EXPECT_EQ(server()("BLOOM.MADD", "k", "abcd", "ABCD"), "[:1 :0]");
  filter.insert(*filter.key_of("abcd"));
  filter.insert(*filter.key_of("abcd"));
  file.clear();
  filter.serialize(file);
  EXPECT_TRUE(dumped(server()) == file);
}

TEST_F(FileItems, AKeyedFileHashesItemsUnderItsSecret) {
  const auto secret = HashSecret::generate();
  const std::string file = blocked_file(1000, {.hash = keyed_hash(*secret)});
  ASSERT_EQ(server()("BLOOM.LOAD", "{k}:part", "BEGIN", file.substr(0, kHeader), crc_of(file), "SECRET",
                     secret_text(*secret)),
            ":0");
  chunk(file, 0);
  EXPECT_EQ(server()("BLOOM.LOADEND", "k", "{k}:part"), "+OK");
  EXPECT_EQ(server()("BLOOM.ADD", "k", "a new one"), ":1");
  EXPECT_EQ(server()("DEBUG", "RELOAD"), "+OK");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "item 1", "a new one", "nobody"), "[:1 :1 :0]");
  const std::string changed = dumped(server());
  EXPECT_EQ(load_little64(reinterpret_cast<const std::byte*>(changed.data()) + 72), 1001U);
  EXPECT_EQ(changed.substr(0, 72), file.substr(0, 72)) << "and the secret is not in it";
}

TEST_F(FileItems, ACountingFileCountsAndLosesItems) {
  const std::string file = file_of(*CountingBloomFilter::for_capacity(10'000, 1e-6), 1000);
  load(file);
  EXPECT_EQ(server()("BLOOM.MADD", "k", "a", "a", "b"), "[:1 :0 :1]");
  EXPECT_EQ(server()("BLOOM.COUNT", "k", "a"), ":2");
  EXPECT_EQ(server()("BLOOM.COUNT", "k", "nobody"), ":0");
  EXPECT_EQ(server()("BLOOM.REMOVE", "k", "a", "a", "a", "b"), "[:1 :1 :0 :1]");
  EXPECT_EQ(server()("BLOOM.MEXISTS", "k", "a", "b", "item 999"), "[:0 :0 :1]");
  EXPECT_TRUE(dumped(server()) == file) << "as it was";
  run(server(), "BLOOM.MADD", "k", std::vector<std::string>(20, "often"));
  EXPECT_EQ(server()("BLOOM.COUNT", "k", "often"), ":15") << "or more";
}

TEST_F(FileItems, AFileGrowsUpToTheLimitOfAKey) {
  const std::string file = file_of(*ScalableFilter::for_capacity(1000, 0.01), 1000);
  load(file);
  server()("CONFIG", "SET", "bloomery.memory-limit", std::to_string(2 * file.size()));
  const std::string reply = run(server(), "BLOOM.MADD", "k", items(1000, 20'000));
  EXPECT_NE(reply.find("-ERR operation exceeds bloom object memory limit]"), std::string::npos);
  EXPECT_EQ(server()("BLOOM.ADD", "k", "nobody").find("-ERR operation exceeds"), 0U);
  EXPECT_LE(dumped(server()).size(), 2 * file.size());
  server()("CONFIG", "SET", "bloomery.memory-limit", "1000000");
  EXPECT_EQ(server()("BLOOM.ADD", "k", "nobody"), ":1");
}

TEST_F(FileItems, ADumpOfAKeyThatChangesMeanwhileFails) {
  const std::string file = blocked_file(600'000);
  ASSERT_GT(file.size(), 2 * kChunk);
  load(file);
  const auto crc_in = [](const std::string& header) {
    return std::to_string(load_little32(reinterpret_cast<const std::byte*>(header.data()) + 188));
  };
  const std::string step = std::to_string(kChunk);
  EXPECT_EQ(server()("BLOOM.DUMP", "k", step, crc_in(file)).front(), '[');
  EXPECT_EQ(server()("BLOOM.DUMP", "k", step, "x").find("-ERR bad checksum"), 0U);
  EXPECT_EQ(server()("COPY", "k", "still"), ":1");
  EXPECT_EQ(server()("BLOOM.ADD", "k", "a new one"), ":1");
  EXPECT_EQ(server()("BLOOM.DUMP", "k", step, crc_in(file)).find("-ERR the file has changed"), 0U);
  EXPECT_EQ(server()("BLOOM.DUMP", "still", step, crc_in(file)).front(), '[');
  EXPECT_TRUE(dumped(server(), "still") == file);
}

TEST_F(FileItems, EveryDamagedByteOfASavedValueIsRefused) {
  load(file_of(*ScalableFilter::for_capacity(10, 0.1), 5));
  run(server(), "BLOOM.MADD", "k", items(0, 40));
  const std::string dump = server()("DUMP", "k").substr(1);
  EXPECT_EQ(server()("RESTORE", "copy", "0", dump), "+OK");
  EXPECT_EQ(dumped(server(), "copy"), dumped(server()));
  for (std::size_t i = 0; i < dump.size(); ++i) {
    std::string damaged = dump;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_EQ(server()("RESTORE", "damaged", "0", damaged).find("-ERR"), 0U) << i;
  }
}

}  // namespace
}  // namespace bloomery
