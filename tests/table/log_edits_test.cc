// Tests which edits of a root's logs a table answers with: those that HBase would replay, none twice, and no
// damage in silence. That whole tables answer as HBase did is asked by tests/hbase_tables.
#include "table/logs/log_edits.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/table/statistics.h"
#include "bloomery/table/table.h"
#include "hfile/byte_writer.h"
#include "table/read/store_file.h"
#include "tests/base/test_folder.h"
#include "wal/log_writer.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// A copy of tests/golden/hbase-wal/roots.tar.zst, or of a part of it.
class LoggedRoot {
 public:
  explicit LoggedRoot(const std::string& name) : path_(folder_.path("roots/" + name)) {
    const std::string command = "zstd -dcq '" + std::string(BLOOMERY_SOURCE) +
                                "/tests/golden/hbase-wal/roots.tar.zst' | tar -x -C '" + folder_.path("") +
                                "' -f - roots/" + name;
    EXPECT_EQ(std::system(command.c_str()), 0);
  }

  const std::string& path() const { return path_; }
  void remove_logs() const { fs::remove_all(path_ + "/WALs"); }
  // Writes a log of another server, closed. Returns its path.
  std::string write_log(const std::string& server, const std::vector<wal::LogEntry>& entries) const {
    hfile::ByteWriter out;
    wal::LogWriter writer(out);
    for (const wal::LogEntry& entry : entries) {
      EXPECT_TRUE(writer.append(entry));
    }
    writer.close();
    const std::string folder = path_ + "/WALs/" + server;
    fs::create_directories(folder);
    const std::string path = folder + "/host%2C1%2C2.3";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(out.bytes().data()),
               static_cast<std::streamsize>(out.bytes().size()));
    return path;
  }
  // The path of any log of tables that the killed server left, the newest one.
  std::string newest_log() const {
    std::string newest;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_ + "/WALs")) {
      const std::string path = entry.path().string();
      newest = entry.is_regular_file() && !path.ends_with(".meta") ? std::max(newest, path) : newest;
    }
    return newest;
  }

 private:
  TestFolder folder_;
  std::string path_;
};

wal::LogEntry entry_of(const std::string& region, std::uint64_t sequence, std::string_view family,
                       std::string_view value) {
  const Cell cell{.key = {"new row", family, "q", 5, CellType::kPut}, .value = value};
  return {.region = region, .table = "basic", .sequence_id = sequence, .cells = {cell}};
}

std::string region_of(const std::string& root, const std::string& table) {
  const auto opened = Table::open_table(root, table, {.reads_logs = false});
  return opened ? opened->regions().front().name : opened.error().to_string();
}

// Returns the values of the row that the tests write.
std::vector<std::string> values_of(const std::string& root, const std::string& table) {
  const auto opened = Table::open_table(root, table);
  if (!opened) {
    return {opened.error().to_string()};
  }
  ScanRequest scan;
  scan.set_prefix("new row");
  scan.is_raw = true;
  scan.versions = kAllVersions;
  auto scanner = opened->scan(scan);
  std::vector<std::string> values;
  for (auto found = scanner->next(); found && *found; found = scanner->next()) {
    for (const KeptCell& kept : scanner->result().cells()) {
      values.emplace_back(kept.cell().value);
    }
  }
  return values;
}

using Values = std::vector<std::string>;
constexpr std::uint64_t kLate = 1'000'000;

TEST(LogEdits, ATableThatWasNeverFlushedIsReadFromItsLogs) {
  const LoggedRoot root("main");
  const auto table = Table::open_table(root.path(), "basic");
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_TRUE(table->regions().front().files.empty());
  EXPECT_TRUE(table->warnings().empty());
  std::uint64_t cells = 0;
  for (const TableLog& log : table->logs()) {
    cells += log.cells;
    EXPECT_FALSE(log.is_sealed);
  }
  EXPECT_GT(cells, 100u);
  ScanRequest scan;
  scan.notes_files = true;
  auto scanner = table->scan(scan);
  ASSERT_TRUE(scanner);
  const auto found = scanner->next();
  ASSERT_TRUE(found && *found);
  ASSERT_FALSE(scanner->files().empty());
  EXPECT_NE(scanner->files().front().file.path.find("/WALs/"), std::string::npos);
  const auto without = Table::open_table(root.path(), "basic", {.reads_logs = false});
  auto nothing = without->scan({});
  EXPECT_FALSE(*nothing->next());
}

TEST(LogEdits, AnEditOfAnotherRegionOrFamilyIsNone) {
  const LoggedRoot root("main");
  root.remove_logs();
  const std::string region = region_of(root.path(), "basic");
  root.write_log("a,1,2", {entry_of(region, kLate, "f", "counts"),
                           entry_of(std::string(32, 'a'), kLate, "f", "of no region"),
                           entry_of(region, kLate + 1, "absent", "of no family"),
                           entry_of(region, kLate + 2, wal::kMarkerFamily, "HBase's own")});
  EXPECT_EQ(values_of(root.path(), "basic"), (Values{"counts"}));
}

// The file of family f was flushed last, so that its sequence ids are above those of the others.
TEST(LogEdits, AnEditThatAFileOfItsFamilyHasIsNone) {
  const LoggedRoot root("main");
  root.remove_logs();
  const std::string region = region_of(root.path(), "partly");
  std::vector<wal::LogEntry> entries;
  std::vector<std::string> numbers;
  for (std::uint64_t sequence = 1; sequence < 2000; ++sequence) {
    numbers.push_back(std::to_string(sequence));
  }
  for (const std::string& number : numbers) {
    entries.push_back(entry_of(region, std::stoull(number), "f", number));
    entries.back().cells.push_back(entries.back().cells.front());
    entries.back().cells.back().key.family = "g";
  }
  root.write_log("a,1,2", entries);
  const auto opened = Table::open_table(root.path(), "partly", {});
  ASSERT_TRUE(opened) << opened.error().to_string();
  GetRequest get;
  get.row = "new row";
  const auto row = opened->get(get);
  ASSERT_TRUE(row);
  const std::uint64_t cells = opened->logs().front().cells;
  EXPECT_GT(cells, 2000u);           // of g some that f's file has
  EXPECT_LT(cells, 2 * 1999u - 20);  // not those that both have
  ASSERT_EQ(row->size(), 2u);
  EXPECT_EQ(row->cells()[0].cell().value, "1999");
}

TEST(LogEdits, AnEditAtTheGreatestSequenceOfItsFamilyIsNoneAndTheNextOneCounts) {
  const LoggedRoot root("main");
  root.remove_logs();
  const auto opened = Table::open_table(root.path(), "partly");
  ASSERT_TRUE(opened) << opened.error().to_string();
  const TableRegion region = opened->regions().front();
  std::vector<table::StoreFilePath> paths;
  for (const TableFile& file : region.files) {
    if (file.family == "f") {
      paths.push_back({.path = file.path, .name = file.name});
    }
  }
  const auto store = table::open_store(paths, {});
  ASSERT_TRUE(store && !(*store)->files.empty());
  const auto top = static_cast<std::uint64_t>((*store)->files.back()->sequence_id);
  root.write_log("a,1,2", {entry_of(region.name, top, "f", "in the file"),
                           entry_of(region.name, top + 1, "f", "in the log alone")});
  EXPECT_EQ(values_of(root.path(), "partly"), (Values{"in the log alone"}));
  EXPECT_EQ(Table::open_table(root.path(), "partly")->logs().front().cells, 1u);
}

TEST(LogEdits, AnEditUpToTheSettledSequenceIsNone) {
  const LoggedRoot root("main");
  root.remove_logs();
  const std::string region = region_of(root.path(), "basic");
  root.write_log("a,1,2", {entry_of(region, kLate, "f", "undone"), entry_of(region, kLate + 1, "f", "done")});
  const std::string edits = root.path() + "/data/default/basic/" + region + "/recovered.edits";
  fs::create_directories(edits);
  std::ofstream(edits + "/" + std::to_string(kLate) + ".seqid").flush();
  EXPECT_EQ(values_of(root.path(), "basic"), (Values{"done"}));
}

TEST(LogEdits, OfEqualCellsTheLastInItsEntryCountsAndACopiedEntryCountsOnce) {
  const LoggedRoot root("main");
  root.remove_logs();
  const std::string region = region_of(root.path(), "basic");
  wal::LogEntry entry = entry_of(region, kLate, "f", "first");
  entry.cells.push_back(entry.cells.front());
  entry.cells.back().value = "last";
  root.write_log("a,1,2", {entry});
  root.write_log("b,1,2-splitting", {entry});
  EXPECT_EQ(values_of(root.path(), "basic"), (Values{"last"}));
  const auto table = Table::open_table(root.path(), "basic");
  ASSERT_EQ(table->logs().size(), 2u);
  EXPECT_EQ(table->logs()[0].cells + table->logs()[1].cells, 1u);
}

TEST(LogEdits, LogsOfMetaMarksAndSettledLogsAreNotRead) {
  const LoggedRoot root("main");
  root.remove_logs();
  const std::string region = region_of(root.path(), "basic");
  const std::string log = root.write_log("a,1,2", {entry_of(region, kLate, "f", "old")});
  fs::create_directories(root.path() + "/oldWALs");
  fs::rename(log, root.path() + "/oldWALs/host%2C1%2C2.3");
  std::ofstream(log + ".meta") << "no log";
  std::ofstream(log + ".mark") << "no log";
  EXPECT_EQ(values_of(root.path(), "basic"), Values());
}

TEST(LogEdits, StatisticsCountWhatOnlyLogsHave) {
  const LoggedRoot root("main");
  const auto table = Table::open_table(root.path(), "basic");
  ASSERT_TRUE(table) << table.error().to_string();
  std::uint64_t in_logs = 0;
  for (const TableLog& log : table->logs()) {
    in_logs += log.cells;
  }
  const auto families = table_statistics(*table, {}, {});
  ASSERT_TRUE(families) << families.error().to_string();
  std::uint64_t counted = 0;
  for (const FamilyStatistics& family : *families) {
    counted += family.cells;
  }
  EXPECT_EQ(counted, in_logs);
}

TEST(LogEdits, ATornLogIsReadToItsLastEntryWithAWarning) {
  const LoggedRoot root("torn");
  const auto table = Table::open_table(root.path(), "basic");
  ASSERT_TRUE(table) << table.error().to_string();
  ASSERT_EQ(table->warnings().size(), 1u);
  EXPECT_NE(table->warnings()[0].find("is torn at byte "), std::string::npos) << table->warnings()[0];
}

TEST(LogEdits, ADamagedLogIsAnErrorAndAFaultOfTheTable) {
  const LoggedRoot root("main");
  const std::string log = root.newest_log();
  std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(2000);
  file << std::string(300, '\0');
  file.close();
  const auto table = Table::open_table(root.path(), "basic");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code(), ErrorCode::kCorruption);
  EXPECT_NE(table.error().to_string().find(log), std::string::npos) << table.error().to_string();
  const auto listed = Table::open_table(root.path(), "basic", {.lists_faults = true});
  ASSERT_TRUE(listed) << listed.error().to_string();
  ASSERT_EQ(listed->faults().size(), 1u);
  EXPECT_TRUE(Table::open_table(root.path(), "basic", {.reads_logs = false}));
}

// A server that is alive flushes what a log has, and then moves the log away. The files may be listed before.
TEST(LogEdits, ALogThatIsMovedAwayWhileTheTableIsOpenedIsAnError) {
  table::TableLayout layout;
  layout.root.emplace("root");
  layout.log_paths = {"root/WALs/a,1,2/gone"};
  const Status read = table::read_logs(layout, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(read.error().to_string().find("open the table again"), std::string::npos)
      << read.error().to_string();
}

TEST(LogEdits, MoreEditsThanMemoryAreRefusedByTheNameOfTheOption) {
  const LoggedRoot root("main");
  const auto table = Table::open_table(root.path(), "basic", {.log_memory_bytes = 10'000});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code(), ErrorCode::kCapacity);
  EXPECT_NE(table.error().to_string().find("--log-memory"), std::string::npos);
}

// No byte of a log may make a reader crash. Without seals there is no checksum: other answers are possible.
TEST(LogEdits, EveryCutAndEveryFlippedByteOfALogIsAnAnswerOrAnError) {
  const LoggedRoot root("main");
  root.remove_logs();
  const std::string region = region_of(root.path(), "basic");
  const std::string log =
      root.write_log("a,1,2", {entry_of(region, kLate, "f", "one"), entry_of(region, kLate + 1, "f", "two")});
  std::ifstream whole(log, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::ofstream(log, std::ios::binary | std::ios::trunc) << bytes.substr(0, i);
    const Values cut = values_of(root.path(), "basic");
    EXPECT_TRUE(cut.empty() || cut == Values{"one"} || cut == Values{"two"}) << i << " " << cut[0];
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x41);
    std::ofstream(log, std::ios::binary | std::ios::trunc) << flipped;
    (void)values_of(root.path(), "basic");
  }
}

}  // namespace
}  // namespace bloomery
