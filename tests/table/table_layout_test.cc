// Tables as HBase left them, and the same ones damaged: every fault is an error that names file and place.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "bloomery/table/family_text.h"
#include "bloomery/table/table.h"
#include "hfile/protobuf_writer.h"
#include "table/layout/hbase_messages.h"
#include "table/layout/region_order.h"
#include "table/layout/store_file_name.h"
#include "table/layout/tracker_list.h"
#include "tests/hfile/written.h"
#include "tests/table/hbase_set.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDaughter = "data/default/halves/a7a7ad8bbb824c8a4bfe673a98b7d618";

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string read(const std::string& path) {
  return file_bytes(path);
}

void expect_error(const Result<Table>& table, ErrorCode code, const std::string& part) {
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code(), code) << table.error().to_string();
  EXPECT_NE(table.error().to_string().find(part), std::string::npos) << table.error().to_string();
}

Result<std::uint64_t> count_cells(const Table& table) {
  BLOOMERY_ASSIGN_OR_RETURN(TableScanner scanner, table.scan({}));
  std::uint64_t cells = 0;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, scanner.next());
    if (!found) {
      return cells;
    }
    cells += scanner.result().size();
  }
}

TEST(TableSchema, AFamilyIsDescribedInHBasesWords) {
  const auto family = parse_family_schema(
      "f:VERSIONS=3,MIN_VERSIONS=1,TTL=60,KEEP_DELETED_CELLS=ttl,NEW_VERSION_BEHAVIOR=true,BLOOMFILTER=NONE,"
      "IS_MOB=TRUE");
  ASSERT_TRUE(family) << family.error().to_string();
  EXPECT_EQ(family->name, "f");
  EXPECT_EQ(family->versions, 3);
  EXPECT_EQ(family->min_versions, 1);
  EXPECT_EQ(family->time_to_live_ms, 60'000);
  EXPECT_EQ(family->keep_deleted, KeepDeletedCells::kTtl);
  EXPECT_TRUE(family->has_new_version_behavior && family->has_mob && !family->uses_bloom_filters);
  const auto plain = parse_family_schema("f:TTL=FOREVER");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->versions, 1);
  EXPECT_FALSE(plain->time_to_live_ms);
  EXPECT_TRUE(parse_family_schema("g"));
  for (const char* const text :
       {"", ":VERSIONS=1", "f:VERSIONS", "f:VERSIONS=", "f:VERSIONS=x", "f:VERSIONS=-1",
        "f:VERSIONS=1,VERSIONS=2", "f:COLOUR=red", "f:TTL=9999999999", "f:,", "f:KEEP_DELETED_CELLS=maybe"}) {
    const auto refused = parse_family_schema(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument) << text;
  }
}

TEST(TableLayout, ADirectoryIsRecognised) {
  const HBaseSet set("root/data/default/halves exported");
  const auto table = Table::open(set.path("data/default/halves"));
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_EQ(table->schema().name, "halves");
  EXPECT_EQ(table->regions().size(), 2u);
  EXPECT_EQ(table->warnings().size(), 0u);
  const auto snapshot = Table::open(set.exported() + "/.hbase-snapshot/of-clone");
  ASSERT_TRUE(snapshot) << snapshot.error().to_string();
  EXPECT_EQ(snapshot->schema().name, "clone");
  expect_error(Table::open(set.path("data/default")), ErrorCode::kInvalidArgument, "expected the directory");
  expect_error(Table::open(set.path("nothing")), ErrorCode::kNotFound, "nothing");
}

TEST(TableLayout, LogsThatAreLeftOutAreWarnedOf) {
  const HBaseSet set("root/data/default/unflushed root/WALs");
  const auto table = Table::open_table(set.root(), "unflushed");
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_TRUE(table->warnings().empty());
  const auto without = Table::open_table(set.root(), "unflushed", {.reads_logs = false});
  ASSERT_EQ(without->warnings().size(), 1u);
  EXPECT_NE(without->warnings()[0].find("left out"), std::string::npos);
  EXPECT_TRUE(without->logs().empty());
}

TEST(TableLayout, AFileOfASnapshotThatIsGoneIsNamed) {
  const HBaseSet set("exported");
  fs::remove_all(set.exported() + "/archive/data/default/origin");
  expect_error(Table::open_snapshot(set.exported(), "of-clone"), ErrorCode::kNotFound,
               "data/default/origin/");
}

// Its rows have an order of their own, in which nothing here merges.
TEST(TableLayout, AFileOfHBaseMetaIsRefusedByName) {
  const HBaseSet set("root/data/hbase/meta");
  const auto table =
      Table::open_files({set.path("data/hbase/meta/1588230740/info/e52a81ad76674fb2a874fe4c037822c9")});
  ASSERT_TRUE(table) << table.error().to_string();
  const auto cells = count_cells(*table);
  ASSERT_FALSE(cells);
  EXPECT_EQ(cells.error().code(), ErrorCode::kUnsupported) << cells.error().to_string();
  EXPECT_NE(cells.error().to_string().find("found one of hbase:meta"), std::string::npos);
}

TEST(TableLayout, HBaseMetaIsRefusedByName) {
  const HBaseSet set("root/data/hbase/meta");
  expect_error(Table::open_table(set.root(), "hbase:meta"), ErrorCode::kUnsupported, "found hbase:meta");
  expect_error(Table::open(set.path("data/hbase/meta")), ErrorCode::kUnsupported, "found hbase:meta");
}

TEST(TableLayout, AReferenceToAGoneFileIsNamed) {
  const HBaseSet set("root/data/default/halves");
  fs::remove(set.path(std::string(kSplitParent) + "/f/de80bf8222ee4d02b96a123a39c727ca"));
  expect_error(Table::open_table(set.root(), "halves"), ErrorCode::kNotFound,
               "de80bf8222ee4d02b96a123a39c727ca");
}

TEST(TableLayout, AFileThatTheTrackerListsAndThatIsGoneIsNamed) {
  const HBaseSet set("root/data/default/tracked");
  for (const auto& entry : fs::recursive_directory_iterator(set.path("data/default/tracked"))) {
    if (entry.path().filename() == "cfa9434172264ba795b204f0894999e6") {
      fs::remove(entry.path());
      break;
    }
  }
  expect_error(Table::open_table(set.root(), "tracked"), ErrorCode::kNotFound,
               "cfa9434172264ba795b204f0894999e6");
}

TEST(TableLayout, ADamagedDescriptorIsAnErrorWithItsPlace) {
  const HBaseSet set("root/data/default/halves");
  const std::string path = set.path("data/default/halves/.tabledesc/.tableinfo.0000000001.657");
  std::string bytes = read(path);
  bytes[0] = 'X';
  write(path, bytes);
  expect_error(Table::open_table(set.root(), "halves"), ErrorCode::kCorruption, path + ": table descriptor");
  write(path, bytes.substr(0, 600));  // shorter than its name says: it is being written
  expect_error(Table::open_table(set.root(), "halves"), ErrorCode::kCorruption, ".tabledesc");
}

TEST(TableLayout, ADamagedRegionInfoIsAnErrorWithItsPlace) {
  const HBaseSet set("root/data/default/halves");
  const std::string path = set.path(std::string(kDaughter) + "/.regioninfo");
  std::string bytes = read(path);
  bytes[12] = static_cast<char>(bytes[12] ^ 1);  // the id, which the region's name is made of
  write(path, bytes);
  expect_error(Table::open_table(set.root(), "halves"), ErrorCode::kCorruption, path);
  write(path, "PBUF");
  expect_error(Table::open_table(set.root(), "halves"), ErrorCode::kCorruption, path);
}

TEST(TableLayout, AnUnknownTrackerIsRefusedByName) {
  const HBaseSet set("root/data/default/halves");
  TableOptions options;
  options.schema = Table::open_table(set.root(), "halves")->schema();
  options.schema->families.front().file_tracker = "MIGRATION";
  expect_error(Table::open_table(set.root(), "halves", options), ErrorCode::kUnsupported, "MIGRATION");
}

// The daughters of the split, as far as HBase had made them when it was killed: their rows are those of the parent.
class UnfinishedSplit : public testing::Test {
 protected:
  UnfinishedSplit() {
    for (const char* const daughter :
         {"a7a7ad8bbb824c8a4bfe673a98b7d618", "6319f3a9d9e323324b35903d7d87da08"}) {
      daughters_.push_back(set_.path("data/default/halves/") + daughter);
    }
  }

  // Returns how many cells the table has.
  std::uint64_t cells() const {
    const auto table = Table::open_table(set_.root(), "halves");
    EXPECT_TRUE(table) << table.error().to_string();
    const auto cells = table ? count_cells(*table) : Result<std::uint64_t>(0);
    EXPECT_TRUE(cells) << cells.error().to_string();
    return cells ? *cells : 0;
  }
  std::uint64_t cells_of_parent() const {
    for (const std::string& daughter : daughters_) {
      fs::remove_all(daughter);
    }
    return cells();
  }
  void remove_files(const std::string& daughter) const {
    for (const char* const family : {"/f", "/g"}) {
      fs::remove_all(daughter + family);
      fs::create_directory(daughter + family);
    }
  }

  HBaseSet set_{"root"};
  std::vector<std::string> daughters_;
};

TEST_F(UnfinishedSplit, ARegionWithoutASequenceIsLeftOutWithItsSister) {
  const std::uint64_t finished = cells();
  remove_files(daughters_[0]);
  EXPECT_NE(cells(), finished);  // it would be missed
  fs::remove_all(daughters_[0] + "/recovered.edits");
  const auto table = Table::open_table(set_.root(), "halves");
  ASSERT_TRUE(table) << table.error().to_string();
  ASSERT_EQ(table->regions().size(), 1u);
  EXPECT_EQ(table->regions().front().name, "fad3b82cb67a3742274c4a76b9ad1573");
  EXPECT_EQ(table->warnings().size(), 2u);
  const std::uint64_t left = cells();
  EXPECT_EQ(left, cells_of_parent());
}

TEST_F(UnfinishedSplit, ARegionWithoutItsInfoIsLeftOut) {
  for (const bool is_empty : {false, true}) {
    fs::remove_all(daughters_[0] + "/recovered.edits");
    fs::remove_all(daughters_[1]);
    is_empty ? write(daughters_[0] + "/.regioninfo", "") : (void)fs::remove(daughters_[0] + "/.regioninfo");
    const auto table = Table::open_table(set_.root(), "halves");
    ASSERT_TRUE(table) << table.error().to_string();
    EXPECT_EQ(table->regions().size(), 1u);
    EXPECT_EQ(table->warnings().size(), 1u);
  }
}

TEST_F(UnfinishedSplit, AFinishedRegionWithoutItsInfoIsAnError) {
  write(daughters_[0] + "/.regioninfo", "");
  expect_error(Table::open_table(set_.root(), "halves"), ErrorCode::kCorruption, "PBUF");
  fs::remove(daughters_[0] + "/.regioninfo");
  expect_error(Table::open_table(set_.root(), "halves"), ErrorCode::kNotFound, ".regioninfo");
}

TEST(TableLayout, AMissingRegionIsAHole) {
  const HBaseSet set("root/data/default/wide");
  fs::remove_all(set.path("data/default/wide/f1d0a88f8bf5278519bd68f18e202849"));
  expect_error(Table::open_table(set.root(), "wide"), ErrorCode::kCorruption, "hole");
  const auto accepted = Table::open_table(set.root(), "wide", {.accepts_region_faults = true});
  ASSERT_TRUE(accepted) << accepted.error().to_string();
  EXPECT_FALSE(accepted->warnings().empty());
}

TEST(TableLayout, AFileThatIsNoHFileEndsTheScanWithItsName) {
  const HBaseSet set("root/data/default/wide");
  const std::string region = set.path("data/default/wide/f1d0a88f8bf5278519bd68f18e202849/f/");
  write(region + "0123456789abcdef0123456789abcdef", "no HFile at all, but with the name of one");
  const auto table = Table::open_table(set.root(), "wide");
  ASSERT_TRUE(table);
  const auto cells = count_cells(*table);
  ASSERT_FALSE(cells);
  EXPECT_NE(cells.error().to_string().find("0123456789abcdef0123456789abcdef"), std::string::npos);
}

TEST(TableLayout, AFileThatChangesOrIsCutEndsTheScanWithItsName) {
  const HBaseSet set("root/data/default/counters");
  const std::string path = set.path(
      "data/default/counters/f832637ffb40df3e74d47ca15ba41cbb/f/"
      "ccc57febe3964c228eb979914ffa0a70");
  const auto table = Table::open_table(set.root(), "counters");
  ASSERT_TRUE(table);
  const auto cells = count_cells(*table);
  ASSERT_TRUE(cells) << cells.error().to_string();
  EXPECT_GT(*cells, 0u);
  std::string bytes = read(path);
  bytes[200] = static_cast<char>(bytes[200] ^ 0x10);
  write(path, bytes);
  const auto changed = count_cells(*Table::open_table(set.root(), "counters"));
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().to_string().find(path), std::string::npos) << changed.error().to_string();
  auto scanner = table->scan({});
  fs::resize_file(path, 100);
  Result<bool> found = scanner->next();
  while (found && *found) {
    found = scanner->next();
  }
  EXPECT_FALSE(found);
  EXPECT_FALSE(scanner->next());  // the error stays
}

TEST(TableLayout, EveryCutOfADescriptorIsAnErrorAndNoCrash) {
  const HBaseSet set("root/data/default/ttl/.tabledesc");
  const std::string bytes =
      read(set.path("data/default/ttl/.tabledesc/.tableinfo.0000000002.1189")).substr(4);
  ASSERT_TRUE(table::parse_table_schema(bytes, 4));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    (void)table::parse_table_schema(std::string_view(bytes).substr(0, size), 4);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      (void)table::parse_table_schema(damaged, 4);
    }
  }
}

TEST(TableLayout, EveryDamageOfAManifestIsAnErrorOrAnother) {
  const HBaseSet set("root/.hbase-snapshot/of-clone");
  const std::string bytes = read(set.path(".hbase-snapshot/of-clone/data.manifest"));
  ASSERT_TRUE(table::parse_snapshot_manifest(bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    (void)table::parse_snapshot_manifest(std::string_view(bytes).substr(0, i));
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
    (void)table::parse_snapshot_manifest(damaged);
  }
}

TEST(TableLayout, EveryDamageOfATrackersListIsFound) {
  const HBaseSet set("root/data/default/tracked/081e69b1e8d7bc223d8c2d9d72656ba4/f/.filelist");
  const std::string bytes =
      read(set.path("data/default/tracked/081e69b1e8d7bc223d8c2d9d72656ba4/f/.filelist/f2.1795341140981"));
  const auto whole = table::parse_tracker_list(bytes);
  ASSERT_TRUE(whole && *whole);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto cut = table::parse_tracker_list(std::string_view(bytes).substr(0, i));
    EXPECT_TRUE(!cut || !*cut) << i;
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    const auto found = table::parse_tracker_list(damaged);
    EXPECT_TRUE(!found || !*found) << i;
  }
}

// ---- of several lists and descriptors the newest

// A list of one store file as HBase writes it.
std::string tracker_list(std::uint64_t timestamp, const std::string& name) {
  hfile::ByteWriter entry;
  hfile::append_bytes_field(entry, 1, name);
  hfile::append_integer_field(entry, 2, 0);
  hfile::ByteWriter message;
  hfile::append_integer_field(message, 1, timestamp);
  hfile::append_bytes_field(message, 2, entry.text());
  hfile::append_integer_field(message, 3, 1);
  const std::string_view text = message.text();
  std::string list;
  hfile::append_big(list, static_cast<std::uint32_t>(text.size()));
  list += text;
  hfile::append_big(list, static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(text.data()),
                                                             static_cast<uInt>(text.size()))));
  return list;
}

// The table tracked with these lists in place of those of one family of a region.
class TrackerLists : public ::testing::Test {
 protected:
  // Returns the names of the files that the table then has in this family, each behind a blank, or the error.
  std::string files_by(const std::map<std::string, std::string>& lists) {
    const std::string folder = set_.path("data/default/tracked/" + std::string(kRegion) + "/f/.filelist");
    fs::remove_all(folder);
    fs::create_directory(folder);
    for (const auto& [name, bytes] : lists) {
      write(folder + "/" + name, bytes);
    }
    const auto table = Table::open_table(set_.root(), "tracked");
    if (!table) {
      return table.error().to_string();
    }
    std::string names;
    for (const TableRegion& region : table->regions()) {
      for (const TableFile& file : region.files) {
        names += region.name == kRegion && file.family == "f" ? " " + file.name : "";
      }
    }
    return names;
  }

  static constexpr const char* kRegion = "081e69b1e8d7bc223d8c2d9d72656ba4";
  const std::string one_ = "cfa9434172264ba795b204f0894999e6";
  const std::string other_ = "86138e706c9d4071a7b9d47272192f3a.af6cf058f16d08b335a016272e98fdbd";
  const HBaseSet set_{"root"};
};

TEST_F(TrackerLists, OfTwoOfANumberTheLaterIsTaken) {
  EXPECT_EQ(files_by({{"f1.7", tracker_list(5, one_)}, {"f2.7", tracker_list(9, other_)}}), " " + other_);
  EXPECT_EQ(files_by({{"f1.7", tracker_list(9, one_)}, {"f2.7", tracker_list(5, other_)}}), " " + one_);
  EXPECT_EQ(files_by({{"f1", tracker_list(9, one_)}, {"f2", tracker_list(5, other_)}}), " " + one_);
}

TEST_F(TrackerLists, TheGreatestNumberIsTakenWhateverItsTime) {
  EXPECT_EQ(files_by({{"f1.7", tracker_list(99, one_)}, {"f2.8", tracker_list(1, other_)}}), " " + other_);
  EXPECT_EQ(files_by({{"f1.10", tracker_list(1, one_)}, {"f2.9", tracker_list(99, other_)}}), " " + one_);
  EXPECT_EQ(files_by({{"f1", tracker_list(99, one_)}, {"f2.1", tracker_list(1, other_)}}), " " + other_);
}

// A list that is being written is cut. The one before it counts until it is whole.
TEST_F(TrackerLists, ACutOneIsLeftOut) {
  const std::string cut = tracker_list(9, other_).substr(0, 50);
  EXPECT_EQ(files_by({{"f1.7", tracker_list(5, one_)}, {"f2.7", cut}}), " " + one_);
  EXPECT_EQ(files_by({{"f1.7", tracker_list(5, one_)}, {"f2.8", cut}}), " " + one_);
  EXPECT_EQ(files_by({{"f2.8", cut}}), "");
  EXPECT_EQ(files_by({}), "");
}

TEST_F(TrackerLists, DamageAndThreeOfANumberAreErrors) {
  std::string damaged = tracker_list(9, other_);
  damaged[20] = static_cast<char>(damaged[20] ^ 1);
  const std::string of_damage = files_by({{"f1.7", tracker_list(5, one_)}, {"f2.8", damaged}});
  EXPECT_NE(of_damage.find("f2.8: list of store files"), std::string::npos) << of_damage;
  const std::string list = tracker_list(5, one_);
  const std::string of_three = files_by({{"f1.07", list}, {"f1.7", list}, {"f2.7", list}});
  EXPECT_NE(of_three.find("at most two lists of the number 7, found 3"), std::string::npos) << of_three;
}

// Descriptors of the table halves that differ in the versions of its family.
TEST(TableDescriptors, TheNewestThatIsWholeIsTaken) {
  const HBaseSet set("root/data/default/halves");
  const std::string folder = set.path("data/default/halves/.tabledesc");
  const std::string bytes = read(folder + "/.tableinfo.0000000001.657");
  const std::string before = "\x08VERSIONS\x12\x01";
  const std::size_t at = bytes.find(before);
  ASSERT_NE(at, std::string::npos);
  const auto with = [&](char versions) {
    std::string changed = bytes;
    changed[at + before.size()] = versions;
    return changed;
  };
  const auto versions_by = [&](const std::map<std::string, std::string>& descriptors) {
    fs::remove_all(folder);
    fs::create_directory(folder);
    for (const auto& [name, content] : descriptors) {
      write(folder + "/" + name, content);
    }
    const auto table = Table::open_table(set.root(), "halves");
    EXPECT_TRUE(table) << table.error().to_string();
    return table ? table->schema().families.front().versions : 0;
  };
  const std::string size = "." + std::to_string(bytes.size());
  EXPECT_EQ(
      versions_by({{".tableinfo.0000000001" + size, with('5')}, {".tableinfo.0000000002" + size, with('7')}}),
      7);
  EXPECT_EQ(
      versions_by({{".tableinfo.0000000001" + size, with('7')}, {".tableinfo.0000000002" + size, with('5')}}),
      5);
  EXPECT_EQ(versions_by({{".tableinfo.10" + size, with('7')}, {".tableinfo.9" + size, with('5')}}), 7)
      << "as numbers";
  EXPECT_EQ(versions_by({{".tableinfo", with('5')}, {".tableinfo.0000000001", with('7')}}), 7)
      << "no number is 0";
  EXPECT_EQ(versions_by({{".tableinfo.0000000001" + size, with('5')},
                         {".tableinfo.0000000002" + size, with('7').substr(0, bytes.size() - 1)}}),
            5)
      << "the newer one is being written";
  EXPECT_EQ(versions_by({{".tableinfo.0000000001" + size, with('7') + "more"}}), 7)
      << "the length of the name counts";
}

TEST(RegionInfo, IsParsedFromAFileThatHBaseWrote) {
  // The example of the reference: table splits, start row-104.
  const std::string bytes(
      "PBUF\x33\x08\xa7\xbc\xcc\x94\xa0\x34\x12\x11\x0a\x07"
      "default\x12\x06splits\x1a\x07row-104\x22\x08\xfe\x0c(0) \\!\x28\x00\x30\x00\x38\x00",
      56);
  const auto region = table::parse_region_info_file(bytes);
  ASSERT_TRUE(region) << region.error().to_string();
  EXPECT_EQ(region->table.name, "splits");
  EXPECT_EQ(region->start, "row-104");
  EXPECT_EQ(region->end, "\xfe\x0c(0) \\!");
}

TEST(StoreFileName, EveryFormIsRead) {
  const std::string hex = "0123456789abcdef0123456789abcdef";
  EXPECT_TRUE(table::parse_store_file_name(hex));
  EXPECT_EQ(table::parse_store_file_name(hex + "_SeqId_41_")->sequence_id, 41);
  EXPECT_EQ(table::parse_store_file_name(hex + ".abc")->referred_region, "abc");
  const auto link = table::parse_store_file_name("my-table.x=abc-" + hex + "_SeqId_7_");
  ASSERT_TRUE(link && link->link);
  EXPECT_EQ(link->link->table.name, "my-table.x");
  EXPECT_EQ(link->link->region, "abc");
  EXPECT_EQ(link->sequence_id, 7);
  const auto half = table::parse_store_file_name("ns=t=abc-" + hex + ".def");
  ASSERT_TRUE(half && half->link);
  EXPECT_EQ(half->link->table.name_space, "ns");
  EXPECT_EQ(half->referred_region, "def");
  for (const std::string& other : {hex + "-copy", hex + "_del", std::string("notes.txt"), std::string("_x"),
                                   hex + "_SeqId_x_", std::string(), "../t=abc-" + hex, "t=-" + hex}) {
    EXPECT_FALSE(table::parse_store_file_name(other)) << other;
  }
}

table::RegionInfo region(std::uint64_t id, const std::string& start, const std::string& end) {
  return {.table = {.name = "t"}, .id = id, .start = start, .end = end};
}

TEST(RegionOrder, DaughtersTakeThePlaceOfTheirParent) {
  const auto order = table::order_regions({region(1, "", ""), region(5, "", "m"), region(5, "m", "")});
  EXPECT_EQ(order.living, (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(order.faults.empty());
}

TEST(RegionOrder, ASplitThatWasMergedBackIsNoFault) {
  const auto order =
      table::order_regions({region(1, "", ""), region(5, "", "m"), region(5, "m", ""), region(6, "", "")});
  EXPECT_EQ(order.living, (std::vector<std::size_t>{3}));
  EXPECT_TRUE(order.faults.empty());
}

TEST(RegionOrder, TwoRegionsThatClaimOneRowAreAFault) {
  EXPECT_EQ(table::order_regions({region(1, "", ""), region(2, "", "")}).faults.size(), 1u);
  EXPECT_FALSE(table::order_regions({region(1, "", "m"), region(2, "k", "")}).faults.empty());
}

TEST(RegionOrder, HolesAreFaults) {
  EXPECT_EQ(table::order_regions({}).faults.size(), 1u);
  EXPECT_EQ(table::order_regions({region(1, "a", "")}).faults.size(), 1u);
  EXPECT_EQ(table::order_regions({region(1, "", "b")}).faults.size(), 1u);
  EXPECT_EQ(table::order_regions({region(1, "", "b"), region(1, "c", "")}).faults.size(), 1u);
}

// The rules of region_order.h as they read, region by region.
table::RegionOrder order_by_the_rules(const std::vector<table::RegionInfo>& regions) {
  const auto ends_before = [](const table::RegionInfo& one, const std::string& row) {
    return !one.end.empty() && one.end <= row;
  };
  std::vector<std::size_t> by_id(regions.size());
  for (std::size_t i = 0; i < by_id.size(); ++i) {
    by_id[i] = i;
  }
  std::ranges::stable_sort(by_id, [&](auto a, auto b) { return regions[a].id > regions[b].id; });
  table::RegionOrder order;
  std::vector<std::size_t> left_out;
  for (const std::size_t i : by_id) {
    const bool is_free = std::ranges::none_of(order.living, [&](std::size_t living) {
      return !ends_before(regions[i], regions[living].start) &&
             !ends_before(regions[living], regions[i].start);
    });
    (is_free ? order.living : left_out).push_back(i);
  }
  std::ranges::sort(order.living, {}, [&](std::size_t i) { return regions[i].start; });
  order.faults = table::faults_between(regions, order.living);
  for (const std::size_t i : left_out) {
    const table::RegionInfo& region = regions[i];
    bool is_covered = false;
    std::string from = region.start;
    for (const std::size_t living : order.living) {
      const table::RegionInfo& each = regions[living];
      if (each.start == region.start && each.end == region.end &&
          std::ranges::none_of(regions, [&](const table::RegionInfo& part) {
            return part.id > region.id && part.id < each.id && region.start <= part.start &&
                   (region.end.empty() || (!part.end.empty() && part.end <= region.end)) &&
                   !(part.start == region.start && part.end == region.end);
          })) {
        order.faults.emplace_back("claims the same rows");
      }
      if (!is_covered && each.start <= from && !ends_before(each, from)) {
        is_covered = each.end.empty() || (!region.end.empty() && region.end <= each.end);
        from = each.end;
      }
    }
    if (!is_covered) {
      order.faults.emplace_back("overlaps newer regions");
    }
  }
  return order;
}

TEST(RegionOrder, IsThatOfTheRules) {
  constexpr std::uint64_t kSeed = 20261125;
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 3000; ++round) {
    std::vector<table::RegionInfo> regions;
    for (std::uint64_t left = random() % 9; left > 0; --left) {
      const std::uint64_t start = random() % 5;
      const std::uint64_t end = start + 1 + random() % 5;
      regions.push_back(region(random() % 6, start == 0 ? "" : std::string(1, static_cast<char>('a' + start)),
                               end > 5 ? "" : std::string(1, static_cast<char>('a' + end))));
    }
    const auto found = table::order_regions(regions);
    const auto wanted = order_by_the_rules(regions);
    ASSERT_EQ(found.living, wanted.living) << "seed " << kSeed << ", round " << round;
    ASSERT_EQ(found.faults.size(), wanted.faults.size()) << "seed " << kSeed << ", round " << round;
  }
}

// Half a million regions: twice as many daughters as parents, some merged back. With a walk over all regions for each one,
// this takes hours.
TEST(RegionOrder, TakesTimeInProportionToItsRegions) {
  constexpr int kParents = 100'000;
  const auto row = [](int number) {
    return number == 0 ? std::string() : std::to_string(10'000'000 + number);
  };
  std::vector<table::RegionInfo> regions;
  for (int i = 0; i < kParents; ++i) {
    const std::string end = i + 1 == kParents ? "" : row(4 * i + 4);
    regions.push_back(region(1, row(4 * i), end));
    regions.push_back(region(2, row(4 * i), row(4 * i + 2)));
    regions.push_back(region(2, row(4 * i + 2), end));
    if (i % 2 == 0) {
      regions.push_back(region(3, row(4 * i), end));
    }
    regions.push_back(region(0, "", ""));  // older than all, and of all rows
  }
  const auto order = table::order_regions(regions);
  EXPECT_EQ(order.living.size(), 3u * kParents / 2);
  EXPECT_TRUE(order.faults.empty()) << order.faults.front();
}

TEST(TableLayout, OfEqualCellsThatOfTheNewestFileIsAnswered) {
  const TestFolder folder;
  std::vector<std::string> paths;
  for (const int number : {2, 3, 1}) {
    HFileWriteOptions options;
    options.max_sequence_id = number;
    paths.push_back(folder.path(std::to_string(number)));
    ASSERT_TRUE(write_cells(paths.back(), options,
                            {{.row = "r", .family = "f", .timestamp = 5, .value = std::to_string(number)}}));
  }
  const auto table = Table::open_files(paths);
  ASSERT_TRUE(table) << table.error().to_string();
  GetRequest get;
  get.row = "r";
  const auto row = table->get(get);
  ASSERT_TRUE(row) << row.error().to_string();
  ASSERT_EQ(row->size(), 1U);
  EXPECT_EQ(row->cells().front().cell().value, "3");
}

TEST(TableLayout, AListOfCompactedFilesIsReadOrRefused) {
  const std::string bytes =
      "PBUF\x0a\x03"
      "abc\x0a\x02"
      "de";
  const auto names = table::parse_compaction_event(bytes, 0);
  ASSERT_TRUE(names) << names.error().to_string();
  EXPECT_EQ(*names, (std::vector<std::string>{"abc", "de"}));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const bool is_whole = size == 4 || size == 9;  // behind the magic, and behind the first name
    EXPECT_EQ(table::parse_compaction_event(std::string_view(bytes).substr(0, size), 0).has_value(), is_whole)
        << size;
  }
}

}  // namespace
}  // namespace bloomery
