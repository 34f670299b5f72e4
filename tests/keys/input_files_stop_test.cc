// A stop ends the input wherever it is: between files, in a read, in the opening of a pipe, and without a
// trace of what was being read.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keys/input_files.h"
#include "tests/base/signals.h"
#include "tests/base/test_folder.h"
#include "tests/compress/packed.h"

namespace bloomery {
namespace {

// All lines; an error fails the test.
std::vector<std::string> lines_until_stop(InputFiles& files) {
  std::vector<std::string> read;
  LineBatch batch;
  for (;;) {
    const Result<bool> found = files.next(batch);
    EXPECT_TRUE(found) << found.error().to_string();
    if (!found || !*found) {
      return read;
    }
    read.insert(read.end(), batch.lines.begin(), batch.lines.end());
  }
}

TEST(InputFilesStop, NoFileIsBegunBehindAStop) {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.write("b", "2\n");
  std::atomic<bool> stop = false;
  InputFiles files({folder.path("a"), folder.path("b")}, '\n', &stop);
  LineBatch batch;
  ASSERT_TRUE(*files.next(batch));
  stop = true;
  EXPECT_FALSE(*files.next(batch));
}

// Reads a named pipe into which `before` is written, and `behind` once the stop is set.
std::vector<std::string> read_stopped_between(const std::string& before, const std::string& behind) {
  const TestFolder folder;
  const std::string path = folder.path("fifo");
  EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    const int fifo = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(::write(fifo, before.data(), before.size()), static_cast<ssize_t>(before.size()));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the reader waits by now, most likely
    stop = true;
    EXPECT_EQ(::write(fifo, behind.data(), behind.size()), static_cast<ssize_t>(behind.size()));
    ::close(fifo);
  });
  InputFiles files({path}, '\n', &stop);
  std::vector<std::string> lines = lines_until_stop(files);
  writer.join();
  return lines;
}

// "key-12" of "key-123\n" is nobody's key.
TEST(InputFilesStop, HalfALineIsDropped) {
  for (const std::string& line : read_stopped_between("line\nkey-1", "2")) {
    EXPECT_EQ(line, "line");
  }
}

// A gzip member or zstd frame that a stop cuts is not damaged.
TEST(InputFilesStop, HalfAMemberIsNoError) {
  for (const std::string& packed : {gzip_of("key-123\nkey-456\n"), zstd_of("key-123\nkey-456\n")}) {
    EXPECT_TRUE(read_stopped_between(packed.substr(0, 12), packed.substr(12, 1)).empty());
  }
}

// A named pipe without a writer is waited for in open(2), where Ctrl-C must be heard too, and nothing else.
TEST(InputFilesStop, AStopEndsTheOpeningOfAPipe) {
  const TestFolder folder;
  ASSERT_EQ(::mkfifo(folder.path("fifo").c_str(), 0600), 0);
  InputFiles files({folder.path("fifo")}, '\n', &stop_by_signal);
  const Signals signals(OnSignal::kStop);
  EXPECT_TRUE(lines_until_stop(files).empty());
  EXPECT_TRUE(stop_by_signal);
}

TEST(InputFilesStop, OtherSignalsDoNotDisturbTheOpeningOfAPipe) {
  const TestFolder folder;
  ASSERT_EQ(::mkfifo(folder.path("fifo").c_str(), 0600), 0);
  InputFiles files({folder.path("fifo")}, '\n', &stop_by_signal);
  const Signals signals(OnSignal::kNote);
  std::thread writer([&folder] {
    while (signals_seen < 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    folder.write("fifo", "line\n");
  });
  EXPECT_EQ(lines_until_stop(files), std::vector<std::string>{"line"});
  writer.join();
}

}  // namespace
}  // namespace bloomery
