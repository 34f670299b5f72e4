// Damaged ribbon files: whatever is changed, no key that was in is denied, and no damage stays unseen.
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/ribbon_filter.h"
#include "filter/native/native_header.h"
#include "filter/ribbon/ribbon_kernel.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

struct RibbonFile {
  std::vector<Hash128> keys;
  std::string bytes;
  std::size_t shards_begin;  // behind header and directory
};

RibbonFile file_of(std::size_t key_count, double fpp) {
  RibbonFile file{.keys = numbered_hashes(0, key_count), .bytes = {}, .shards_begin = 0};
  const RibbonFilter filter = *RibbonFilter::build_from_hashes(file.keys, fpp);
  filter.serialize(file.bytes);
  file.shards_begin = kNativeHeaderBytes + shard_directory_bytes(filter.held_shards());
  return file;
}

// Three hundred keys in one shard, with both bands and a tail; and two shards of 65,536 keys each.
RibbonFile small_file() {
  return file_of(300, 0.01);
}
RibbonFile two_shard_file() {
  return file_of(131'072, 0.5);
}

// Flips `flip` in every `step`-th byte, one at a time.
void expect_never_believed(const RibbonFile& file, std::size_t step, char flip) {
  FileBytes bytes(file.bytes);
  for (std::size_t i = 0; i < file.bytes.size(); i += step) {
    bytes.bytes()[i] ^= static_cast<std::byte>(flip);
    const Result<RibbonFilter> opened = RibbonFilter::view(bytes.span());
    if (i < file.shards_begin) {
      ASSERT_FALSE(opened) << "byte " << i;
      ASSERT_TRUE(opened.error().offset().has_value()) << opened.error().to_string();
      ASSERT_NE(opened.error().detail().find("expected"), std::string::npos) << opened.error().to_string();
    } else {
      ASSERT_TRUE(opened) << "byte " << i << ": " << opened.error().to_string();
      ASSERT_EQ(maybes(*opened, file.keys), file.keys.size()) << "byte " << i;
      const Status verified = opened->verify();
      ASSERT_FALSE(verified) << "byte " << i;
      ASSERT_EQ(verified.error().code(), ErrorCode::kCorruption);
      ASSERT_EQ(opened->status().error().to_string(), verified.error().to_string());
      ASSERT_NE(verified.error().detail().find("shard"), std::string::npos) << verified.error().to_string();
      ASSERT_LE(verified.error().offset().value(), i);
    }
    bytes.bytes()[i] ^= static_cast<std::byte>(flip);
  }
  const Result<RibbonFilter> mended = RibbonFilter::view(bytes.span());
  ASSERT_TRUE(mended);
  EXPECT_TRUE(mended->verify());
}

TEST(RibbonDamage, NoFlippedByteOfASmallFileIsBelieved) {
  expect_never_believed(small_file(), 1, 1);
  expect_never_believed(small_file(), 1, '\xff');
}

TEST(RibbonDamage, NoFlippedByteOfTwoShardsIsBelieved) {
  expect_never_believed(two_shard_file(), 97, 1);
  expect_never_believed(two_shard_file(), 97, '\xff');
}

TEST(RibbonDamage, EveryCutIsAnErrorThatNamesTheFile) {
  const TestFolder folder;
  const RibbonFile file = small_file();
  for (std::size_t size = 0; size < file.bytes.size(); ++size) {
    folder.write("cut.ribbon", file.bytes.substr(0, size));
    for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
      const Result<RibbonFilter> opened = RibbonFilter::open(folder.path("cut.ribbon"), {.verify = verify});
      ASSERT_FALSE(opened) << size;
      ASSERT_EQ(opened.error().code(), ErrorCode::kCorruption) << opened.error().to_string();
      ASSERT_NE(opened.error().to_string().find("cut.ribbon"), std::string::npos);
    }
  }
  folder.write("long.ribbon", file.bytes + std::string(8, '\0'));
  EXPECT_FALSE(RibbonFilter::open(folder.path("long.ribbon")));
}

// Flips every bit of bytes [begin, end), which a wrong writer vouches for, or nobody verifies: opening is an
// error, or gives a filter that can be asked. What it answers is anyone's guess, but it reads nothing that is
// not there.
void expect_read_safely(const RibbonFile& file, std::size_t begin, std::size_t end) {
  const std::vector<Hash128> absent = numbered_hashes(kAbsentKeys, 2000);
  for (std::size_t i = begin; i < end; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      FileBytes bytes(file.bytes);
      bytes.bytes()[i] ^= static_cast<std::byte>(1 << bit);
      const std::size_t directory_bytes = file.shards_begin - kNativeHeaderBytes;
      const auto directory = std::as_bytes(bytes.span()).subspan(kNativeHeaderBytes, directory_bytes);
      bytes.set_header_field(112, crc32c(directory));  // and the header's own checksum
      const Result<RibbonFilter> opened = RibbonFilter::view(bytes.span(), {.verify = Verify::kHeaderOnly});
      if (opened) {
        EXPECT_LE(maybes(*opened, absent), absent.size());
        EXPECT_LE(maybes(*opened, file.keys), file.keys.size());
      } else {
        EXPECT_EQ(opened.error().code(), ErrorCode::kCorruption);
        EXPECT_LT(i, file.shards_begin);
      }
    }
  }
}

TEST(RibbonDamage, ADirectoryThatNobodyVerifiesIsStillReadSafely) {
  expect_read_safely(small_file(), 136, 152);  // the entry of a shard alone, in the header
  expect_read_safely(small_file(), kNativeHeaderBytes, small_file().bytes.size());
  expect_read_safely(file_of(131'072, 0.9), kNativeHeaderBytes, kNativeHeaderBytes + 32);
}

// One of two shards is damaged: it answers maybe to all, the other still says no, and the first query that
// meets it is what status() then tells for good.
TEST(RibbonDamage, ADamagedShardAnswersMaybeAndIsReportedForGood) {
  const TestFolder folder;
  RibbonFile file = file_of(131'072, 0.01);
  file.bytes[file.bytes.size() - 1000] = static_cast<char>(file.bytes[file.bytes.size() - 1000] ^ 4);
  folder.write("half.ribbon", file.bytes);
  std::vector<std::vector<Hash128>> absent(2);  // by shard
  for (const Hash128& hash : numbered_hashes(kAbsentKeys, 10'000)) {
    absent[multiply_high(hash.low, 2)].push_back(hash);
  }
  for (const Access access : {Access::kMap, Access::kCopy}) {
    const RibbonFilter filter = *RibbonFilter::open(folder.path("half.ribbon"), {.access = access});
    EXPECT_TRUE(filter.status());  // not touched yet
    EXPECT_LT(maybes(filter, absent[0]), absent[0].size() / 20);
    EXPECT_TRUE(filter.status());
    EXPECT_TRUE(filter.may_contain(absent[1][0]));
    const Status damaged = filter.status();
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().code(), ErrorCode::kCorruption);
    EXPECT_NE(damaged.error().detail().find("shard 1 of 2"), std::string::npos)
        << damaged.error().to_string();
    EXPECT_EQ(maybes(filter, absent[1]), absent[1].size());
    EXPECT_LT(maybes(filter, absent[0]), absent[0].size() / 20);
    EXPECT_FALSE(filter.status());
    EXPECT_EQ(filter.verify().error().to_string(), damaged.error().to_string());
    EXPECT_EQ(maybes(filter, file.keys), file.keys.size());
  }
}

// Both are damaged: the lower one is named, in whatever order they are met.
TEST(RibbonDamage, TheLowestDamagedShardIsNamed) {
  RibbonFile file = two_shard_file();
  for (const std::size_t at : {file.shards_begin + 8, file.bytes.size() - 8}) {
    file.bytes[at] = static_cast<char>(file.bytes[at] ^ 1);
  }
  const FileBytes bytes(file.bytes);
  const RibbonFilter filter = *RibbonFilter::view(bytes.span());
  EXPECT_TRUE(filter.may_contain(Hash128{.low = ~std::uint64_t{0}, .high = 0}));
  EXPECT_NE(filter.status().error().detail().find("shard 1 of 2"), std::string::npos);
  EXPECT_TRUE(filter.may_contain(Hash128{}));
  EXPECT_NE(filter.status().error().detail().find("shard 0 of 2"), std::string::npos);
  EXPECT_NE(filter.verify().error().detail().find("shard 0 of 2"), std::string::npos);
}

// What is saved from a damaged filter is damaged too: a save vouches for nothing.
TEST(RibbonDamage, ASaveDoesNotMakeDamageGood) {
  const TestFolder folder;
  RibbonFile file = small_file();
  file.bytes.back() = static_cast<char>(file.bytes.back() ^ 1);
  const FileBytes bytes(file.bytes);
  for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
    RibbonFilter filter = *RibbonFilter::view(bytes.span(), {.verify = verify});
    ASSERT_TRUE(filter.set_metadata("new"));
    ASSERT_TRUE(filter.save(folder.path("again.ribbon"), {.replace = true}));
    const RibbonFilter again = *RibbonFilter::open(folder.path("again.ribbon"));
    EXPECT_FALSE(again.verify());
    EXPECT_EQ(maybes(again, file.keys), file.keys.size());
  }
}

// Trusting is for queries; who asks for verification gets it.
TEST(RibbonDamage, HeaderOnlyReportsOnlyWhenItIsVerified) {
  RibbonFile file = two_shard_file();
  for (std::size_t at = file.shards_begin; at < file.bytes.size(); at += 100) {
    file.bytes[at] = static_cast<char>(file.bytes[at] ^ 1);
  }
  const FileBytes bytes(file.bytes);
  const RibbonFilter filter = *RibbonFilter::view(bytes.span(), {.verify = Verify::kHeaderOnly});
  EXPECT_LE(maybes(filter, file.keys), file.keys.size());
  EXPECT_TRUE(filter.status());
  EXPECT_FALSE(filter.verify());
  EXPECT_FALSE(filter.status());
  EXPECT_EQ(maybes(filter, file.keys), file.keys.size());
}

TEST(RibbonDamage, AnyFilterReportsItToo) {
  RibbonFile file = small_file();
  file.bytes.back() = static_cast<char>(file.bytes.back() ^ 1);
  const FileBytes bytes(file.bytes);
  const AnyFilter filter = *AnyFilter::view(bytes.span());
  EXPECT_TRUE(filter.status());
  EXPECT_FALSE(filter.verify());
  EXPECT_EQ(filter.status().error().code(), ErrorCode::kCorruption);
}

struct BadRibbonField {
  const char* name;
  std::size_t offset;
  std::uint64_t value;
  std::size_t size;
};

// A wrong writer: fields out of range under a right checksum. Opening fails, and says which field.
TEST(RibbonDamage, HeaderFieldsOutOfRangeAreNamed) {
  const RibbonFile file = two_shard_file();
  const std::uint64_t payload_bytes = file.bytes.size() - kNativeHeaderBytes;
  const BadRibbonField fields[] = {
      {"hash bits", 122, 55, 1},
      {"hash bits", 122, 65, 1},
      {"hash bits", 122, 0, 1},
      {"reserved", 123, 1, 1},
      {"shards", 124, 0, 4},
      {"first shard", 128, 2, 4},
      {"first shard", 128, 0xffffffff, 4},
      {"shards held", 132, 0, 4},
      {"shards held", 132, 3, 4},
      {"shards held", 132, 0xffffffff, 4},
      {"shards held", 128, 1, 4},  // the second of two, and the one behind it
      {"columns", 28, 60, 4},
      {"columns", 28, 0xffffffff, 4},
      {"bits", 64, payload_bytes * 8 - 1, 8},
      {"bits", 64, 0, 8},
      {"bits", 64, payload_bytes * 8 + (std::uint64_t{1} << 63), 8},
      {"stride", 120, 8, 2},
      {"entry", 136, 1, 1},
      {"entry", 151, 1, 1},
      {"exception column bytes", 152, 8, 1},
      {"exception table bytes", 160, 16, 1},
      {"exceptions", 168, 1, 1},
      {"reserved", 187, 128, 1},
  };
  for (const BadRibbonField& field : fields) {
    FileBytes bytes(file.bytes);
    std::memcpy(bytes.bytes().data() + field.offset, &field.value, field.size);
    bytes.set_header_field(8, std::uint32_t{1});  // the version, as it was
    for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
      const Result<RibbonFilter> opened = RibbonFilter::view(bytes.span(), {.verify = verify});
      ASSERT_FALSE(opened) << field.name << " " << field.value;
      EXPECT_NE(opened.error().detail().find(std::string(field.name) + ":"), std::string::npos)
          << opened.error().to_string();
      EXPECT_NE(opened.error().detail().find("expected"), std::string::npos) << opened.error().to_string();
    }
  }
}

// Everything about the sizes fits but that the payload is no whole number of words.
TEST(RibbonDamage, APayloadOfHalfAWordIsNamed) {
  const RibbonFile file = small_file();
  const std::uint64_t payload_bytes = file.bytes.size() - kNativeHeaderBytes + 4;
  FileBytes bytes(file.bytes + std::string(4, '\0'));
  bytes.set_header_field(64, payload_bytes * 8);
  bytes.set_header_field(88, payload_bytes);
  bytes.set_header_field(96, kNativeHeaderBytes + payload_bytes);
  const Result<RibbonFilter> opened = RibbonFilter::view(bytes.span());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::kCorruption);
  EXPECT_NE(opened.error().detail().find("payload bytes:"), std::string::npos) << opened.error().to_string();
}

// A payload that ends inside the directory it must begin with.
TEST(RibbonDamage, APayloadWithoutRoomForItsDirectoryIsNamed) {
  NativeHeader header;
  header.type = FilterType::kRibbon;
  header.target_fpp = 0.5;
  header.hash_bits = 56;
  header.shards = 3;
  header.held_shards = 3;
  header.payload_bytes = 40;
  header.bits = 320;
  const auto encoded = encode(header);
  std::string file(reinterpret_cast<const char*>(encoded.data()), encoded.size());
  file += std::string(40, '\0');
  const FileBytes bytes(file);
  const Result<RibbonFilter> opened = RibbonFilter::view(bytes.span());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().detail().find("payload bytes:"), std::string::npos) << opened.error().to_string();
}

}  // namespace
}  // namespace bloomery
