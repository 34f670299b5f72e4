// Damaged and wrongly written files with exceptions: none is believed, and no member is denied because of it.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/exceptions.h"
#include "bloomery/filter/ribbon_exceptions.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

struct DamagedFile {
  Hashes members;
  std::string bytes;
};

// A blocked filter of 60 keys with a table of about 30.
DamagedFile blocked_file() {
  DamagedFile file{.members = numbered_hashes(0, 60), .bytes = {}};
  BlockedBloomFilter filter = *BlockedBloomFilter::for_capacity(60, 0.05);
  filter.insert_batch(file.members);
  EXPECT_TRUE(add_exceptions(filter, numbered_hashes(kWhiteKeys, 4000)));
  EXPECT_GT(filter.exception_count(), 5u);
  EXPECT_TRUE(filter.set_metadata("a note"));
  file.bytes = serialized(filter);
  return file;
}

// A ribbon of 300 keys with a column and, for keys that came later, a table.
DamagedFile ribbon_file() {
  DamagedFile file{.members = numbered_hashes(0, 300), .bytes = {}};
  RibbonFilter filter =
      *build_from_hashes_with_exceptions(file.members, numbered_hashes(kWhiteKeys, 1000), 0.05);
  EXPECT_TRUE(add_exceptions(filter, numbered_hashes(kWhiteKeys + 1000, 300)));
  EXPECT_GT(filter.exception_count(), 5u);
  EXPECT_TRUE(filter.set_metadata("a note"));
  file.bytes = serialized(filter);
  return file;
}

// What is opened all the same, since its shards are verified when they are met, denies no member, and tells.
void expect_seen_later(const AnyFilter& filter, const DamagedFile& file, std::size_t at) {
  ASSERT_EQ(maybes(filter, file.members), file.members.size()) << "byte " << at;
  const Status verified = filter.verify();
  ASSERT_FALSE(verified) << "byte " << at;
  ASSERT_EQ(verified.error().code(), ErrorCode::kCorruption);
  ASSERT_EQ(filter.status().error().to_string(), verified.error().to_string());
  for (const Hash128& member : file.members) {
    ASSERT_TRUE(filter.may_contain(member)) << "byte " << at;
  }
}

// Flips `flip` in every byte, one at a time. Whether damage may be left for the first touch depends on what
// is hit: `is_shard` of a byte's offset.
template <typename IsShard>
void expect_flips_found(const DamagedFile& file, char flip, IsShard is_shard) {
  FileBytes bytes(file.bytes);
  for (std::size_t i = 0; i < file.bytes.size(); ++i) {
    bytes.bytes()[i] ^= static_cast<std::byte>(flip);
    const Result<AnyFilter> opened = AnyFilter::view(bytes.span());
    ASSERT_EQ(opened.has_value(), is_shard(i)) << "byte " << i;
    if (opened) {
      expect_seen_later(*opened, file, i);
    } else {
      ASSERT_TRUE(opened.error().offset().has_value()) << opened.error().to_string();
      ASSERT_NE(opened.error().detail().find("expected"), std::string::npos) << opened.error().to_string();
    }
    bytes.bytes()[i] ^= static_cast<std::byte>(flip);
  }
  const Result<AnyFilter> mended = AnyFilter::view(bytes.span());
  ASSERT_TRUE(mended);
  EXPECT_TRUE(mended->verify());
}

TEST(ExceptionsDamage, NoFlippedByteOfABlockedFilterIsBelieved) {
  for (const char flip : {'\1', '\x80', '\xff'}) {
    expect_flips_found(blocked_file(), flip, [](std::size_t) { return false; });
  }
}

TEST(ExceptionsDamage, NoFlippedByteOfARibbonIsBelieved) {
  const DamagedFile file = ribbon_file();
  const NativeHeader header = FileParts::of(file.bytes).header;
  ASSERT_EQ(header.held_shards, 1u);  // its directory is in the header, and the column's in its own
  const auto is_shard = [&header](std::size_t at) {
    const bool in_ribbon = at >= header.payload_offset() && at < header.column_offset();
    const bool in_column =
        at >= header.column_offset() + kNativeHeaderBytes && at < header.exception_offset();
    return in_ribbon || in_column;
  };
  for (const char flip : {'\1', '\x80', '\xff'}) {
    expect_flips_found(file, flip, is_shard);
  }
}

TEST(ExceptionsDamage, EveryCutIsAnErrorThatNamesTheFile) {
  const TestFolder folder;
  for (const DamagedFile& file : {blocked_file(), ribbon_file()}) {
    for (std::size_t size = 0; size < file.bytes.size(); ++size) {
      folder.write("cut", file.bytes.substr(0, size));
      const Result<AnyFilter> opened = AnyFilter::open(
          folder.path("cut"), {.verify = size % 2 == 0 ? Verify::kChecksums : Verify::kHeaderOnly});
      ASSERT_FALSE(opened) << size;
      ASSERT_EQ(opened.error().code(), ErrorCode::kCorruption) << opened.error().to_string();
      ASSERT_NE(opened.error().to_string().find("cut"), std::string::npos);
    }
    folder.write("long", file.bytes + std::string(16, '\0'));
    EXPECT_FALSE(AnyFilter::open(folder.path("long")));
  }
}

// A damaged column is reported where it is in the file, by status() too, once a member or stranger met it.
TEST(ExceptionsDamage, ADamagedColumnAnswersMaybeAndTellsOfItself) {
  DamagedFile file = ribbon_file();
  const NativeHeader header = FileParts::of(file.bytes).header;
  file.bytes[header.exception_offset() - 1] ^= 1;
  const FileBytes bytes(file.bytes);
  const Result<RibbonFilter> opened = RibbonFilter::view(bytes.span());
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_TRUE(opened->status());
  EXPECT_EQ(maybes(*opened, file.members), file.members.size());
  ASSERT_FALSE(opened->status());
  EXPECT_NE(opened->status().error().to_string().find("column"), std::string::npos)
      << opened->status().error().to_string();
  EXPECT_GT(maybes(*opened, numbered_hashes(kWhiteKeys, 1000)), 0u);  // the ribbon's own
}

// Fields that a wrong writer vouches for, and what the error calls them.
struct BadExceptionField {
  const char* name;
  std::size_t offset;
  std::uint64_t value;
  std::size_t size;
};

void expect_named(const DamagedFile& file, const BadExceptionField& field, Verify verify) {
  FileBytes bytes(file.bytes);
  std::memcpy(bytes.bytes().data() + field.offset, &field.value, field.size);
  bytes.set_header_field(8, std::uint32_t{1});  // the version, as it was
  const Result<AnyFilter> opened = AnyFilter::view(bytes.span(), {.verify = verify});
  ASSERT_FALSE(opened) << field.name << " " << field.value;
  EXPECT_NE(opened.error().to_string().find(field.name), std::string::npos) << opened.error().to_string();
  EXPECT_NE(opened.error().detail().find("expected"), std::string::npos) << opened.error().to_string();
}

TEST(ExceptionsDamage, HeaderFieldsOutOfRangeAreNamed) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  for (const DamagedFile& file : {blocked_file(), ribbon_file()}) {
    const NativeHeader header = FileParts::of(file.bytes).header;
    const bool ribbon = header.type == FilterType::kRibbon;
    const std::uint64_t table = header.exception_bytes;
    const std::uint64_t column = header.column_bytes;
    const BadExceptionField fields[] = {
        {ribbon ? "exception column bytes:" : "reserved:", 152, column + 4, 8},
        {ribbon ? "exception column bytes:" : "reserved:", 152, file.bytes.size(), 8},
        {ribbon ? "exception column bytes:" : "reserved:", 152, kMost - 7, 8},
        {"exception table bytes:", 160, table - 8, 8},
        {"exception table bytes:", 160, table + 1, 8},
        {"exception table bytes:", 160, file.bytes.size(), 8},
        {"exception table bytes:", 160, kMost - 15, 8},
        {"exceptions:", 160, table - 16, 8},
        {"exceptions:", 168, table / 16 + 1, 8},
        {"exceptions:", 168, kMost, 8},
        {"reserved:", 180, 1, 1},
        {"reserved:", 187, 1, 1},
    };
    for (const BadExceptionField& field : fields) {
      expect_named(file, field, Verify::kChecksums);
      expect_named(file, field, Verify::kHeaderOnly);
    }
    expect_named(file, {"exception table: at byte", 176, header.exception_checksum ^ 1, 4},
                 Verify::kChecksums);
    expect_named(file, {"exception table: at byte", 168, table / 16 - 1, 8}, Verify::kChecksums);
  }
}

std::string viewed_error(const std::string& file) {
  const FileBytes bytes(file);
  const Result<AnyFilter> opened = AnyFilter::view(bytes.span());
  if (opened) {
    return "opened";
  }
  EXPECT_EQ(opened.error().code(), ErrorCode::kCorruption) << opened.error().to_string();
  return opened.error().to_string();
}

void expect_says(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << text << "\nlacks: " << words;
}

// The checksum of the table holds, its order does not: it would be searched in vain.
TEST(ExceptionsDamage, ATableOutOfOrderIsAnError) {
  for (const DamagedFile& file : {blocked_file(), ribbon_file()}) {
    FileParts parts = FileParts::of(file.bytes);
    EXPECT_EQ(viewed_error(parts.joined()), "opened");
    const std::string first = parts.table.substr(0, 16);
    parts.table = parts.table.substr(16) + first;
    expect_says(viewed_error(parts.joined()), "exception table: at byte");
    expect_says(viewed_error(parts.joined()), "ascending order");
  }
}

TEST(ExceptionsDamage, ATableWithAWrongCountIsAnError) {
  for (const DamagedFile& file : {blocked_file(), ribbon_file()}) {
    FileParts parts = FileParts::of(file.bytes);
    --parts.header.exceptions;
    expect_says(viewed_error(parts.joined()), "different entries");
    parts = FileParts::of(file.bytes);
    parts.table.replace(0, 16, parts.table, 16, 16);  // one withdrawn, but still counted
    expect_says(viewed_error(parts.joined()), "different entries");
    --parts.header.exceptions;
    EXPECT_EQ(viewed_error(parts.joined()), "opened");
    parts.header.exceptions = 0;  // all withdrawn: the entries mean nothing
    EXPECT_EQ(viewed_error(parts.joined()), "opened");
  }
}

// A payload that is no whole number of words would leave the table, and the column, askew.
TEST(ExceptionsDamage, AnUnevenPayloadInFrontOfATableIsAnError) {
  FileParts parts = FileParts::of(blocked_file().bytes);
  parts.payload += "1234";
  expect_says(viewed_error(parts.joined()), "payload bytes: expected a multiple of 8");
}

// A column is opened as part of the file: one that is no plain whole ribbon is refused before it is.
TEST(ExceptionsDamage, AColumnThatIsNoPlainRibbonIsAnError) {
  const DamagedFile file = ribbon_file();
  const auto error_with_column = [&file](const std::string& column) {
    FileParts parts = FileParts::of(file.bytes);
    parts.column = column;
    return viewed_error(parts.joined());
  };
  const FileParts parts = FileParts::of(file.bytes);
  ASSERT_EQ(error_with_column(parts.column), "opened");
  constexpr const char* kExpected = "expected a whole ribbon without exceptions of its own";

  FileParts nested = FileParts::of(parts.column);
  nested.column = parts.column;
  expect_says(error_with_column(nested.joined()), kExpected);
  FileParts tabled = FileParts::of(parts.column);
  tabled.table = parts.table;
  tabled.header.exceptions = parts.header.exceptions;
  expect_says(error_with_column(tabled.joined()), kExpected);
  expect_says(error_with_column(serialized(*BlockedBloomFilter::for_capacity(10, 0.1))), kExpected);
  expect_says(error_with_column(serialized(*BloomFilter::for_capacity(10, 0.1))), kExpected);
  RibbonBuilder part = *RibbonBuilder::create(0.5, {.capacity = 150'000, .part = 1, .parts = 2});
  ASSERT_TRUE(part.add(file.members));
  expect_says(error_with_column(serialized(*part.finish())), kExpected);
  expect_says(error_with_column(std::string(200, '\0')), "expected a Bloomery filter");
  expect_says(error_with_column(parts.column.substr(0, 64)), "exception column");
  FileParts dirty = FileParts::of(parts.column);
  dirty.header.dirty = true;
  expect_says(error_with_column(dirty.joined()), "exception column");
}

// Rejected keys are what a column has beyond its members.
TEST(ExceptionsDamage, AColumnOfFewerKeysThanItsMembersIsAnError) {
  FileParts parts = FileParts::of(ribbon_file().bytes);
  FileParts column = FileParts::of(parts.column);
  column.header.capacity = column.header.inserted - 1;
  parts.column = column.joined();
  expect_says(viewed_error(parts.joined()), "exception column");
}

// A column of other filters has no place.
TEST(ExceptionsDamage, AColumnOfABlockedFilterIsAnError) {
  const std::string column = FileParts::of(ribbon_file().bytes).column;
  FileParts parts = FileParts::of(blocked_file().bytes);
  parts.column = column;
  const FileBytes bytes(parts.joined());
  const Result<AnyFilter> opened = AnyFilter::view(bytes.span());
  ASSERT_FALSE(opened);
  expect_says(opened.error().to_string(), "expected 0");
}

// Flips every bit of the table, and of the fields that describe it, where nobody verifies them: an error, or
// a filter that can be asked and reads nothing that is not there.
TEST(ExceptionsDamage, ATableThatNobodyVerifiesIsStillReadSafely) {
  for (const DamagedFile& file : {blocked_file(), ribbon_file()}) {
    const NativeHeader header = FileParts::of(file.bytes).header;
    const Hashes absent = numbered_hashes(kWhiteKeys, 1000);
    const auto ask_with_flipped = [&](std::size_t at, int bit) {
      FileBytes bytes(file.bytes);
      bytes.bytes()[at] ^= static_cast<std::byte>(1 << bit);
      bytes.set_header_field(8, std::uint32_t{1});
      for (const Access access : {Access::kMap, Access::kCopy}) {
        const auto opened = AnyFilter::view(bytes.span(), {.access = access, .verify = Verify::kHeaderOnly});
        if (opened) {
          EXPECT_LE(maybes(*opened, absent), absent.size());
          EXPECT_LE(serialized(opened->native()).size(), file.bytes.size());
        }
      }
    };
    for (int bit = 0; bit < 8; ++bit) {
      for (std::size_t at = header.column_offset(); at < header.metadata_offset(); at += 3) {
        ask_with_flipped(at, bit);
      }
      for (std::size_t at = 152; at < 180; ++at) {
        ask_with_flipped(at, bit);
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
