// What the machine's file system asks of the kernel, and what it makes of the answers.
//
// fsync, msync, fallocate and flock are defined here, so that this program's calls come by: they are counted, and
// answered with an errno where a test wants one. So a test sees an fsync that is left out, which no file shows, and a
// full disk without having one. The calls go on to the kernel otherwise.
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/base/signals.h"
#include "tests/base/test_bytes.h"
#include "tests/base/test_folder.h"

namespace {

struct Calls {
  std::map<std::string, int> counts = {};
  std::map<std::string, std::vector<int>> refusals = {};  // the errno of the next calls of a name
  int msync_flags = 0;
};
Calls calls;

// The errno that a call is to fail with; 0 for none.
int refusal_of(const std::string& name) {
  ++calls.counts[name];
  std::vector<int>& refusals = calls.refusals[name];
  if (refusals.empty()) {
    return 0;
  }
  const int refusal = refusals.front();
  refusals.erase(refusals.begin());
  return refusal;
}

template <typename... Arguments>
int call(const char* name, long number, Arguments... arguments) {
  if (const int refusal = refusal_of(name); refusal != 0) {
    errno = refusal;
    return -1;
  }
  return static_cast<int>(::syscall(number, arguments...));
}

}  // namespace

extern "C" {
int fsync(int file) {
  return call("fsync", SYS_fsync, file);
}
int msync(void* begin, std::size_t size, int flags) {
  calls.msync_flags = flags;
  return call("msync", SYS_msync, begin, size, flags);
}
int fallocate(int file, int mode, off_t offset, off_t size) {
  return call("fallocate", SYS_fallocate, file, mode, offset, size);
}
int flock(int file, int operation) noexcept {
  return call("flock", SYS_flock, file, operation);
}
}

namespace bloomery {
namespace {

class SystemCalls : public testing::Test {
 protected:
  void SetUp() override { calls = {}; }

  File created() {
    File file = FileSystem::real().open(folder_.path("f"), OpenFor::kCreatingExclusively).value();
    EXPECT_TRUE(file.write_all(bytes_of(std::string(10000, 'x'))));
    return file;
  }

  TestFolder folder_;
};

// A second fsync after one that failed may answer success for pages that the first one dropped.
TEST_F(SystemCalls, ASyncIsOneFsyncThatIsNotRepeated) {
  File file = created();
  ASSERT_TRUE(file.sync());
  EXPECT_EQ(calls.counts["fsync"], 1);
  for (const int refusal : {EIO, ENOSPC, EINTR}) {
    calls = {.refusals = {{"fsync", {refusal}}}};
    const Status status = file.sync();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().errno_value(), refusal);
    EXPECT_EQ(calls.counts["fsync"], 1);
  }
}

TEST_F(SystemCalls, TheDirectoryOfAFileIsSynced) {
  (void)created();
  ASSERT_TRUE(FileSystem::real().sync_directory_of(folder_.path("f")));
  EXPECT_EQ(calls.counts["fsync"], 1);
  calls = {.refusals = {{"fsync", {EIO}}}};
  EXPECT_FALSE(FileSystem::real().sync_directory_of(folder_.path("f")));
}

TEST_F(SystemCalls, AMappingIsWrittenBackAndWaitedFor) {
  const File file = created();
  const auto mapping = FileSystem::real().map(file, 10000, MapAccess::kReadWrite);
  ASSERT_TRUE(mapping);
  ASSERT_TRUE(FileSystem::real().sync_mapping(file, *mapping));
  EXPECT_EQ(calls.counts["msync"], 1);
  EXPECT_EQ(calls.msync_flags, MS_SYNC);
  calls = {.refusals = {{"msync", {EIO}}}};
  EXPECT_EQ(FileSystem::real().sync_mapping(file, *mapping).error().errno_value(), EIO);
}

// A file system that cannot reserve makes no promise; one that has no room refuses.
TEST_F(SystemCalls, AFullDiskIsSeenBeforeABitIsSet) {
  const File file = created();
  ASSERT_TRUE(FileSystem::real().reserve(file, 10000));
  EXPECT_EQ(calls.counts["fallocate"], 1);
  for (const int refusal : {ENOSPC, EDQUOT, EIO}) {
    calls = {.refusals = {{"fallocate", {refusal}}}};
    const Status status = FileSystem::real().reserve(file, 10000);
    ASSERT_FALSE(status) << refusal;
    EXPECT_EQ(status.error().errno_value(), refusal);
  }
  for (const int unable : {EOPNOTSUPP, ENOSYS}) {
    calls = {.refusals = {{"fallocate", {unable}}}};
    EXPECT_TRUE(FileSystem::real().reserve(file, 10000)) << unable;
  }
}

TEST_F(SystemCalls, AnInterruptedCallIsDoneAgain) {
  const File file = created();
  calls = {.refusals = {{"flock", {EINTR, EINTR}}, {"fallocate", {EINTR}}}};
  EXPECT_TRUE(FileSystem::real().lock_exclusively(file));
  EXPECT_EQ(calls.counts["flock"], 3);
  EXPECT_TRUE(FileSystem::real().reserve(file, 10000));
  EXPECT_EQ(calls.counts["fallocate"], 2);
}

// A reader that is slower than the writer, while signals come: each write that waits is interrupted.
TEST_F(SystemCalls, AWriteThatWaitsIsDoneAgainAfterASignal) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const std::string sent(1 << 20, 'x');
  std::string received;
  std::thread reader([&] {
    std::vector<char> buffer(64 << 10);
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(15));
      const ssize_t count = ::read(ends[0], buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count <= 0) {
        break;
      }
      received.append(buffer.data(), static_cast<std::size_t>(count));
    }
  });
  {
    const Signals signals(OnSignal::kNote);
    File file(&FileSystem::real(), ends[1], "pipe");
    const Status written = file.write_all(bytes_of(sent));
    EXPECT_TRUE(written) << written.error().to_string();
  }
  reader.join();
  ::close(ends[0]);
  EXPECT_GT(signals_seen, 0);
  EXPECT_TRUE(received == sent);
}

}  // namespace
}  // namespace bloomery
