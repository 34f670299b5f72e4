// A filter file goes into a key chunk by chunk, goes on where a load was cut, and comes out whole or not at all. A server that does
// not do its part is an error, and no loop without end.
#include "connect/redis/file_transfer.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "tests/base/test_bytes.h"
#include "tests/connect/redis/fake_server.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kChunk = 256 << 10;

std::string file_of(std::size_t size) {
  std::string file(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    file[i] = static_cast<char>(i * 31 + i / 256);
  }
  return file;
}
std::string crc_of(const std::string& text) {
  return std::to_string(crc32c(bytes_of(text)));
}
std::string header_crc_of(const std::string& file) {
  std::uint32_t crc = 0;
  for (int i = 3; i >= 0; --i) {
    crc = crc << 8 | static_cast<unsigned char>(file[188 + static_cast<std::size_t>(i)]);
  }
  return std::to_string(crc);
}
std::string dumped(std::int64_t next, const std::string& bytes) {
  return "*2\r\n:" + std::to_string(next) + "\r\n$" + std::to_string(bytes.size()) + "\r\n" + bytes + "\r\n";
}

class FileTransfer : public testing::Test {
 protected:
  void SetUp() override {
    Result<Client> connected = Client::connect(server.url());
    ASSERT_TRUE(connected) << connected.error().to_string();
    client.emplace(std::move(connected).value());
  }
  Status load(const std::string& file, const HashSecret* secret = nullptr) {
    return load_file(*client, bytes_of(file), "k", secret, [&](std::uint64_t done) {
      progress.push_back(done);
      return progress.size() < stop_after;
    });
  }
  Status dump() {
    return dump_file(*client, "k", [&](std::span<const std::byte> bytes) {
      got.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return Status();
    });
  }
  // A server that takes chunks as ours does.
  Say take(const Words& words) {
    if (words[0] == "BLOOM.LOAD" && words[2] == "CHUNK") {
      chunks.push_back(words);
      taken = std::stoull(words[3]) + words[5].size();
    } else if (words[0] == "BLOOM.LOAD") {
      begin = words;
    } else if (words[0] == "BLOOM.LOADEND") {
      end = words;
      return {.bytes = "+OK\r\n"};
    } else {
      return {.bytes =
                  words[0] == "CLUSTER" ? "-ERR This instance has cluster support disabled\r\n" : "+OK\r\n"};
    }
    return {.bytes = ":" + std::to_string(taken) + "\r\n"};
  }

  std::function<Say(const Words&)> answer = [this](const Words& words) { return take(words); };
  std::uint64_t taken = 0;
  Words begin;
  Words end;
  std::vector<Words> chunks;
  std::vector<std::uint64_t> progress;
  std::size_t stop_after = 1000;
  std::string got;
  FakeServer server{[this](const Words& words) { return answer(words); }};
  std::optional<Client> client;
};

// As if the last command of a killed process ended the load behind our BEGIN: the part is gone, and the file goes again.
TEST_F(FileTransfer, ALoadWhosePartIsGoneBeginsAgain) {
  const std::string file = file_of(2 * kChunk);
  std::size_t begun = 0;
  answer = [&](const Words& words) {
    begun += words[0] == "BLOOM.LOAD" && words[2] == "BEGIN";
    if (begun == 1 && words[0] == "BLOOM.LOADEND") {
      taken = 0;
      return Say{.bytes = "-ERR not found\r\n"};
    }
    return take(words);
  };
  taken = file.size();  // what the killed process has sent
  const Status loaded = load(file);
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  EXPECT_EQ(begun, 2U);
  EXPECT_EQ(chunks.size(), 2U);
}

TEST_F(FileTransfer, ALoadWhosePartIsAlwaysGoneIsAnErrorInTheEnd) {
  std::size_t begun = 0;
  answer = [&](const Words& words) {
    begun += words[0] == "BLOOM.LOAD" && words[2] == "BEGIN";
    return words[0] == "BLOOM.LOADEND" ? Say{.bytes = "-ERR not found\r\n"} : take(words);
  };
  const Status loaded = load(file_of(kChunk));
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().to_string().find("not found"), std::string::npos);
  EXPECT_EQ(begun, 3U);
}

TEST_F(FileTransfer, ALoadSendsAllBytesInChunksWithTheirChecksums) {
  const std::string file = file_of(2 * kChunk + 77);
  const Status loaded = load(file);
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  ASSERT_EQ(begin.size(), 5U);
  EXPECT_EQ(begin[1].find("{k}:load:"), 0U);
  EXPECT_EQ(begin[3], file.substr(0, 192));
  EXPECT_EQ(begin[4], crc_of(file));
  std::string sent;
  for (const Words& chunk : chunks) {
    EXPECT_EQ(chunk[1], begin[1]);
    EXPECT_EQ(chunk[3], std::to_string(sent.size()));
    EXPECT_EQ(chunk[4], crc_of(chunk[5]));
    EXPECT_LE(chunk[5].size(), kChunk);
    sent += chunk[5];
  }
  EXPECT_EQ(sent, file);
  EXPECT_EQ(end, (Words{"BLOOM.LOADEND", "k", begin[1]}));
  EXPECT_EQ(progress, (std::vector<std::uint64_t>{kChunk, 2 * kChunk, 2 * kChunk + 77}));
}

TEST_F(FileTransfer, AKeyedFileGoesWithItsSecret) {
  const HashSecret secret = {.bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
  ASSERT_TRUE(load(file_of(1000), &secret));
  ASSERT_EQ(begin.size(), 7U);
  EXPECT_EQ(begin[5], "SECRET");
  EXPECT_EQ(begin[6], "0102030405060708090a0b0c0d0e0f10");
}

TEST_F(FileTransfer, ALoadThatWasCutGoesOn) {
  const std::string file = file_of(2 * kChunk);
  stop_after = 1;
  const Status stopped = load(file);
  ASSERT_FALSE(stopped);
  EXPECT_TRUE(end.empty()) << "what was stopped does not take the key's place";
  stop_after = 1000;
  chunks.clear();
  ASSERT_TRUE(load(file));
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(chunks[0][3], std::to_string(kChunk));
}

TEST_F(FileTransfer, AServerThatTakesNothingIsAnError) {
  answer = [&](const Words& words) {
    return words[0] == "BLOOM.LOAD" ? Say{.bytes = ":0\r\n"} : take(words);
  };
  const Status loaded = load(file_of(1000));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), ErrorCode::kCorruption);
  EXPECT_TRUE(end.empty());
}

TEST_F(FileTransfer, AnAnswerThatIsNoNumberOfBytesIsAnError) {
  for (const std::string reply : {":-1\r\n", "+OK\r\n", "$1\r\n1\r\n"}) {
    answer = [&](const Words& words) { return words[0] == "BLOOM.LOAD" ? Say{.bytes = reply} : take(words); };
    EXPECT_FALSE(load(file_of(1000))) << reply;
    EXPECT_TRUE(end.empty());
  }
}

TEST_F(FileTransfer, ADumpAsksForTheFileThatItBeganWith) {
  const std::string file = file_of(1000);
  std::vector<Words> asked;
  answer = [&](const Words& words) {
    if (words[0] != "BLOOM.DUMP") {
      return take(words);
    }
    asked.push_back(words);
    const std::size_t at = std::stoull(words[2]);
    return Say{.bytes =
                   dumped(at + 500 == 1000 ? 0 : static_cast<std::int64_t>(at) + 500, file.substr(at, 500))};
  };
  const Status done = dump();
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(got, file);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0], (Words{"BLOOM.DUMP", "k", "0"}));
  EXPECT_EQ(asked[1], (Words{"BLOOM.DUMP", "k", "500", header_crc_of(file)}));
}

TEST_F(FileTransfer, ADumpWithGapsOrWithoutEndIsAnError) {
  const std::string piece = file_of(500);
  const std::vector<std::string> replies = {
      dumped(501, piece), dumped(499, piece), dumped(-1, piece),    dumped(500, ""),
      ":500\r\n",         "*1\r\n:0\r\n",     "*2\r\n:0\r\n:0\r\n", "*2\r\n$1\r\n0\r\n$1\r\nx\r\n"};
  for (const std::string& reply : replies) {
    answer = [&](const Words& words) { return words[0] == "BLOOM.DUMP" ? Say{.bytes = reply} : take(words); };
    EXPECT_FALSE(dump()) << reply;
  }
  answer = [&](const Words& words) {
    return words[0] != "BLOOM.DUMP" ? take(words)
                                    : Say{.bytes = words[2] == "0" ? dumped(500, piece) : dumped(500, "")};
  };
  EXPECT_FALSE(dump()) << "the same offset for ever";
}

}  // namespace
}  // namespace bloomery::redis
