// Active defragmentation moves the memory of keys and changes nothing that can be asked. Debian's server refuses it, so the tests
// are skipped there. A server that was built with its own allocator takes it. It is found first in PATH (docs/redis.md).
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis_module/live_server.h"
#include "tests/redis_module/loaded_files.h"

namespace bloomery {
namespace {

constexpr int kKept = 150;   // keys
constexpr int kHoles = 4;    // keys that are deleted, for each that is kept
constexpr int kBatch = 500;  // items of a command at most
constexpr int kLargeCount = 60'000;

struct DefraggedKind {
  const char* name;
  std::vector<std::string> create;  // options behind the key; none: an add makes the key
  const char* add;
  const char* ask;
  int items;  // of key i: as many times 1 + i % 50
};

std::vector<std::string> words_of(const std::string& command, const std::string& key, int from, int to) {
  std::vector<std::string> words = {command, key};
  if (command == "CF.INSERT") {
    words.emplace_back("ITEMS");
  }
  for (int i = from; i < to; ++i) {
    words.push_back("item" + std::to_string(i));
  }
  return words;
}

long long number_of(LiveServer& server, const std::string& section, const std::string& field) {
  const std::string info = server("INFO", section);
  const std::size_t at = info.find(field + ":");
  return at == std::string::npos ? -1 : std::stoll(info.substr(at + field.size() + 1));
}

// A server whose keys lie between holes, and a second one with the same keys that is left alone.
class Defrag : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    moved_ = std::make_unique<LiveServer>(folder_, "moved");
    still_ = std::make_unique<LiveServer>(folder_, "still");
    ASSERT_TRUE(moved_->is_up());
    ASSERT_TRUE(still_->is_up());
    if (moved()("CONFIG", "SET", "activedefrag", "yes") != "+OK") {
      GTEST_SKIP() << "SKIPPED: the server refuses active defragmentation, as Debian's does";
    }
    moved()("CONFIG", "SET", "activedefrag", "no");
    for (const auto& [name, value] :  // any hole is worth the work
         std::vector<std::pair<std::string, std::string>>{{"active-defrag-ignore-bytes", "1"},
                                                          {"active-defrag-threshold-lower", "1"},
                                                          {"active-defrag-cycle-min", "50"},
                                                          {"active-defrag-cycle-max", "75"},
                                                          {"hz", "100"}}) {
      ASSERT_EQ(moved()("CONFIG", "SET", name, value), "+OK") << name;
    }
  }

  LiveServer& moved() { return *moved_; }
  // Runs a command on both servers, which answer the same.
  std::string run(const std::vector<std::string>& words) {
    std::string reply = still_->run(words);
    EXPECT_EQ(moved().run(words), reply) << words[0] << " " << words[1];
    return reply;
  }
  void add(const DefraggedKind& kind, const std::string& key, int from, int to) {
    for (int first = from; first < to; first += kBatch) {
      run(words_of(kind.add, key, first, std::min(first + kBatch, to)));
    }
  }
  void create(const DefraggedKind& kind, const std::string& key) {
    if (!kind.create.empty()) {
      std::vector<std::string> words = kind.create;
      words.insert(words.begin() + 1, key);
      run(words);
    }
  }

  // Makes keys of many sizes, a large one among them, and holes between them.
  void fill(const DefraggedKind& kind) {
    for (int i = 0; i < kKept * (1 + kHoles); ++i) {
      const bool is_kept = i % (1 + kHoles) == 0;
      const std::string key = (is_kept ? "kept" : "hole") + std::to_string(i);
      create(kind, key);
      add(kind, key, 0, items_of(kind, i));
      if (is_kept) {
        keys_.emplace_back(key, items_of(kind, i));
      }
    }
    create(kind, "large");
    add(kind, "large", 0, kLargeCount);
    keys_.emplace_back("large", kLargeCount);
    for (int i = 0; i < kKept * (1 + kHoles); ++i) {
      if (i % (1 + kHoles) != 0) {
        run({"DEL", "hole" + std::to_string(i)});
      }
    }
  }
  static int items_of(const DefraggedKind& kind, int i) { return kind.items * (1 + i % 50); }

  // Copies share memory with their keys. Of some pairs one has gone on alone.
  void copy_some(const DefraggedKind& kind) {
    std::vector<std::pair<std::string, int>> copies;
    for (std::size_t i = 0; i < keys_.size(); i += 10) {
      const auto [key, items] = keys_[i];
      EXPECT_EQ(run({"COPY", key, "copy of " + key}), ":1");
      copies.emplace_back("copy of " + key, items);
      add(kind, i % 20 == 0 ? key : "copy of " + key, items, items + kBatch);
    }
    keys_.insert(keys_.end(), copies.begin(), copies.end());
  }

  void expect_same_content(const std::string& when) {
    std::vector<std::string> words = {"DEBUG", "DIGEST-VALUE"};
    for (const auto& [key, items] : keys_) {
      words.push_back(key);
    }
    EXPECT_EQ(moved().run(words), still_->run(words)) << when;
  }

  // Every item that was added is in, and of others both servers say the same.
  void expect_same_answers(const DefraggedKind& kind) {
    for (const auto& [key, items] : keys_) {
      for (int first = 0; first < items; first += kBatch) {
        const std::string answers = run(words_of(kind.ask, key, first, std::min(first + kBatch, items)));
        ASSERT_EQ(answers.find(":0"), std::string::npos) << key << ", an item behind " << first;
      }
      run(words_of(kind.ask, key, 1'000'000, 1'000'000 + kBatch));
    }
  }

  // Lets the server go through all keys while one takes items: for five seconds, or until nothing was moved for one.
  void defragment(const DefraggedKind& kind) {
    ASSERT_EQ(moved()("CONFIG", "SET", "activedefrag", "yes"), "+OK");
    long long before = -1;
    int items = kLargeCount + kBatch;
    for (int quiet = 0, steps = 0; quiet < 10 && steps < 50; ++steps, items += kBatch) {
      add(kind, "large", items, items + kBatch);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const long long pieces = number_of(moved(), "bloomery", "bloomery_pieces_moved");
      quiet = pieces == before && pieces > 0 ? quiet + 1 : 0;
      before = pieces;
    }
    EXPECT_EQ(moved()("CONFIG", "SET", "activedefrag", "no"), "+OK");
  }

  std::unique_ptr<LiveServer> moved_;
  std::unique_ptr<LiveServer> still_;
  std::vector<std::pair<std::string, int>> keys_;  // with their numbers of items
};

class DefragKinds : public Defrag, public ::testing::WithParamInterface<DefraggedKind> {};

TEST_P(DefragKinds, MovesKeysAndChangesNothing) {
  const DefraggedKind& kind = GetParam();
  fill(kind);
  copy_some(kind);
  expect_same_content("before");
  defragment(kind);
  const long long pieces = number_of(moved(), "bloomery", "bloomery_pieces_moved");
  const long long keys = number_of(moved(), "stats", "active_defrag_key_hits");
  std::cout << "    " << pieces << " pieces were moved, and the server counts " << keys << " keys, of "
            << keys_.size() << std::endl;
  EXPECT_GT(pieces, kKept / 4);
  EXPECT_GT(keys, kKept / 4);
  expect_same_content("after");
  expect_same_answers(kind);
  for (const auto& [key, items] : keys_) {
    add(kind, key, 2'000'000, 2'000'000 + kBatch);
  }
  expect_same_content("with further items");
}

const DefraggedKind kGrown = {
    .name = "Grown", .create = {}, .add = "BF.MADD", .ask = "BF.MEXISTS", .items = 60};

TEST_F(Defrag, ChangesNoFiles) {
  fill(kGrown);
  const std::string file = blocked_file(100'000);
  const std::string static_file = ribbon_file(20'000);
  for (const auto& [key, bytes] : {std::pair("file", file), std::pair("static", static_file)}) {
    run({"BLOOM.LOAD", "part", "BEGIN", bytes.substr(0, kHeader), crc_of(bytes)});
    for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
      const std::string chunk = bytes.substr(at, kChunk);
      run({"BLOOM.LOAD", "part", "CHUNK", std::to_string(at), crc_of(chunk), chunk});
    }
    EXPECT_EQ(run({"BLOOM.LOADEND", key, "part"}), "+OK");
  }
  EXPECT_EQ(run({"COPY", "file", "copy"}), ":1");
  run(words_of("BLOOM.MADD", "file", 0, kBatch));
  defragment(kGrown);
  for (const std::string key : {"file", "static", "copy"}) {
    keys_.emplace_back(key, 0);
    run(words_of("BLOOM.MEXISTS", key, 0, kBatch));
  }
  expect_same_content("after");
  run(words_of("BLOOM.MADD", "copy", kBatch, 2 * kBatch));
  expect_same_content("with further items");
}

INSTANTIATE_TEST_SUITE_P(
    All, DefragKinds,
    ::testing::Values(
        kGrown,
        DefraggedKind{.name = "Planned",
                      .create = {"BF.RESERVE", "0.01", "3000"},
                      .add = "BF.MADD",
                      .ask = "BF.MEXISTS",
                      .items = 50},
        DefraggedKind{.name = "RedisBloom",
                      .create = {"BLOOM.CREATE", "LAYOUT", "redisbloom", "CAPACITY", "100"},
                      .add = "BF.MADD",
                      .ask = "BF.MEXISTS",
                      .items = 50},
        DefraggedKind{
            .name = "Quotient", .create = {}, .add = "CF.INSERT", .ask = "CF.MEXISTS", .items = 60}),
    [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace bloomery
