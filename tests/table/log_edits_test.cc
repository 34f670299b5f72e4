// Tests which edits of a root's logs a table answers with: those that HBase would replay, none twice, and no
// damage in silence. That whole tables answer as HBase did is asked by tests/hbase_tables.
#include "table/logs/log_edits.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bloomery/hfile/hfile_writer.h"
#include "bloomery/table/statistics.h"
#include "bloomery/table/table.h"
#include "hfile/byte_writer.h"
#include "table/read/store_file.h"
#include "tests/base/test_folder.h"
#include "wal/log_mark.h"
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
  std::string folder() const { return folder_.path(""); }
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
std::vector<std::string> values_of(const std::string& root, const std::string& table,
                                   const TableOptions& options = {}) {
  const auto opened = Table::open_table(root, table, options);
  if (!opened) {
    return {opened.error().to_string()};
  }
  ScanRequest scan;
  scan.set_prefix("new row", false);
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

// Returns all cells of a table, or an error, as lines.
Values cells_of(const std::string& root, const std::string& name, const TableOptions& options) {
  const auto table = Table::open_table(root, name, options);
  if (!table) {
    return {table.error().to_string()};
  }
  ScanRequest scan;
  scan.is_raw = true;
  scan.versions = kAllVersions;
  auto scanner = table->scan(scan);
  Values cells;
  for (auto found = scanner->next(); found && *found; found = scanner->next()) {
    for (const KeptCell& kept : scanner->result().cells()) {
      const Cell& cell = kept.cell();
      std::string line(cell.key.row);
      for (const std::string_view part : {cell.key.family, cell.key.qualifier, cell.value, cell.tags}) {
        line.append(" ").append(part);
      }
      line += " " + std::to_string(cell.key.timestamp) + " " +
              std::to_string(static_cast<int>(cell.key.type)) + " " + std::to_string(cell.mvcc);
      cells.push_back(std::move(line));
    }
  }
  return cells;
}

const TableOptions kOnDisk = {.log_memory_bytes = 5000};

TEST(LogEdits, EditsThatExceedTheMemoryAreSortedOnDisk) {
  const LoggedRoot root("main");
  for (const char* const name : {"basic", "partly", "regions", "tags", "newversion"}) {
    const Values expected = cells_of(root.path(), name, {});
    EXPECT_GT(expected.size(), 50u) << name;
    EXPECT_EQ(cells_of(root.path(), name, kOnDisk), expected) << name;
  }
  ScanRequest scan;
  scan.notes_files = true;
  const auto table = Table::open_table(root.path(), "basic", kOnDisk);
  ASSERT_TRUE(table) << table.error().to_string();
  auto scanner = table->scan(scan);
  const auto found = scanner->next();
  ASSERT_TRUE(found && *found);
  const std::string path = scanner->files().front().file.path;
  EXPECT_NE(path.find("/WALs/"), std::string::npos) << path;
  EXPECT_NE(path.find(" to "), std::string::npos) << path;
}

TEST(LogEdits, AFolderForEditsThatIsNotThereIsAnErrorWithItsName) {
  const LoggedRoot root("main");
  const auto table = Table::open_table(
      root.path(), "basic", {.log_memory_bytes = 5000, .log_spool_directory = root.path() + "/absent"});
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().to_string().find(root.path() + "/absent"), std::string::npos)
      << table.error().to_string();
}

// A server died while it split a log: the region has a part of the log as recovered.edits, and the log is
// still there. All edits are in both.
TEST(LogEdits, AHalfDoneSplitIsReadOnce) {
  const LoggedRoot root("main");
  root.remove_logs();
  const std::string region = region_of(root.path(), "newversion");
  std::vector<std::string> values;
  std::vector<wal::LogEntry> entries;
  for (std::uint64_t i = 0; i < 200; ++i) {
    values.push_back(std::to_string(i));
  }
  for (std::uint64_t i = 0; i < 200; ++i) {
    entries.push_back(entry_of(region, kLate + i, "n", values[i]));
    entries.back().cells[0].key.timestamp = static_cast<std::int64_t>(i);
  }
  const Values without = cells_of(root.path(), "newversion", {});
  const std::string log = root.write_log("a,1,2-splitting", entries);
  const Values expected = cells_of(root.path(), "newversion", {});
  EXPECT_EQ(expected.size(), without.size() + 200);
  const std::string edits = root.path() + "/data/default/newversion/" + region + "/recovered.edits";
  fs::create_directories(edits);
  fs::copy_file(log, edits + "/0000000000001000199");
  std::ofstream(edits + "/0000000000001000200-host%2C1%2C2.3-worker.temp") << "half of a log";
  EXPECT_EQ(cells_of(root.path(), "newversion", {}), expected);
  EXPECT_EQ(cells_of(root.path(), "newversion", kOnDisk), expected);
}

TEST(LogEdits, TwoServersLogsWithOneRegionAndEntriesThatGoBackwardsAllCount) {
  const LoggedRoot root("main");
  root.remove_logs();
  const std::string region = region_of(root.path(), "basic");
  const auto entry = [&](std::uint64_t sequence, std::int64_t time, std::string_view value) {
    wal::LogEntry made = entry_of(region, kLate + sequence, "f", value);
    made.cells[0].key.timestamp = time;
    return made;
  };
  root.write_log("a,1,2", {entry(5, 5, "five"), entry(3, 3, "three"), entry(4, 4, "four")});
  root.write_log("b,1,2", {entry(4, 4, "four"), entry(5, 6, "another five"), entry(1, 1, "one")});
  for (const std::uint64_t memory : {std::uint64_t{1} << 28, std::uint64_t{1}}) {
    EXPECT_EQ(values_of(root.path(), "basic", {.log_memory_bytes = memory}),
              (Values{"another five", "five", "four", "three", "one"}));
  }
}

// A server that is alive appends to its log. The table has the entries up to some place, without holes.
TEST(LogEdits, ALogThatGrowsIsReadUpToAWholeEntry) {
  const LoggedRoot root("main");
  root.remove_logs();
  const std::string region = region_of(root.path(), "basic");
  std::vector<wal::LogEntry> entries;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    entries.push_back(entry_of(region, kLate + i, "f", "value"));
    entries.back().cells[0].key.timestamp = static_cast<std::int64_t>(i);
  }
  const std::string log = root.write_log("a,1,2", entries);
  std::ifstream whole(log, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  std::ofstream(log, std::ios::binary | std::ios::trunc) << bytes.substr(0, 200);
  std::thread writer([&] {
    std::ofstream out(log, std::ios::binary | std::ios::app);
    for (std::size_t at = 200; at < bytes.size(); at += 37) {
      out << bytes.substr(at, 37) << std::flush;
    }
  });
  std::size_t before = 0;
  while (before < 2000) {
    const Values values = values_of(root.path(), "basic");
    EXPECT_GE(values.size(), before);
    before = values.size();
    if (values.size() == 1 && values[0] != "value") {
      ADD_FAILURE() << values[0];
      break;
    }
  }
  writer.join();
  EXPECT_EQ(before, 2000u);
}

TEST(LogEdits, ALogWithoutRightsIsAnErrorWithItsName) {
  const LoggedRoot root("main");
  const std::string log = root.newest_log();
  const bool is_root = ::geteuid() == 0;
  ASSERT_EQ(::chmod(log.c_str(), 0), 0);
  if (is_root) {
    ASSERT_EQ(::chmod(root.folder().c_str(), 0755), 0);
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto table = Table::open_table(root.path(), "basic");
  const auto without = Table::open_table(root.path(), "basic", {.reads_logs = false});
  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code(), ErrorCode::kIo);
  EXPECT_NE(table.error().to_string().find(log), std::string::npos) << table.error().to_string();
  EXPECT_TRUE(without) << without.error().to_string();
}

// More logs than can have files in memory of their own.
TEST(LogEdits, ThousandsOfLogsAreReadInLittleMemory) {
  constexpr std::uint64_t kManyLogs = 3000;
  const LoggedRoot root("main");
  root.remove_logs();
  const std::string region = region_of(root.path(), "basic");
  for (std::uint64_t i = 0; i < kManyLogs; ++i) {
    wal::LogEntry entry = entry_of(region, kLate + i, "f", "value");
    entry.cells[0].key.timestamp = static_cast<std::int64_t>(i);
    fs::rename(root.write_log("a,1,2", {entry}),
               root.path() + "/WALs/a,1,2/host%2C1%2C2." + std::to_string(10'000 + i));
  }
  for (const std::uint64_t memory : {std::uint64_t{1} << 20, std::uint64_t{256} << 20}) {
    const auto table = Table::open_table(root.path(), "basic", {.log_memory_bytes = memory});
    ASSERT_TRUE(table) << table.error().to_string();
    EXPECT_EQ(table->logs().size(), kManyLogs);
    EXPECT_TRUE(table->warnings().empty());
  }
  EXPECT_EQ(values_of(root.path(), "basic").size(), kManyLogs);
}

// A sealed log of a table's region, which is not closed, and its mark.
class MarkedLog {
 public:
  MarkedLog() {
    root_.remove_logs();
    const std::string region = region_of(root_.path(), "basic");
    wal::LogHeader header;
    header.seal = wal::Seal{};
    hfile::ByteWriter out;
    wal::LogWriter writer(out, header);
    for (std::uint64_t i = 0; i < 3; ++i) {
      wal::LogEntry entry = entry_of(region, kLate + i, "f", "value");
      entry.cells[0].key.timestamp = static_cast<std::int64_t>(i);
      EXPECT_TRUE(writer.append(entry));
      ends_.push_back(out.size());
      links_.push_back(writer.link());
    }
    bytes_ = out.text();
    fs::create_directories(root_.path() + "/WALs/a,1,2");
    write(bytes_);
  }

  const std::string& root() const { return root_.path(); }
  const std::string& path() const { return path_; }
  const std::string& bytes() const { return bytes_; }
  std::size_t end(std::size_t entry) const { return ends_[entry]; }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  // Marks the log as synced up to the end of the entry.
  void mark(std::size_t entry, const std::string& name = "host%2C1%2C2.3") const {
    auto file = wal::LogMarkFile::open(FileSystem::real(), path_ + ".mark");
    ASSERT_TRUE(file && file->write({.length = ends_[entry], .link = links_[entry], .log = name}));
  }
  // Returns the number of cells that are read, or -1 and the error. A check of the table must list the same.
  int cells() {
    const auto table = Table::open_table(root(), "basic");
    error_ = table ? Error::capacity("none", "none") : table.error();
    const auto listed = Table::open_table(root(), "basic", {.lists_faults = true});
    EXPECT_TRUE(listed) << listed.error().to_string();
    EXPECT_EQ(listed->faults().empty(), static_cast<bool>(table));
    return table ? static_cast<int>(values_of(root(), "basic").size()) : -1;
  }
  const Error& error() const { return error_; }

 private:
  LoggedRoot root_{"main"};
  std::string path_ = root_.path() + "/WALs/a,1,2/host%2C1%2C2.3";
  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> links_;
  Error error_ = Error::capacity("none", "none");
};

TEST(LogEdits, ALogThatIsCutBelowItsMarkIsDamaged) {
  MarkedLog log;
  for (const bool is_marked : {false, true}) {
    if (is_marked) {
      log.mark(1);
    }
    for (std::size_t size = 0; size <= log.bytes().size(); ++size) {
      log.write(log.bytes().substr(0, size));
      const int whole = size >= log.end(2) ? 3 : size >= log.end(1) ? 2 : size >= log.end(0) ? 1 : 0;
      EXPECT_EQ(log.cells(), is_marked && size < log.end(1) ? -1 : whole) << size;
      if (is_marked && size < log.end(1)) {
        EXPECT_EQ(log.error().code(), ErrorCode::kCorruption);
        EXPECT_NE(log.error().to_string().find(log.path()), std::string::npos) << log.error().to_string();
      }
    }
  }
  const auto table = Table::open_table(log.root(), "basic");
  EXPECT_TRUE(table->logs().front().is_marked);
}

TEST(LogEdits, ALogThatItsMarkNamesAndThatIsGoneIsDamageUnlessItIsArchived) {
  MarkedLog log;
  log.mark(1);
  fs::create_directories(log.root() + "/oldWALs");
  fs::rename(log.path(), log.root() + "/moved");
  EXPECT_EQ(log.cells(), -1);
  EXPECT_NE(log.error().to_string().find(log.path()), std::string::npos) << log.error().to_string();
  fs::rename(log.root() + "/moved", log.root() + "/oldWALs/host%2C1%2C2.3");
  EXPECT_EQ(log.cells(), 0);
}

TEST(LogEdits, AMarkOfAnotherLogAndADamagedOneAreErrorsAndAnEmptyOneIsNone) {
  MarkedLog log;
  std::ofstream(log.path() + ".mark").flush();
  EXPECT_EQ(log.cells(), 3);
  log.mark(2);
  EXPECT_EQ(log.cells(), 3);
  log.mark(2, "host%2C1%2C2.4");
  EXPECT_EQ(log.cells(), -1);
  EXPECT_NE(log.error().to_string().find("host%2C1%2C2.4"), std::string::npos) << log.error().to_string();
  std::ofstream(log.path() + ".mark", std::ios::trunc) << std::string(1024, 'x');
  EXPECT_EQ(log.cells(), -1);
  EXPECT_NE(log.error().to_string().find(".mark"), std::string::npos) << log.error().to_string();
}

// Another log of the same length and the same name does not have the link of the mark.
TEST(LogEdits, AnotherLogInThePlaceOfTheMarkedOneIsDamage) {
  MarkedLog log;
  const MarkedLog other;  // of the same entries; its bytes are equal
  log.mark(2);
  log.write(other.bytes());
  EXPECT_EQ(log.cells(), 3);
  auto file = wal::LogMarkFile::open(FileSystem::real(), log.path() + ".mark");
  ASSERT_TRUE(file && file->write({.length = log.end(2), .link = 1, .log = "host%2C1%2C2.3"}));
  EXPECT_EQ(log.cells(), -1);
}

// hbase.wal.split.to.hfile: an HFile of the edits of one log. An earlier log may still be unsplit.
TEST(LogEdits, RecoveredHFilesAreFilesOfTheFamilyAndDoNotHideEditsOfLogs) {
  const LoggedRoot root("main");
  root.remove_logs();
  const std::string region = region_of(root.path(), "basic");
  const std::string folder = root.path() + "/data/default/basic/" + region + "/f/recovered.hfiles";
  fs::create_directories(folder);
  const std::string path = folder + "/0123456789abcdef0123456789abcdef";
  auto writer = HFileWriter::create(path, {.max_sequence_id = kLate + 9});
  ASSERT_TRUE(writer) << writer.error().to_string();
  ASSERT_TRUE(writer->append(
      {.key = {"new row", "f", "q", 9, CellType::kPut}, .value = "recovered", .mvcc = kLate + 9}));
  ASSERT_TRUE(writer->finish());
  std::ofstream(folder + "/fedcba9876543210fedcba9876543210").flush();  // HBase removes empty ones
  root.write_log("a,1,2-splitting", {entry_of(region, kLate + 5, "f", "in the log")});
  EXPECT_EQ(values_of(root.path(), "basic"), (Values{"recovered", "in the log"}));
  const auto table = Table::open_table(root.path(), "basic");
  EXPECT_TRUE(table->warnings().empty());
  ASSERT_EQ(table->regions().front().files.size(), 1u);
  EXPECT_EQ(table->regions().front().files.front().path, path);
  const auto without = Table::open_table(root.path(), "basic", {.reads_logs = false});
  EXPECT_TRUE(without->regions().front().files.empty());
  EXPECT_NE(without->warnings().front().find("recovered.hfiles"), std::string::npos);
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
