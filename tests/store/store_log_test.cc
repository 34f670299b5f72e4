// The log of a store alone: how logs follow each other, which ones leave, and what an error ends.
#include "store/store_log.h"

#include <cerrno>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/store/sim/clock.h"
#include "tests/store/sim/disk.h"
#include "wal/log_reader.h"

namespace bloomery::store {
namespace {

struct LogOfTest {
  sim::SimulatedDisk disk;
  std::shared_ptr<sim::SimulatedClock> clock = std::make_shared<sim::SimulatedClock>();
  std::unique_ptr<StoreLog> log;
  std::uint64_t sequence = 0;

  explicit LogOfTest(std::uint64_t log_bytes = 1 << 20) {
    EXPECT_TRUE(disk.make_directory("/logs"));
    auto begun = StoreLog::begin(
        {.files = &disk, .clock = clock},
        {.directory = "/logs", .server = "s", .mark = "/MARK", .log_bytes = log_bytes}, {}, 0);
    EXPECT_TRUE(begun) << begun.error().to_string();
    log = *std::move(begun);
  }
  Status append() {
    wal::LogEntry entry{.region = "region", .table = "t", .sequence_id = ++sequence};
    entry.cells.push_back(
        {.key = {"row", "f", "q", 5, CellType::kPut}, .value = "a value of some thirty bytes or so"});
    return log->append(entry);
  }
  // Appends, syncs, and rolls the log if it is full.
  Status write() {
    BLOOMERY_RETURN_IF_ERROR(append());
    BLOOMERY_RETURN_IF_ERROR(log->sync());
    return log->tend();
  }
  std::vector<std::string> paths() { return logs_in(disk, "/logs").value(); }
};

// Returns the sequence ids of a log, and how it ends.
std::pair<std::vector<std::uint64_t>, wal::LogEndKind> read_log(FileSystem& files, const std::string& path) {
  std::vector<std::uint64_t> sequences;
  auto reader = wal::LogReader::open(files, path, {});
  EXPECT_TRUE(reader) << reader.error().to_string();
  for (;;) {
    const auto found = reader->next();
    EXPECT_TRUE(found) << found.error().to_string();
    if (!found || !*found) {
      return {sequences, reader->end().kind};
    }
    sequences.push_back(reader->entry().sequence_id);
  }
}

TEST(StoreLog, LogsFollowEachOtherAndAreClosed) {
  LogOfTest test(300);
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(test.write());
    test.clock->set_now(1'700'000'000'000 - i);  // numbers ascend, though the time of day does not
  }
  ASSERT_TRUE(test.log->close());
  const auto paths = test.paths();
  EXPECT_EQ(paths.size(), test.log->old_logs() + 1);
  EXPECT_GE(paths.size(), 4U);
  std::uint64_t next = 1;
  for (const std::string& path : paths) {
    const auto [sequences, end] = read_log(test.disk, path);
    EXPECT_EQ(end, wal::LogEndKind::kClosed) << path;
    for (const std::uint64_t sequence : sequences) {
      EXPECT_EQ(sequence, next++);
    }
  }
  EXPECT_EQ(next, 13U);
}

TEST(StoreLog, ALogLeavesWhenItsLastEntryIsSettled) {
  LogOfTest test(300);
  while (test.log->old_logs() < 2) {
    ASSERT_TRUE(test.write());
  }
  const std::uint64_t oldest = *test.log->oldest_log();
  const auto paths = test.paths();
  ASSERT_TRUE(test.log->remove_settled(oldest - 1));
  EXPECT_EQ(test.paths(), paths);
  ASSERT_TRUE(test.log->remove_settled(oldest));
  EXPECT_EQ(test.paths(), (std::vector<std::string>{paths[1], paths[2]}));
  EXPECT_GT(*test.log->oldest_log(), oldest);
}

TEST(StoreLog, NamesAreOrderedByTheirNumbers) {
  sim::SimulatedDisk disk;
  ASSERT_TRUE(disk.make_directory("/logs"));
  for (const char* const name : {"s.10", "s.9", "s.100", "other", "s.x"}) {
    ASSERT_TRUE(disk.open(std::string("/logs/") + name, OpenFor::kCreatingExclusively));
  }
  EXPECT_EQ(logs_in(disk, "/logs").value(),
            (std::vector<std::string>{"/logs/s.9", "/logs/s.10", "/logs/s.100"}));
}

// A later sync could succeed without the bytes that were lost.
TEST(StoreLog, AfterAnErrorEveryCallReturnsIt) {
  LogOfTest test;
  ASSERT_TRUE(test.write());
  test.disk.fail({.call = test.disk.calls(sim::CallKind::kSync) + 1, .kind = sim::CallKind::kSync});
  ASSERT_TRUE(test.append());
  const Status failed = test.log->sync();
  ASSERT_EQ(failed.error().code(), ErrorCode::kIo);
  for (const Status& later : {test.append(), test.log->write(), test.log->sync(), test.log->tend(),
                              test.log->remove_settled(9), test.log->close()}) {
    ASSERT_FALSE(later);
    EXPECT_EQ(later.error().to_string(), failed.error().to_string());
  }
}

// The header and its name are on the disk before an entry follows, so that a power loss leaves a log.
TEST(StoreLog, ANewLogSurvivesAPowerLoss) {
  LogOfTest test;
  test.log.reset();
  test.disk.crash(1, sim::CrashMode::kDropAll);
  ASSERT_EQ(test.paths().size(), 1U);
  EXPECT_EQ(read_log(test.disk, test.paths().front()).second, wal::LogEndKind::kOpen);
  EXPECT_EQ(wal::read_log_mark(test.disk, "/MARK").value().log, "s.1700000000000");
}

TEST(StoreLog, AnEntryThatIsRefusedLeavesTheLogAsItWas) {
  LogOfTest test;
  ASSERT_TRUE(test.append());
  EXPECT_EQ(test.log->append({.table = "t", .sequence_id = 2}).error().code(), ErrorCode::kInvalidArgument);
  ASSERT_TRUE(test.write());
  EXPECT_EQ(read_log(test.disk, test.paths().front()).first, (std::vector<std::uint64_t>{1, 2}));
}

}  // namespace
}  // namespace bloomery::store
