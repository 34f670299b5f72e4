// What a MANIFEST says is live: edits of LevelDB and RocksDB, column families, groups, and fields of later releases.
#include "codec/sstable/live_files.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/sstable/write_batch.h"
#include "tests/codec/crafted_log.h"

namespace bloomery::sstable {
namespace {

const std::string kNumbers =
    varint_of(2) + varint_of(5) + varint_of(3) + varint_of(9) + varint_of(4) + varint_of(1);

std::string new_file(std::uint64_t number, const std::string& smallest, const std::string& largest) {
  return varint_of(7) + varint_of(1) + varint_of(number) + varint_of(100) +
         sized_text(internal_key(smallest)) + sized_text(internal_key(largest));
}

// A file in the newest form. `fields` stand before the end of the fields.
std::string new_file4(std::uint64_t number, const std::string& fields) {
  return varint_of(103) + varint_of(2) + varint_of(number) + varint_of(100) + sized_text(internal_key("a")) +
         sized_text(internal_key("b")) + varint_of(1) + varint_of(2) + fields + varint_of(1);
}

std::string field(std::uint64_t tag, const std::string& value) {
  return varint_of(tag) + sized_text(value);
}

Result<LiveFiles> read_live_files(const std::vector<std::string>& edits) {
  std::string manifest;
  for (const std::string& edit : edits) {
    manifest += log_piece(1, edit);
  }
  return LiveFiles::read(bytes_of(manifest), "MANIFEST-000001");
}

ErrorCode code_of(const std::vector<std::string>& edits) {
  const auto live = read_live_files(edits);
  EXPECT_FALSE(live);
  return live ? ErrorCode::kIo : live.error().code();
}

std::vector<std::uint64_t> numbers(const LiveFamily& family) {
  std::vector<std::uint64_t> all;
  for (const auto& [number, file] : family.files) {
    all.push_back(number);
  }
  return all;
}

using Numbers = std::vector<std::uint64_t>;

TEST(LiveFiles, AppliesEditsInOrder) {
  const std::string moved = varint_of(6) + varint_of(1) + varint_of(3) + new_file4(3, "");
  const auto live =
      read_live_files({kNumbers + new_file(3, "a", "c") + new_file(4, "d", "f"),
                       varint_of(6) + varint_of(1) + varint_of(4) + varint_of(9) + varint_of(8), moved});
  ASSERT_TRUE(live) << live.error().to_string();
  const LiveFamily& family = live->families().at(0);
  EXPECT_EQ(family.name, "default");
  EXPECT_EQ(numbers(family), Numbers({3}));
  EXPECT_EQ(family.files.at(3).level, 2u);
  EXPECT_EQ(family.files.at(3).smallest, "a");
  EXPECT_EQ(live->first_log(), 5u);
  EXPECT_EQ(live->previous_log(), 8u);
  EXPECT_EQ(code_of({kNumbers + new_file(3, "a", "c"), new_file(3, "a", "d")}), ErrorCode::kCorruption);
  EXPECT_EQ(code_of({new_file(3, "a", "c")}), ErrorCode::kCorruption);  // no numbers
}

// goleveldb may write the entry of a file twice, in one record or in two. LevelDB reads such a manifest. Only an entry that
// says something else is damage.
TEST(LiveFiles, AnEntryThatStandsTwiceChangesNothing) {
  const std::string file = new_file(3, "a", "c");
  for (const auto& edits : {std::vector{kNumbers + file + file}, std::vector{kNumbers + file, file}}) {
    const auto live = read_live_files(edits);
    ASSERT_TRUE(live) << live.error().to_string();
    EXPECT_EQ(numbers(live->families().at(0)), Numbers({3}));
  }
  const std::string other_level = varint_of(7) + varint_of(2) + file.substr(2);
  const std::string other_size = varint_of(7) + varint_of(1) + varint_of(3) + varint_of(101) + file.substr(4);
  for (const std::string& other : {new_file(3, "a", "d"), new_file(3, "b", "c"), other_level, other_size}) {
    EXPECT_EQ(code_of({kNumbers + file + other}), ErrorCode::kCorruption);
  }
}

TEST(LiveFiles, ColumnFamiliesAreAddedAndDropped) {
  const std::string of_two = varint_of(200) + varint_of(2);
  const std::string add = of_two + varint_of(201) + sized_text("two") + varint_of(1) + sized_text("order") +
                          varint_of(2) + varint_of(3) + varint_of(203) + varint_of(2);
  const auto live = read_live_files({kNumbers, add, of_two + new_file(4, "a", "b")});
  ASSERT_TRUE(live) << live.error().to_string();
  EXPECT_EQ(live->families().at(2).name, "two");
  EXPECT_EQ(live->families().at(2).comparator, "order");
  EXPECT_EQ(numbers(live->families().at(2)), Numbers({4}));
  EXPECT_EQ(live->first_log(), 3u);
  const auto dropped = read_live_files({kNumbers, add, of_two + varint_of(202)});
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->families().size(), 1u);
  EXPECT_EQ(dropped->first_log(), 5u);
  EXPECT_EQ(code_of({kNumbers, of_two + new_file(4, "a", "b")}), ErrorCode::kCorruption);
  EXPECT_EQ(code_of({kNumbers, add, add}), ErrorCode::kCorruption);
  EXPECT_EQ(code_of({kNumbers + varint_of(202)}), ErrorCode::kCorruption);
}

TEST(LiveFiles, AGroupCountsWhole) {
  const auto group = [](std::uint64_t left) { return varint_of(300) + varint_of(left); };
  const auto whole =
      read_live_files({kNumbers, new_file(3, "a", "b") + group(1), new_file(4, "c", "d") + group(0)});
  ASSERT_TRUE(whole);
  EXPECT_EQ(numbers(whole->families().at(0)), Numbers({3, 4}));
  EXPECT_FALSE(whole->is_torn());
  const auto half = read_live_files({kNumbers, new_file(3, "a", "b") + group(1)});
  ASSERT_TRUE(half);
  EXPECT_EQ(numbers(half->families().at(0)), Numbers());
  EXPECT_TRUE(half->is_torn());
}

TEST(LiveFiles, FieldsOfLaterReleases) {
  const std::string path(1, '\2');
  const auto live = read_live_files(
      {kNumbers + new_file4(3, field(65, path) + field(12, std::string(16, 'u')) + field(30, "x")) +
       field(8193, "an id") + field(8198, "time") + field(9000, "unknown")});
  ASSERT_TRUE(live) << live.error().to_string();
  EXPECT_EQ(live->families().at(0).files.at(3).path, 2u);
  EXPECT_EQ(code_of({kNumbers + new_file4(3, field(66, "x"))}), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of({kNumbers + field(50, "x")}), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of({kNumbers + varint_of(7)}), ErrorCode::kCorruption);
}

TEST(LiveFiles, BlobFilesAndLogsThatWereWritten) {
  const std::string three = varint_of(6) + varint_of(7) + varint_of(8);
  const std::string blob = varint_of(400) + three + sized_text("crc") + sized_text("sum") + varint_of(0) +
                           varint_of(401) + three + field(2, "x") + varint_of(0);
  const std::string log = varint_of(6) + varint_of(2) + varint_of(77) + varint_of(1);
  const auto live =
      read_live_files({kNumbers + blob + varint_of(8196) + varint_of(4) + varint_of(1), field(8199, log),
                       field(8200, varint_of(5)), kNumbers + new_file(11, "a", "b")});
  ASSERT_TRUE(live) << live.error().to_string();
  EXPECT_EQ(live->written_logs().size(), 1u);
  EXPECT_EQ(live->written_logs().at(6), 77u);
  EXPECT_EQ(code_of({kNumbers + varint_of(400) + three + sized_text("") + sized_text("") + field(64, "")}),
            ErrorCode::kUnsupported);
}

std::vector<std::string> batch_keys(const std::string& writes) {
  std::vector<std::string> keys;
  const std::string batch = batch_header(9) + writes;
  const Status visited =
      visit_write_batch(bytes_of(batch), 0, [&](std::uint32_t family, std::string_view key) {
        keys.push_back(std::to_string(family) + std::string(key));
        return Status();
      });
  if (!visited) {
    keys.push_back(error_code_name(visited.error().code()));
  }
  return keys;
}

TEST(WriteBatch, HasTheKeysOfAllKindsOfWrites) {
  const std::string key = sized_text("k");
  const std::string value = sized_text("value");
  for (const char type : {'\x0', '\x7'}) {
    EXPECT_EQ(batch_keys(type + key), std::vector<std::string>({"0k"}));
  }
  for (const char type : {'\x1', '\x2', '\xf', '\x11', '\x16', '\x18'}) {
    EXPECT_EQ(batch_keys(type + key + value), std::vector<std::string>({"0k"}));
  }
  for (const char type : {'\x4', '\x8'}) {
    EXPECT_EQ(batch_keys(type + varint_of(3) + key), std::vector<std::string>({"3k"}));
  }
  for (const char type : {'\x5', '\x6', '\xe', '\x10', '\x17', '\x19'}) {
    EXPECT_EQ(batch_keys(type + varint_of(3) + key + value), std::vector<std::string>({"3k"}));
  }
  const std::string marks = '\3' + value + '\x9' + '\xa' + key + '\xb' + key + '\xc' + key + '\xd' + '\x12' +
                            '\x13' + '\x15' + key + key;
  EXPECT_EQ(batch_keys(marks + '\1' + key + value), std::vector<std::string>({"0k"}));
  EXPECT_EQ(batch_keys("\x14" + key), std::vector<std::string>({"unsupported"}));
  EXPECT_EQ(batch_keys("\x7f"), std::vector<std::string>({"unsupported"}));
  EXPECT_EQ(batch_keys("\1\5k"), std::vector<std::string>({"corruption"}));
  EXPECT_FALSE(visit_write_batch({}, 0, [](std::uint32_t, std::string_view) { return Status(); }));
}

}  // namespace
}  // namespace bloomery::sstable
