// A file that one filter updates in place, and that others open and ask meanwhile. Locks are of open files, so both can be
// in one process.
#include <cerrno>
#include <functional>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "filter/native/native_file.h"
#include "filter/native/native_header.h"
#include "tests/base/test_folder.h"
#include "tests/filter/test_keys.h"
#include "tests/filter/windowed/test_clock.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kBefore = 1000;

// The types that are updated in place.
AnyFilter live_filter(const std::string& type) {
  if (type == "bloom") {
    return AnyFilter(*BloomFilter::for_capacity(2 * kBefore, 1e-6));
  }
  if (type == "counting") {
    return AnyFilter(*CountingBloomFilter::for_capacity(2 * kBefore, 1e-6));
  }
  if (type == "windowed") {
    return AnyFilter(*WindowedFilter::for_capacity(0, 1e-6, {.window = Window::keys(2 * kBefore)}));
  }
  return AnyFilter(*BlockedBloomFilter::for_capacity(2 * kBefore, 1e-6));
}

class LiveUpdate : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    AnyFilter filter = live_filter(GetParam());
    insert_numbered(filter, 0, kBefore);
    ASSERT_TRUE(filter.native().save(path_));
  }
  AnyFilter writer() const { return *AnyFilter::open(path_, {.access = Access::kUpdateInPlace}); }

  TestFolder folder_;
  const std::string path_ = folder_.path("f");
};

TEST_P(LiveUpdate, IsServed) {
  AnyFilter filter = writer();
  insert_numbered(filter, kBefore, kBefore / 2);
  for (const Access access : {Access::kMap, Access::kCopy}) {
    for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
      const Result<AnyFilter> opened = AnyFilter::open(path_, {.access = access, .verify = verify});
      ASSERT_TRUE(opened) << opened.error().to_string();
      EXPECT_TRUE(opened->native().opened_during_update());
      EXPECT_EQ(count_maybes(*opened, 0, kBefore), kBefore);
      EXPECT_LE(count_maybes(*opened, kAbsentKeys, kBefore), 5u);
    }
  }
  ASSERT_TRUE(filter.native().finish_update());
  const Result<AnyFilter> after = AnyFilter::open(path_);
  ASSERT_TRUE(after) << after.error().to_string();
  EXPECT_FALSE(after->native().opened_during_update());
  EXPECT_EQ(count_maybes(*after, 0, kBefore + kBefore / 2), kBefore + kBefore / 2);
}

TEST_P(LiveUpdate, IsRefusedIfAsked) {
  const AnyFilter filter = writer();
  const auto refused = AnyFilter::open(path_, {.while_updated = WhileUpdated::kRefuse});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().errno_value(), EWOULDBLOCK) << refused.error().to_string();
}

// It may have a part of a key that comes or goes meanwhile.
TEST_P(LiveUpdate, WhatWasOpenedMeanwhileIsNeitherSavedNorMerged) {
  AnyFilter filter = writer();
  const AnyFilter opened = *AnyFilter::open(path_, {.access = Access::kCopy});
  const Status saved = opened.native().save(folder_.path("g"));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().errno_value(), EWOULDBLOCK) << saved.error().to_string();
  AnyFilter other = live_filter(GetParam());
  EXPECT_EQ(other.merge(opened).error().errno_value(), EWOULDBLOCK);
  EXPECT_EQ(count_maybes(other, 0, kBefore), 0u);
}

TEST_P(LiveUpdate, WhatWasOpenedBeforeIsNotSavedAfterItEither) {
  const AnyFilter opened = *AnyFilter::open(path_);
  ASSERT_TRUE(opened.native().save(folder_.path("g")));
  {
    AnyFilter filter = writer();
    EXPECT_EQ(opened.native().save(folder_.path("h")).error().errno_value(), EWOULDBLOCK);
    insert_numbered(filter, kBefore, 1);
    ASSERT_TRUE(filter.native().finish_update());
  }
  EXPECT_EQ(opened.native().save(folder_.path("h")).error().errno_value(), EWOULDBLOCK);
}

// The page of the header is this process's own then, and shows nothing of others. What was saved or merged was of two
// moments: a counting filter of such bits denies keys.
TEST_P(LiveUpdate, WhatWasOpenedBeforeAndWrittenToIsNotSavedAfterItEither) {
  AnyFilter opened = *AnyFilter::open(path_);
  insert_numbered(opened, kBefore, kBefore / 2);
  ASSERT_TRUE(opened.native().save(folder_.path("g")));
  {
    AnyFilter filter = writer();
    EXPECT_EQ(opened.native().save(folder_.path("h")).error().errno_value(), EWOULDBLOCK);
    insert_numbered(filter, 2 * kBefore, 1);
    ASSERT_TRUE(filter.native().finish_update());
  }
  const Status saved = opened.native().save(folder_.path("h"));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().errno_value(), EWOULDBLOCK);
  AnyFilter other = live_filter(GetParam());
  const Status merged = other.merge(opened);
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().errno_value(), EWOULDBLOCK);
}

// The writer is gone, and its lock with it.
TEST_P(LiveUpdate, ACrashIsToldApart) {
  {
    AnyFilter filter = writer();
    insert_numbered(filter, kBefore, kBefore);
  }
  for (const Access access : {Access::kMap, Access::kCopy}) {
    const Result<AnyFilter> opened = AnyFilter::open(path_, {.access = access});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code(), ErrorCode::kCorruption);
    EXPECT_NE(opened.error().to_string().find("expected clean, found dirty"), std::string::npos);
  }
  AnyFilter mended = *AnyFilter::open(path_, {.access = Access::kUpdateInPlace, .accept_dirty = true});
  EXPECT_TRUE(AnyFilter::open(path_)) << "who mends it is a writer at work";
  ASSERT_TRUE(mended.native().finish_update());
  EXPECT_EQ(count_maybes(*AnyFilter::open(path_), 0, kBefore), kBefore);
}

// A process that replaces the file holds its lock, but does not write to it.
TEST_P(LiveUpdate, ACrashStaysOneWhileSomebodyHoldsTheLock) {
  { AnyFilter filter = writer(); }
  const FileLock lock = *FileLock::take(path_);
  EXPECT_FALSE(AnyFilter::open(path_));
}

// Runs something before the n-th read or mapping of a reader.
class MeddlingFileSystem final : public FileSystem {
 public:
  MeddlingFileSystem(int call, std::function<void()> work) : calls_(call), work_(std::move(work)) {}

  Result<std::size_t> read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) override {
    meddle();
    return FileSystem::read_at(file, offset, bytes);
  }
  Result<MappedFile> map(const File& file, std::size_t size_bytes, MapAccess access) override {
    meddle();
    return FileSystem::map(file, size_bytes, access);
  }
  bool done() const { return calls_ <= 0; }

 private:
  void meddle() {
    if (--calls_ == 0) {
      work_();
    }
  }

  int calls_;
  std::function<void()> work_;
};

// An update begins, or begins and ends, at each moment of an opening.
TEST_P(LiveUpdate, MayBeginAtAnyMomentOfAnOpening) {
  std::uint64_t next = kBefore;
  for (const bool ends : {false, true}) {
    for (const Access access : {Access::kMap, Access::kCopy}) {
      for (int call = 1;; ++call) {
        std::optional<AnyFilter> filter;
        MeddlingFileSystem files(call, [&] {
          filter.emplace(writer());
          insert_numbered(*filter, next++, 1);
          if (ends) {
            ASSERT_TRUE(filter->native().finish_update());
          }
        });
        const auto body = open_native_file(files, path_, {.access = access});
        ASSERT_TRUE(body) << "call " << call << ": " << body.error().to_string();
        if (!files.done()) {
          break;
        }
        if (!ends) {
          ASSERT_TRUE(filter->native().finish_update());
        }
      }
    }
  }
}

// A damaged file stays one, also if it was touched meanwhile.
TEST_P(LiveUpdate, IsNoExcuseForDamage) {
  std::string bytes = folder_.read("f");
  bytes[bytes.size() - 20] = static_cast<char>(bytes[bytes.size() - 20] ^ 1);
  folder_.write("f", bytes);
  for (int call = 1; call < 12; ++call) {
    MeddlingFileSystem files(call, [&] { folder_.write("f", bytes); });
    const auto body = open_native_file(files, path_, {});
    ASSERT_FALSE(body);
    EXPECT_EQ(body.error().code(), ErrorCode::kCorruption) << body.error().to_string();
  }
}

// A part of the old header and a part of the new one are no header.
TEST_P(LiveUpdate, AHeaderThatIsJustBeingWrittenIsReadAgain) {
  class TornOnce final : public FileSystem {
   public:
    Result<std::size_t> read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) override {
      const Result<std::size_t> read = FileSystem::read_at(file, offset, bytes);
      if (!std::exchange(torn_, true)) {
        bytes[native_header::kInsertedAt] ^= std::byte{1};
      }
      return read;
    }

   private:
    bool torn_ = false;
  };
  TornOnce files;
  const auto body = open_native_file(files, path_, {});
  EXPECT_TRUE(body) << body.error().to_string();
}

INSTANTIATE_TEST_SUITE_P(Types, LiveUpdate, testing::Values("bloom", "blocked", "counting", "windowed"));

// A key that is an exception becomes a member: readers who open the file afterwards must not deny it.
TEST(LiveExceptions, AreThoseOfTheMomentOfOpening) {
  const TestFolder folder;
  BlockedBloomFilter made = *BlockedBloomFilter::for_capacity(1000, 0.01);
  insert_numbered(made, 0, 10);
  ASSERT_TRUE(made.add_as_exceptions(numbered_hashes(100, 50)));
  ASSERT_TRUE(made.save(folder.path("f")));
  auto writer = *BlockedBloomFilter::open(folder.path("f"), {.access = Access::kUpdateInPlace});
  const auto before = *BlockedBloomFilter::open(folder.path("f"));
  insert_numbered(writer, 100, 25);
  for (const Access access : {Access::kMap, Access::kCopy}) {
    const auto opened = BlockedBloomFilter::open(folder.path("f"), {.access = access});
    ASSERT_TRUE(opened) << opened.error().to_string();
    EXPECT_EQ(count_maybes(*opened, 0, 10), 10u);
    EXPECT_EQ(count_maybes(*opened, 100, 25), 25u);
    EXPECT_EQ(count_maybes(*opened, 125, 25), 0u);
  }
  EXPECT_EQ(count_maybes(before, 0, 10), 10u);
  EXPECT_EQ(count_maybes(before, 125, 25), 0u);
}

// One process removes keys beside those that stay, of which all counters are shared by many.
TEST(LiveCounting, KeysThatStayAreNeverDenied) {
  const TestFolder folder;
  CountingBloomFilter made = *CountingBloomFilter::for_capacity(300, 0.3);
  insert_numbered(made, 0, 300);
  ASSERT_TRUE(made.save(folder.path("f")));
  const auto before = *CountingBloomFilter::open(folder.path("f"));
  auto writer = *CountingBloomFilter::open(folder.path("f"), {.access = Access::kUpdateInPlace});
  const auto meanwhile = *CountingBloomFilter::open(folder.path("f"));
  for (std::uint64_t key = 100; key < 300; ++key) {
    ASSERT_TRUE(writer.remove(key));
    const auto copied = *CountingBloomFilter::open(folder.path("f"), {.access = Access::kCopy});
    ASSERT_EQ(count_maybes(before, 0, 100), 100u);
    ASSERT_EQ(count_maybes(meanwhile, 0, 100), 100u);
    ASSERT_EQ(count_maybes(copied, 0, 100), 100u);
  }
}

// Types that may grow do not keep the mapping that they were opened with, and must not look into it later.
TEST(LiveGrowth, FiltersThatLeaveTheirMappingAreSavedAndMerged) {
  const TestFolder folder;
  std::vector<AnyFilter> filters;
  filters.push_back(*make_filter({.capacity = 5000, .fpp = 0.01, .exact_below = 4000}));
  filters.push_back(AnyFilter(*QuotientFilter::for_capacity(5000, 0.01)));
  filters.push_back(AnyFilter(*ScalableFilter::for_capacity(5000, 0.01)));
  for (AnyFilter& filter : filters) {
    insert_numbered(filter, 0, 3000);
    ASSERT_TRUE(filter.native().save(folder.path("f"), {.replace = true}));
    AnyFilter opened = *AnyFilter::open(folder.path("f"));
    EXPECT_TRUE(opened.native().save(folder.path("g"), {.replace = true}));
    EXPECT_TRUE(filter.merge(opened));
    EXPECT_FALSE(opened.native().opened_during_update());
  }
}

// ---- Windows

// Asks readers that were opened before an update and during it for all keys of the window, after every rotation.
TEST(LiveWindow, ReadersFollowRotationsByCount) {
  const TestFolder folder;
  const Window window = Window::keys(64, 4);
  ASSERT_TRUE(WindowedFilter::for_capacity(0, 1e-9, {.window = window})->save(folder.path("f")));
  const auto before = *WindowedFilter::open(folder.path("f"));
  auto writer = *WindowedFilter::open(folder.path("f"), {.access = Access::kUpdateInPlace});
  const auto meanwhile = *WindowedFilter::open(folder.path("f"), {.access = Access::kCopy});
  for (std::uint64_t key = 0; key < 1000; ++key) {
    writer.insert(key);
    const std::uint64_t first = key < 64 ? 0 : key - 63;
    ASSERT_EQ(count_maybes(before, first, key - first + 1), key - first + 1) << key;
    ASSERT_EQ(count_maybes(meanwhile, first, key - first + 1), key - first + 1) << key;
  }
  EXPECT_EQ(count_maybes(before, 0, 900), 0u);
  ASSERT_TRUE(writer.finish_update());
  EXPECT_EQ(count_maybes(before, 1000 - 64, 64), 64u);
  const auto after = WindowedFilter::open(folder.path("f"));
  ASSERT_TRUE(after) << after.error().to_string();
  EXPECT_EQ(count_maybes(*after, 1000 - 64, 64), 64u);
}

// By their own clocks readers would leave out tables that the writer has cleared and filled again.
TEST(LiveWindow, ReadersFollowRotationsByAge) {
  const TestFolder folder;
  TestClock clock;
  const OpenOptions reading{.clock = &clock.clock()};
  auto made = *WindowedFilter::for_capacity(
      1000, 1e-9, {.window = Window::time(std::chrono::seconds(4), 4), .clock = &clock.clock()});
  insert_numbered(made, 0, 10);
  ASSERT_TRUE(made.save(folder.path("f")));
  const auto before = *WindowedFilter::open(folder.path("f"), reading);
  {
    auto writer =
        *WindowedFilter::open(folder.path("f"), {.access = Access::kUpdateInPlace, .clock = &clock.clock()});
    const auto meanwhile = *WindowedFilter::open(folder.path("f"), reading);
    for (std::uint64_t second = 1; second < 20; ++second) {
      clock.pass(1'000'000'000);
      insert_numbered(writer, second * 100, 10);
      ASSERT_EQ(count_maybes(before, second * 100, 10), 10u) << second;
      ASSERT_EQ(count_maybes(meanwhile, second * 100, 10), 10u) << second;
      const std::uint64_t kept = second < 4 ? 0 : second - 3;
      ASSERT_EQ(count_maybes(before, kept * 100, 10), 10u) << second;
    }
    ASSERT_TRUE(writer.finish_update());
  }
  EXPECT_EQ(count_maybes(before, 1900, 10), 10u);
  EXPECT_EQ(count_maybes(before, 0, 10), 0u) << "what the writer has cleared is forgotten";
}

// A reader whose file nobody updates forgets by the clock, as ever.
TEST(LiveWindow, AReaderOfAFileAtRestForgetsByItself) {
  const TestFolder folder;
  TestClock clock;
  auto made = *WindowedFilter::for_capacity(
      1000, 1e-9, {.window = Window::time(std::chrono::seconds(4), 4), .clock = &clock.clock()});
  insert_numbered(made, 0, 10);
  ASSERT_TRUE(made.save(folder.path("f")));
  const auto reader = *WindowedFilter::open(folder.path("f"), {.clock = &clock.clock()});
  EXPECT_EQ(count_maybes(reader, 0, 10), 10u);
  clock.pass(6'000'000'000);
  EXPECT_EQ(count_maybes(reader, 0, 10), 0u);
}

// While a file is updated, a word that is 0 in clean files counts rotations. It must not reach one.
TEST(LiveWindow, TheTurnOfTheFileStaysInDirtyFiles) {
  const TestFolder folder;
  constexpr std::size_t kTurnAt = kNativeHeaderBytes + 6 * 8;
  ASSERT_TRUE(WindowedFilter::for_capacity(0, 1e-6, {.window = Window::keys(8, 4)})->save(folder.path("f")));
  {
    auto writer = *WindowedFilter::open(folder.path("f"), {.access = Access::kUpdateInPlace});
    insert_numbered(writer, 0, 100);
    EXPECT_NE(folder.read("f")[kTurnAt], 0);
    ASSERT_TRUE(writer.save(folder.path("copy")));
  }
  const auto copy = WindowedFilter::open(folder.path("copy"));
  ASSERT_TRUE(copy) << copy.error().to_string();
  EXPECT_EQ(count_maybes(*copy, 92, 8), 8u);
  const auto crashed = WindowedFilter::open(folder.path("f"), {.accept_dirty = true});
  ASSERT_TRUE(crashed) << crashed.error().to_string();
  auto mended =
      *WindowedFilter::open(folder.path("f"), {.access = Access::kUpdateInPlace, .accept_dirty = true});
  ASSERT_TRUE(mended.finish_update());
  const auto whole = WindowedFilter::open(folder.path("f"));
  ASSERT_TRUE(whole) << whole.error().to_string();
  EXPECT_EQ(folder.read("f")[kTurnAt], 0);
}

// ---- The lock

TEST(WaitForALock, EndsWhenItIsFreeAndLocksTheFileThatHasTheNameThen) {
  const TestFolder folder;
  folder.write("f", "old");
  std::optional<FileLock> held = *FileLock::take(folder.path("f"));
  int asked = 0;
  const auto lock = FileLock::take(folder.path("f"), [&] {
    if (++asked == 3) {
      folder.write("g", "new");
      EXPECT_TRUE(FileSystem::real().rename(folder.path("g"), folder.path("f")));
      held.reset();
    }
    return true;
  });
  ASSERT_TRUE(lock) << lock.error().to_string();
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(FileSystem::real().facts(*lock->file())->inode,
            FileSystem::real().facts(folder.path("f"))->inode);
}

TEST(WaitForALock, EndsWhenItIsToldTo) {
  const TestFolder folder;
  folder.write("f", "old");
  const FileLock held = *FileLock::take(folder.path("f"));
  int asked = 0;
  const auto lock = FileLock::take(folder.path("f"), [&] { return ++asked < 4; });
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().errno_value(), EWOULDBLOCK);
  EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace bloomery
