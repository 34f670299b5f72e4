// Native files as a whole: damage is never believed, a failing disk never loses the old file.
#include "filter/native/native_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "tests/base/failing_file_system.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

BloomFilter small_bloom(std::uint64_t keys = 200) {
  BloomFilter filter = *BloomFilter::for_capacity(keys, 0.01);
  insert_numbered(filter, 0, keys);
  EXPECT_TRUE(filter.set_metadata("made by a test"));
  return filter;
}

// An aligned copy, as BloomFilter::view() asks for.
class Bytes {
 public:
  explicit Bytes(const std::string& bytes) : words_(bytes.size() / 8 + 1), size_(bytes.size()) {
    std::memcpy(words_.data(), bytes.data(), bytes.size());
  }
  std::span<const std::byte> span() const { return std::as_bytes(std::span(words_)).first(size_); }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

TEST(NativeFile, SavedAndOpenedAnswersAlike) {
  const TestFolder folder;
  const BloomFilter filter = small_bloom();
  const std::string path = folder.path("a.bloom");
  ASSERT_TRUE(filter.save(path));
  EXPECT_EQ(folder.read("a.bloom"), serialized(filter));
  for (const Access access : {Access::kMap, Access::kCopy}) {
    for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
      const Result<BloomFilter> opened = BloomFilter::open(path, {.access = access, .verify = verify});
      ASSERT_TRUE(opened) << opened.error().to_string();
      EXPECT_TRUE(opened->is_writable());
      EXPECT_EQ(opened->metadata(), "made by a test");
      EXPECT_EQ(serialized(*opened), serialized(filter));
      EXPECT_EQ(count_maybes(*opened, 0, 200), 200u);
    }
  }
}

TEST(NativeFile, EverySizeRoundTrips) {
  const TestFolder folder;
  for (const std::uint64_t bits : {1u, 63u, 64u, 65u, 511u, 512u, 100'000u}) {
    BloomFilter filter = *BloomFilter::for_shape({.bits = bits, .hash_count = 3}, 10);
    insert_numbered(filter, 0, 10);
    ASSERT_TRUE(filter.save(folder.path("b.bloom"), {.replace = true}));
    const Result<BloomFilter> opened = BloomFilter::open(folder.path("b.bloom"));
    ASSERT_TRUE(opened) << opened.error().to_string();
    EXPECT_EQ(serialized(*opened), serialized(filter));
  }
}

// Every bit of the file flipped: an error that names the file, never another answer.
TEST(NativeFile, EveryFlippedBitIsRefused) {
  const std::string whole = serialized(small_bloom());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const Bytes bytes(damaged);
      const Result<BloomFilter> opened = BloomFilter::view(bytes.span());
      ASSERT_FALSE(opened) << "byte " << i << " bit " << bit;
      ASSERT_TRUE(opened.error().offset().has_value()) << opened.error().to_string();
      ASSERT_NE(opened.error().detail().find("expected"), std::string::npos) << opened.error().to_string();
    }
  }
}

TEST(NativeFile, EveryCutIsRefusedWithFileAndOffset) {
  const TestFolder folder;
  const std::string whole = serialized(small_bloom());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    folder.write("cut.bloom", whole.substr(0, size));
    const Result<BloomFilter> opened = BloomFilter::open(folder.path("cut.bloom"));
    ASSERT_FALSE(opened) << size;
    ASSERT_EQ(opened.error().code(), ErrorCode::kCorruption);
    ASSERT_NE(opened.error().to_string().find("cut.bloom"), std::string::npos);
    ASSERT_TRUE(opened.error().offset().has_value());
  }
  folder.write("long.bloom", whole + "x");
  EXPECT_FALSE(BloomFilter::open(folder.path("long.bloom")));
}

// What the checksum cannot catch, since the writer was wrong: shapes that do not fit the payload.
TEST(NativeFile, ShapesThatDoNotFitAreRefused) {
  struct Case {
    std::size_t offset;
    std::uint64_t value;
    std::size_t size;
  };
  const std::string whole = serialized(small_bloom());
  for (const Case& c :
       {Case{64, 0, 8}, Case{64, 64, 8}, Case{64, ~std::uint64_t{0}, 8}, Case{64, std::uint64_t{1} << 60, 8},
        Case{28, 0, 4}, Case{28, 256, 4}, Case{28, 0xffffffff, 4}}) {
    std::string damaged = whole;
    std::memcpy(damaged.data() + c.offset, &c.value, c.size);
    auto* const header = reinterpret_cast<std::byte*>(damaged.data());
    store_little(header + 188, crc32c({header, 188}));
    const Bytes bytes(damaged);
    const Result<BloomFilter> opened = BloomFilter::view(bytes.span());
    ASSERT_FALSE(opened) << "offset " << c.offset << " value " << c.value;
    EXPECT_EQ(opened.error().code(), ErrorCode::kCorruption);
  }
}

TEST(NativeFile, ForeignAndMissingFilesAreNamed) {
  const TestFolder folder;
  folder.write("notes.txt", "just some text, longer than a header would be: " + std::string(300, '.'));
  const Result<BloomFilter> foreign = BloomFilter::open(folder.path("notes.txt"));
  ASSERT_FALSE(foreign);
  EXPECT_NE(
      foreign.error().to_string().find("notes.txt: native header: at byte 0: expected a Bloomery filter"),
      std::string::npos)
      << foreign.error().to_string();
  EXPECT_EQ(BloomFilter::open(folder.path("none")).error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(BloomFilter::open(folder.path("")));  // a directory
}

TEST(NativeFile, AnEmptyNameIsRefusedAsSuch) {
  EXPECT_EQ(BloomFilter::for_capacity(10, 0.01)->save("").error().to_string(),
            "path: expected a name, found an empty one (invalid argument)");
}

TEST(NativeFile, AnUpdateInPlaceIsWhatABuildGives) {
  const TestFolder folder;
  const std::string path = folder.path("grow.bloom");
  BloomFilter first = *BloomFilter::for_capacity(1000, 0.01);
  insert_numbered(first, 0, 400);
  ASSERT_TRUE(first.save(path));
  {
    Result<BloomFilter> update = BloomFilter::open(path, {.access = Access::kUpdateInPlace});
    ASSERT_TRUE(update) << update.error().to_string();
    insert_numbered(*update, 400, 600);
    ASSERT_TRUE(update->finish_update());
  }
  insert_numbered(first, 400, 600);
  EXPECT_EQ(folder.read("grow.bloom"), serialized(first));
}

// A process that dies between opening and finishing: the file says so, and can be mended by doing it again.
TEST(NativeFile, AnInterruptedUpdateIsSeen) {
  const TestFolder folder;
  const std::string path = folder.path("torn.bloom");
  ASSERT_TRUE(small_bloom().save(path));
  {
    Result<BloomFilter> update = BloomFilter::open(path, {.access = Access::kUpdateInPlace});
    ASSERT_TRUE(update);
    insert_numbered(*update, 200, 50);
  }
  const Result<BloomFilter> opened = BloomFilter::open(path);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().to_string().find("dirty"), std::string::npos);
  {
    Result<BloomFilter> again =
        BloomFilter::open(path, {.access = Access::kUpdateInPlace, .accept_dirty = true});
    ASSERT_TRUE(again) << again.error().to_string();
    insert_numbered(*again, 200, 50);
    ASSERT_TRUE(again->finish_update());
  }
  const Result<BloomFilter> mended = BloomFilter::open(path);
  ASSERT_TRUE(mended) << mended.error().to_string();
  EXPECT_EQ(count_maybes(*mended, 0, 250), 250u);
}

TEST(NativeFile, TwoUpdatesAtOnceAreRefused) {
  const TestFolder folder;
  const std::string path = folder.path("locked.bloom");
  ASSERT_TRUE(small_bloom().save(path));
  const Result<BloomFilter> first = BloomFilter::open(path, {.access = Access::kUpdateInPlace});
  ASSERT_TRUE(first);
  const Result<BloomFilter> second =
      BloomFilter::open(path, {.access = Access::kUpdateInPlace, .accept_dirty = true});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().errno_value(), EWOULDBLOCK);
}

// Fails the n-th call of an update for every n: the file is afterwards either clean and whole, or says that
// it is not.
TEST(NativeFile, AnUpdateOnAFailingDiskNeverLies) {
  const TestFolder folder;
  const std::string path = folder.path("failing.bloom");
  const std::string before = serialized(small_bloom());
  bool succeeded = false;
  for (int failing_call = 1; !succeeded && failing_call < 100; ++failing_call) {
    folder.write("failing.bloom", before);
    FailingFileSystem files({.call = failing_call, .errno_value = EIO});
    Result<std::unique_ptr<FilterBody>> body =
        open_native_file(files, path, {.access = Access::kUpdateInPlace});
    if (body) {
      (*body)->storage.raw()[0] |= std::byte{0xff};
      const Status finished = finish_native_update(files, **body);
      succeeded = finished.has_value();
      if (!finished) {
        EXPECT_NE(finished.error().to_string().find("failing.bloom"), std::string::npos)
            << finished.error().to_string();
      }
    } else {
      EXPECT_NE(body.error().to_string().find("failing.bloom"), std::string::npos)
          << body.error().to_string();
    }
    if (body) {
      body->reset();
    }
    const Result<BloomFilter> opened = BloomFilter::open(path);
    if (opened) {
      EXPECT_EQ(count_maybes(*opened, 0, 200), 200u) << "call " << failing_call;
    } else {
      EXPECT_NE(opened.error().to_string().find("dirty"), std::string::npos) << opened.error().to_string();
    }
  }
  EXPECT_TRUE(succeeded);
}

// The same for saving over an old file: the old one stays, byte for byte, and nothing else is left behind.
TEST(NativeFile, ASaveOnAFullDiskLeavesTheOldFile) {
  const TestFolder folder;
  const std::string path = folder.path("old.bloom");
  const std::string old = serialized(small_bloom(100));
  bool succeeded = false;
  for (int failing_call = 1; !succeeded && failing_call < 100; ++failing_call) {
    FilterBody body;  // a new one, which does not know what the last one saved
    body.header.bits = 64;
    body.header.target_fpp = 0.5;
    folder.write("old.bloom", old);
    FailingFileSystem files({.call = failing_call, .errno_value = ENOSPC});
    const Status saved = save_native_file(files, path, body, {.if_exists = IfExists::kReplace});
    succeeded = saved.has_value();
    if (!succeeded && files.failed() != "sync_directory_of") {  // only after the rename
      EXPECT_EQ(folder.read("old.bloom"), old) << "call " << failing_call;
      EXPECT_NE(saved.error().to_string().find("old.bloom"), std::string::npos) << saved.error().to_string();
    }
    EXPECT_EQ(folder.names(), std::vector<std::string>{"old.bloom"}) << "call " << failing_call;
  }
  EXPECT_TRUE(succeeded);
}

TEST(NativeFile, AViewNeedsAlignedBytes) {
  const Bytes bytes("x" + serialized(small_bloom()));
  EXPECT_EQ(BloomFilter::view(bytes.span().subspan(1)).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(BloomFilter::view(bytes.span().subspan(1), {.access = Access::kCopy}));
  EXPECT_FALSE(BloomFilter::view(bytes.span().subspan(1), {.access = Access::kUpdateInPlace}));
}

TEST(NativeFile, MetadataHasALimit) {
  BloomFilter filter = small_bloom();
  EXPECT_FALSE(filter.set_metadata(std::string((16 << 20) + 1, 'x')));
  EXPECT_TRUE(filter.set_metadata(std::string(16 << 20, 'x')));
}

}  // namespace
}  // namespace bloomery
