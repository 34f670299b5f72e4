// A mark is the newest intact slot of its file. Damage of a slot leaves the other one, or is an error.
#include "wal/log_mark.h"

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"
#include "tests/base/test_folder.h"
#include "tests/codec/damage.h"

namespace bloomery {
namespace {

using wal::LogMark;
using wal::LogMarkFile;

LogMark mark_at(std::uint64_t length) {
  return {.length = length, .link = static_cast<std::uint32_t>(length * 7), .log = "host%2C1%2C2.3"};
}

TEST(LogMark, TheNewestIsRead) {
  const TestFolder folder;
  const std::string path = folder.path("mark");
  auto file = LogMarkFile::open(FileSystem::real(), path);
  ASSERT_TRUE(file) << file.error().to_string();
  for (std::uint64_t i = 1; i < 10; ++i) {
    ASSERT_TRUE(file->write(mark_at(100 * i)));
    const auto read = wal::read_log_mark(FileSystem::real(), path);
    ASSERT_TRUE(read) << read.error().to_string();
    LogMark expected = mark_at(100 * i);
    expected.generation = i;
    EXPECT_EQ(*read, expected);
  }
  ASSERT_TRUE(file->sync());
  EXPECT_EQ(folder.read("mark").size(), wal::kMarkFileBytes);
}

TEST(LogMark, AnOldFileIsContinued) {
  const TestFolder folder;
  const std::string path = folder.path("mark");
  for (std::uint64_t i = 1; i < 4; ++i) {
    auto file = LogMarkFile::open(FileSystem::real(), path);
    ASSERT_TRUE(file) << file.error().to_string();
    ASSERT_TRUE(file->write(mark_at(i)));
    const auto read = wal::read_log_mark(FileSystem::real(), path);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->generation, i);
  }
}

TEST(LogMark, AFileThatWasNeverMarkedIsContinued) {
  const TestFolder folder;
  folder.write("mark", "");
  auto file = LogMarkFile::open(FileSystem::real(), folder.path("mark"));
  ASSERT_TRUE(file) << file.error().to_string();
  ASSERT_TRUE(file->write(mark_at(5)));
  EXPECT_EQ(wal::read_log_mark(FileSystem::real(), folder.path("mark"))->length, 5u);
}

TEST(LogMark, ALongNameIsRefused) {
  const TestFolder folder;
  auto file = LogMarkFile::open(FileSystem::real(), folder.path("mark"));
  ASSERT_TRUE(file);
  LogMark mark = mark_at(1);
  mark.log.assign(wal::kMostMarkName, 'x');
  EXPECT_TRUE(file->write(mark));
  EXPECT_EQ(wal::read_log_mark(FileSystem::real(), folder.path("mark"))->log, mark.log);
  mark.log += 'x';
  EXPECT_FALSE(file->write(mark));
}

TEST(LogMark, EveryByteDamaged) {
  LogMark older = mark_at(100);
  older.generation = 1;
  LogMark newer = mark_at(200);
  newer.generation = 2;
  const std::string file = text_of(mark_slot(newer)) + text_of(mark_slot(older));
  ASSERT_EQ(wal::parse_log_mark(bytes_of(file)).value_or(older), newer);
  for_each_flip(file, [&](const std::string& damaged, const std::string& what) {
    const auto mark = wal::parse_log_mark(bytes_of(damaged));
    ASSERT_TRUE(mark) << what;
    const bool hits_newer = damaged.substr(0, wal::kMarkSlotBytes) != file.substr(0, wal::kMarkSlotBytes);
    EXPECT_EQ(*mark, hits_newer ? older : newer) << what;
  });
  for_each_cut(file, [&](const std::string& cut, const std::string& what) {
    const auto mark = wal::parse_log_mark(bytes_of(cut));
    EXPECT_EQ(mark.has_value(), cut.size() >= wal::kMarkSlotBytes) << what;
    if (mark) {
      EXPECT_EQ(*mark, newer) << what;
    }
  });
}

// The bytes on disk.
TEST(LogMark, ItsLayout) {
  LogMark mark{
      .generation = 0x0102030405060708, .length = 0x1112131415161718, .link = 0x21222324, .log = "log"};
  const std::string slot = text_of(mark_slot(mark));
  EXPECT_EQ(
      slot.substr(0, 36),
      std::string("BLOOMARK\0\0\0\1\x21\x22\x23\x24\1\2\3\4\5\6\7\x8\x11\x12\x13\x14\x15\x16\x17\x18\3log",
                  36));
}

}  // namespace
}  // namespace bloomery
