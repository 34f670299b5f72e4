// The log against a vector, in memory and on disk, and on disks that fail, fill up and lie.
#include "filter/spool/hash_log.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/base/failing_file_system.h"
#include "tests/base/test_folder.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kLogSeed = 41077;
constexpr std::size_t kBlock = 8;

Hashes logged_hashes(std::size_t count) {
  std::mt19937_64 random(kLogSeed);
  Hashes hashes(count);
  for (Hash128& hash : hashes) {
    hash = {.low = random(), .high = random()};
  }
  return hashes;
}

HashLogOptions small_log(const std::string& directory, std::uint64_t memory_blocks = 4) {
  return {.directory = directory,
          .memory_bytes = memory_blocks * kBlock * sizeof(Hash128),
          .block_hashes = kBlock};
}

// Reads to the end what the log has left, checking the ordinals on the way.
Result<Hashes> rest_of(HashLog& log, std::uint64_t ordinal = 0) {
  Hashes out;
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const HashBatch batch, log.next());
    EXPECT_EQ(batch.first, ordinal);
    if (batch.hashes.empty()) {
      return out;
    }
    ordinal += batch.hashes.size();
    out.insert(out.end(), batch.hashes.begin(), batch.hashes.end());
  }
}

Result<Hashes> written_and_read_twice(FileSystem& files, const HashLogOptions& options,
                                      const Hashes& hashes) {
  HashLog log = HashLog::create(files, options);
  BLOOMERY_RETURN_IF_ERROR(log.append(hashes));
  BLOOMERY_ASSIGN_OR_RETURN(const Hashes first, rest_of(log));
  log.rewind();
  BLOOMERY_ASSIGN_OR_RETURN(const Hashes second, rest_of(log));
  EXPECT_EQ(first.size(), log.size());
  EXPECT_TRUE(first == second);
  return second;
}

// Every size around the edges of blocks and of memory, twice read, gives what was written.
TEST(HashLog, GivesBackWhatWasWritten) {
  const TestFolder folder;
  for (const std::uint64_t memory_blocks : {0u, 2u, 3u, 5u}) {
    for (std::size_t size = 0; size <= 10 * kBlock + 1; ++size) {
      const Hashes hashes = logged_hashes(size);
      const Result<Hashes> out =
          written_and_read_twice(FileSystem::real(), small_log(folder.path(""), memory_blocks), hashes);
      ASSERT_TRUE(out.has_value()) << out.error().to_string();
      ASSERT_TRUE(*out == hashes) << size << " hashes, " << memory_blocks << " blocks of memory";
    }
  }
  EXPECT_TRUE(folder.names().empty());
}

// Appends of uneven size, reads, rewinds and moves in any order, with a vector beside it.
TEST(HashLog, AnyOrderOfCallsIsServed) {
  const TestFolder folder;
  std::mt19937_64 random(kLogSeed);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", seed " + std::to_string(kLogSeed));
    HashLog log = HashLog::create(FileSystem::real(), small_log(folder.path(""), random() % 6));
    Hashes model;
    std::size_t position = 0;
    for (int step = 0; step < 60; ++step) {
      const std::uint64_t choice = random() % 10;
      if (choice < 4) {
        Hashes more(random() % (3 * kBlock));
        std::generate(more.begin(), more.end(), [&] { return Hash128{random(), random()}; });
        ASSERT_TRUE(log.append(more).has_value());
        model.insert(model.end(), more.begin(), more.end());
      } else if (choice < 8) {
        const HashBatch batch = log.next().value();
        ASSERT_EQ(batch.first, position);
        ASSERT_EQ(batch.hashes.empty(), position == model.size());
        for (const Hash128& hash : batch.hashes) {
          ASSERT_EQ(hash, model[position++]);
        }
      } else if (choice == 8) {
        log.rewind();
        position = 0;
      } else {
        HashLog moved = std::move(log);
        log = std::move(moved);
      }
      ASSERT_EQ(log.size(), model.size());
    }
    const Hashes left(model.begin() + static_cast<std::ptrdiff_t>(position), model.end());
    ASSERT_TRUE(*rest_of(log, position) == left);
  }
}

// What fits memory, less the reader's buffer, never meets the file system: the first call would fail.
TEST(HashLog, NoFileIsMadeWhenAllFits) {
  FailingFileSystem files({.call = 1, .lasts = FailureLasts::kForEver});
  const HashLogOptions options = small_log("/there/is/no/such/directory", 4);
  const Hashes hashes = logged_hashes(3 * kBlock);
  const Result<Hashes> out = written_and_read_twice(files, options, hashes);
  ASSERT_TRUE(out.has_value()) << out.error().to_string();
  EXPECT_TRUE(*out == hashes);
  EXPECT_EQ(files.calls(), 0);
  EXPECT_FALSE(written_and_read_twice(files, options, logged_hashes(3 * kBlock + 1)).has_value());
}

// Blocks of the ordinary size; while they are on disk the directory shows nothing.
TEST(HashLog, FilesHaveNoNames) {
  const TestFolder folder;
  const Hashes hashes = logged_hashes(100'000);
  HashLog log = HashLog::create(FileSystem::real(), {.directory = folder.path(""), .memory_bytes = 1});
  ASSERT_TRUE(log.append(hashes).has_value());
  EXPECT_EQ(log.disk_bytes(), 100'000 / 8192 * 8192 * sizeof(Hash128));
  EXPECT_TRUE(folder.names().empty());
  EXPECT_TRUE(*rest_of(log) == hashes);
}

TEST(HashLog, ADirectoryThatIsNoneIsNamed) {
  const TestFolder folder;
  const Result<Hashes> out =
      written_and_read_twice(FileSystem::real(), small_log(folder.path("missing")), logged_hashes(100));
  ASSERT_FALSE(out.has_value());
  EXPECT_EQ(out.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(out.error().subject().find(folder.path("missing")), std::string::npos) << out.error().to_string();
}

// The n-th call fails, for every n and cause, once and for ever: an error that stays, or the right hashes.
// The directory is empty afterwards, but where a file was made and could not be removed, twice.
class FailingLogDisk : public testing::TestWithParam<std::tuple<int, FailureLasts>> {};

TEST_P(FailingLogDisk, IsAnErrorOrDoesNotMatter) {
  const auto [errno_value, lasts] = GetParam();
  const Hashes hashes = logged_hashes(10 * kBlock + 3);
  std::vector<std::string> fatal;
  bool through = false;
  for (int call = 1; !through; ++call) {
    const TestFolder folder;
    FailingFileSystem files(
        {.call = call, .errno_value = errno_value, .lasts = lasts, .bytes_per_write_max = 50});
    SCOPED_TRACE("call " + std::to_string(call));
    const Result<Hashes> out = written_and_read_twice(files, small_log(folder.path("")), hashes);
    if (out) {
      EXPECT_TRUE(*out == hashes);
    } else {
      EXPECT_EQ(out.error().errno_value(), errno_value);
      EXPECT_NE(out.error().subject().find(folder.path(".bloomery-log")), std::string::npos)
          << out.error().to_string();
      fatal.push_back(files.failed());
    }
    EXPECT_TRUE(folder.names().empty());
    through = files.failed().empty();
    ASSERT_LT(call, 1000);
  }
  for (const std::string operation : {"open_nameless", "write_at", "read_at"}) {
    EXPECT_NE(std::find(fatal.begin(), fatal.end(), operation), fatal.end())
        << operation << " was not reached";
  }
}

INSTANTIATE_TEST_SUITE_P(Causes, FailingLogDisk,
                         testing::Combine(testing::Values(ENOSPC, EIO),
                                          testing::Values(FailureLasts::kOneCall, FailureLasts::kForEver)));

// After one call that failed, while writing or while reading, no later call answers.
TEST(HashLog, AnErrorStays) {
  const TestFolder folder;
  const Hashes hashes = logged_hashes(10 * kBlock);
  // Calls: open, 7 writes, then reads.
  for (const int call : {1, 2, 4, 9, 11}) {
    FailingFileSystem files({.call = call, .errno_value = EIO});
    HashLog log = HashLog::create(files, small_log(folder.path("")));
    const Status appended = log.append(hashes);
    EXPECT_EQ(appended.has_value(), call >= 9);
    EXPECT_FALSE(rest_of(log).has_value());
    log.rewind();
    ASSERT_FALSE(log.next().has_value()) << "call " << call;
    EXPECT_EQ(log.next().error().errno_value(), EIO);
    EXPECT_FALSE(log.append(hashes).has_value());
    EXPECT_FALSE(log.append({}).has_value());
  }
}

// A disk that gives back one byte otherwise than it was written, or another block's bytes.
class LyingLogDisk final : public FileSystem {
 public:
  LyingLogDisk(std::uint64_t flipped_byte, std::byte mask, std::uint64_t displacement = 0)
      : flipped_byte_(flipped_byte), mask_(mask), displacement_(displacement) {}

  Result<std::size_t> read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) override {
    Result<std::size_t> count = FileSystem::read_at(file, offset + displacement_, bytes);
    if (flipped_byte_ >= offset && flipped_byte_ - offset < bytes.size()) {
      bytes[flipped_byte_ - offset] ^= mask_;
    }
    return count;
  }

 private:
  std::uint64_t flipped_byte_;  // in the file
  std::byte mask_;
  std::uint64_t displacement_;
};

void expect_corruption(FileSystem& files, const TestFolder& folder, std::uint64_t offset) {
  const Result<Hashes> out =
      written_and_read_twice(files, small_log(folder.path("")), logged_hashes(10 * kBlock));
  ASSERT_FALSE(out.has_value());
  EXPECT_EQ(out.error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(out.error().offset(), offset);
  EXPECT_NE(out.error().subject().find(folder.path(".bloomery-log")), std::string::npos);
}

TEST(HashLog, EveryFlippedByteIsFound) {
  const TestFolder folder;
  constexpr std::uint64_t kBlockBytes = kBlock * sizeof(Hash128);
  for (std::uint64_t byte = 0; byte < 7 * kBlockBytes; ++byte) {
    SCOPED_TRACE("byte " + std::to_string(byte));
    LyingLogDisk files(byte, std::byte{1} << (byte % 8));
    expect_corruption(files, folder, byte / kBlockBytes * kBlockBytes);
  }
  LyingLogDisk displaced(0, std::byte{0}, kBlockBytes);
  expect_corruption(displaced, folder, 0);
}

}  // namespace
}  // namespace bloomery
