// Saves over a file that the filter was read from or saved to: what others have done to it since is not undone.
#include "filter/native/known_files.h"

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "filter/native/native_access.h"
#include "filter/native/native_file.h"
#include "tests/base/failing_file_system.h"
#include "tests/base/test_folder.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kKnownKeys = 1000;  // of each kind: in the file, of this program, of another one
constexpr std::uint64_t kMyKeys = kKnownKeys;
constexpr std::uint64_t kTheirKeys = 2 * kKnownKeys;

AnyFilter saved_filter_of(const std::string& type) {
  if (type == "counting") {
    return AnyFilter(*CountingBloomFilter::for_capacity(4 * kKnownKeys, 1e-6));
  }
  if (type == "quotient") {
    return AnyFilter(*QuotientFilter::for_capacity(4 * kKnownKeys, 1e-6));
  }
  if (type == "scalable") {
    return AnyFilter(*ScalableFilter::for_capacity(kKnownKeys, 1e-6));
  }
  if (type == "windowed") {
    return AnyFilter(*WindowedFilter::for_capacity(0, 1e-6, {.window = Window::keys(4 * kKnownKeys)}));
  }
  if (type == "exact") {
    return *make_filter(
        {.capacity = 4 * kKnownKeys, .fpp = 1e-6, .exact_below = kKnownKeys + kKnownKeys / 2});
  }
  return type == "bloom" ? AnyFilter(*BloomFilter::for_capacity(4 * kKnownKeys, 1e-6))
                         : AnyFilter(*BlockedBloomFilter::for_capacity(4 * kKnownKeys, 1e-6));
}

// Adds keys to a file as the command does: in place, or under the lock of the file.
void add_to_known_file(const std::string& path, std::uint64_t first, std::uint64_t count) {
  AnyFilter filter = *AnyFilter::open(path, {.access = Access::kMap});
  const bool in_place = filter.updates_in_place();
  filter = *AnyFilter::open(path, {.access = in_place ? Access::kUpdateInPlace : Access::kCopyLocked});
  insert_numbered(filter, first, count);
  const Status done =
      in_place ? filter.native().finish_update() : filter.native().save(path, {.replace = true});
  ASSERT_TRUE(done) << done.error().to_string();
}

void expect_changed(const Status& saved) {
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code(), ErrorCode::kIo) << saved.error().to_string();
  EXPECT_EQ(saved.error().errno_value(), ESTALE) << saved.error().to_string();
  EXPECT_NE(saved.error().to_string().find("changed since this filter read or saved it"), std::string::npos)
      << saved.error().to_string();
}

class SavedOver : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    AnyFilter made = saved_filter_of(GetParam());
    insert_numbered(made, 0, kKnownKeys);
    ASSERT_TRUE(made.save(path_));
  }

  TestFolder folder_;
  const std::string path_ = folder_.path("f");
};

// Whoever adds first: the pages of a map that this program has written to do not show what others write.
TEST_P(SavedOver, AFileThatOthersHaveChangedIsLeftAlone) {
  for (const Access access : {Access::kMap, Access::kCopy}) {
    for (const bool mine_first : {true, false}) {
      AnyFilter filter = *AnyFilter::open(path_, {.access = access});
      if (mine_first) {
        insert_numbered(filter, kMyKeys, kKnownKeys);
      }
      add_to_known_file(path_, kTheirKeys, 1);
      insert_numbered(filter, kMyKeys, kKnownKeys);
      const std::string theirs = folder_.read("f");
      expect_changed(filter.save(path_, {.replace = true}));
      expect_changed(filter.save(path_, {.replace = true}));
      EXPECT_EQ(folder_.read("f"), theirs);
      EXPECT_EQ(folder_.names(), Names{"f"});
    }
  }
}

TEST_P(SavedOver, AFileThatNobodyHasChangedIsReplacedAgainAndAgain) {
  for (const Access access : {Access::kMap, Access::kCopy}) {
    AnyFilter filter = *AnyFilter::open(path_, {.access = access});
    for (std::uint64_t key = kMyKeys; key < kMyKeys + 3; ++key) {
      insert_numbered(filter, key, 1);
      const Status saved = filter.save(path_, {.replace = true});
      ASSERT_TRUE(saved) << saved.error().to_string();
    }
    EXPECT_EQ(count_maybes(*AnyFilter::open(path_), 0, kMyKeys + 3), kMyKeys + 3);
  }
}

TEST_P(SavedOver, AFileThatWasSavedIsKnownToo) {
  AnyFilter filter = saved_filter_of(GetParam());
  insert_numbered(filter, 0, 10);
  ASSERT_TRUE(filter.save(folder_.path("saved")));
  ASSERT_TRUE(filter.save(folder_.path("saved"), {.replace = true}));
  ASSERT_TRUE(filter.save(path_, {.replace = true})) << "a file that it never saw";
  add_to_known_file(folder_.path("saved"), kTheirKeys, 1);
  expect_changed(filter.save(folder_.path("saved"), {.replace = true}));
  ASSERT_TRUE(filter.save(path_, {.replace = true}));
}

TEST_P(SavedOver, KnowsAFileThroughLinksAndMoves) {
  const AnyFilter filter = *AnyFilter::open(path_);
  add_to_known_file(path_, kTheirKeys, 1);
  fs::create_symlink(path_, folder_.path("link"));
  expect_changed(filter.save(folder_.path("link"), {.replace = true}));
  fs::remove(folder_.path("link"));
  if (filter.updates_in_place()) {  // the same file, under another name
    fs::rename(path_, folder_.path("moved"));
    expect_changed(filter.save(folder_.path("moved"), {.replace = true}));
    fs::rename(folder_.path("moved"), path_);
  }
  EXPECT_EQ(count_maybes(*AnyFilter::open(path_), kTheirKeys, 1), 1u);
}

TEST_P(SavedOver, AnotherFileUnderTheNameIsLeftAlone) {
  const AnyFilter filter = *AnyFilter::open(path_);
  folder_.write("other", "a list of somebody");
  fs::rename(folder_.path("other"), path_);
  expect_changed(filter.save(path_, {.replace = true}));
  EXPECT_EQ(folder_.read("f"), "a list of somebody");
  fs::remove(path_);
  EXPECT_TRUE(filter.save(path_, {.replace = true})) << "nothing is undone";
}

TEST_P(SavedOver, AnEqualFileIsReplaced) {
  AnyFilter filter = *AnyFilter::open(path_, {.access = Access::kCopy});
  const std::string same = folder_.read("f");
  fs::remove(path_);
  folder_.write("f", same);
  insert_numbered(filter, kMyKeys, 1);
  const Status saved = filter.save(path_, {.replace = true});
  EXPECT_TRUE(saved) << saved.error().to_string();
}

// `replace="newer"` of the Python package.
TEST_P(SavedOver, WhoeverInsistsReplacesIt) {
  AnyFilter filter = *AnyFilter::open(path_, {.access = Access::kCopy});
  add_to_known_file(path_, kTheirKeys, 1);
  insert_numbered(filter, kMyKeys, 1);
  const Status saved = NativeAccess::save(filter.native(), path_, {.replace = true}, IfChanged::kReplace);
  ASSERT_TRUE(saved) << saved.error().to_string();
  EXPECT_EQ(count_maybes(*AnyFilter::open(path_), kTheirKeys, 1), 0u);
  insert_numbered(filter, kMyKeys + 1, 1);
  EXPECT_TRUE(filter.save(path_, {.replace = true})) << "it is known from then on";
}

// An update in place leaves another file than the one that was opened.
TEST_P(SavedOver, AnUpdateThatEndedIsOnesOwn) {
  if (!AnyFilter::open(path_)->updates_in_place()) {
    return;
  }
  AnyFilter filter = *AnyFilter::open(path_, {.access = Access::kUpdateInPlace});
  insert_numbered(filter, kMyKeys, 1);
  ASSERT_TRUE(filter.native().finish_update());
  ASSERT_TRUE(filter.save(path_, {.replace = true}));
  EXPECT_EQ(count_maybes(*AnyFilter::open(path_), 0, kMyKeys + 1), kMyKeys + 1);
}

INSTANTIATE_TEST_SUITE_P(Types, SavedOver,
                         testing::Values("bloom", "blocked", "counting", "windowed", "quotient", "scalable",
                                         "exact"),
                         [](const auto& type) { return type.param; });

// The set becomes another object, which knows what the set knew.
TEST(KnownFiles, StayKnownWhenASetOutgrowsItself) {
  const TestFolder folder;
  AnyFilter made = saved_filter_of("exact");
  insert_numbered(made, 0, kKnownKeys);
  ASSERT_TRUE(made.save(folder.path("f")));
  AnyFilter filter = *AnyFilter::open(folder.path("f"), {.access = Access::kCopy});
  add_to_known_file(folder.path("f"), kTheirKeys, 1);
  insert_numbered(filter, kMyKeys, kKnownKeys);
  ASSERT_EQ(filter.type(), FilterType::kBlocked);
  expect_changed(filter.save(folder.path("f"), {.replace = true}));
}

TEST(KnownFiles, HaveRibbonsToo) {
  const TestFolder folder;
  const auto built = [](std::uint64_t first) {
    return AnyFilter(*RibbonFilter::build_from_hashes(numbered_hashes(first, kKnownKeys), 0.01));
  };
  ASSERT_TRUE(built(0).save(folder.path("f")));
  const AnyFilter filter = *AnyFilter::open(folder.path("f"));
  ASSERT_TRUE(filter.save(folder.path("f"), {.replace = true}));
  ASSERT_TRUE(built(kTheirKeys).save(folder.path("f"), {.replace = true}));
  expect_changed(filter.save(folder.path("f"), {.replace = true}));
}

// The lock is taken before the file is looked at. A file that comes after that is looked at, too.
TEST(KnownFiles, AFileThatComesWhileTheNewOneIsWrittenIsLookedAt) {
  const TestFolder folder;
  class Replacing final : public FileSystem {
   public:
    Replacing(std::string other, std::string path) : other_(std::move(other)), path_(std::move(path)) {}
    Status sync(const File& file) override {
      if (!other_.empty()) {
        fs::rename(std::exchange(other_, {}), path_);
      }
      return FileSystem::sync(file);
    }

   private:
    std::string other_;
    std::string path_;
  };
  const std::string path = folder.path("f");
  AnyFilter made = saved_filter_of("blocked");
  ASSERT_TRUE(made.save(path));
  AnyFilter filter = *AnyFilter::open(path);
  folder.write("other", "a list of somebody");
  Replacing files(folder.path("other"), path);
  expect_changed(
      save_native_file(files, path, NativeAccess::body(filter.native()), {.if_exists = IfExists::kReplace}));
  EXPECT_EQ(folder.read("f"), "a list of somebody");
  EXPECT_EQ(folder.names(), Names{"f"});
}

// Whatever cannot be read is not replaced.
TEST(KnownFiles, AFileThatCannotBeLookedAtIsLeftAlone) {
  const TestFolder folder;
  const std::string path = folder.path("f");
  AnyFilter made = saved_filter_of("blocked");
  ASSERT_TRUE(made.save(path));
  const std::string before = folder.read("f");
  for (int call = 1; call < 100; ++call) {
    AnyFilter filter = *AnyFilter::open(path, {.access = Access::kCopy});
    insert_numbered(filter, 0, 1);
    FailingFileSystem files({.call = call, .errno_value = EIO});
    const Status saved =
        save_native_file(files, path, NativeAccess::body(filter.native()), {.if_exists = IfExists::kReplace});
    if (saved) {
      EXPECT_GT(call, 5);
      break;
    }
    if (files.failed() != "sync_directory_of") {
      EXPECT_EQ(folder.read("f"), before) << "call " << call;
    } else {  // the new file is there, and is this filter's own
      EXPECT_TRUE(filter.save(path, {.replace = true}));
      folder.write("f", before);
    }
  }
}

TEST(KnownFiles, NameTheFirstThatChanged) {
  const TestFolder folder;
  for (const char* const name : {"a", "b"}) {
    folder.write(name, name);
  }
  FileSystem& files = FileSystem::real();
  KnownFiles known;
  EXPECT_EQ(known.changed(files), std::nullopt);
  for (const char* const name : {"a", "b"}) {
    known.note(*KnownFile::now(files, folder.path(name)));
  }
  EXPECT_EQ(known.changed(files), std::nullopt);
  EXPECT_FALSE(KnownFile::now(files, folder.path("none")).has_value());
  folder.write("b", "longer");
  EXPECT_EQ(known.changed(files), fs::canonical(folder.path("b")).string());
  fs::remove(folder.path("b"));
  EXPECT_EQ(known.changed(files), std::nullopt) << "there is nothing to undo";
}

// A program may save a filter under a thousand names.
TEST(KnownFiles, AreTheFirstAndTheLastOnes) {
  const TestFolder folder;
  FileSystem& files = FileSystem::real();
  KnownFiles known;
  for (int i = 0; i < 200; ++i) {
    folder.write(std::to_string(i), "before");
    known.note(*KnownFile::now(files, folder.path(std::to_string(i))));
  }
  for (const int i : {0, 1, 199}) {
    folder.write(std::to_string(i), "afterwards");
    const std::string path = folder.path(std::to_string(i));
    const File file = *files.open(path, OpenFor::kReading);
    EXPECT_EQ(known.check(files, path, file).has_value(), i == 1) << i;
  }
}

}  // namespace
}  // namespace bloomery
