// Tests that a table is written and read through the file system that it is given, and through no other.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/table/table.h"
#include "hfile/writer_access.h"
#include "tests/base/test_folder.h"
#include "tests/store/sim/disk.h"

namespace bloomery::store::sim {
namespace {

namespace fs = std::filesystem;

// Copies a folder of the machine to the same names below `to`.
void copy_folder(const fs::path& from, const std::string& to, SimulatedDisk& disk) {
  ASSERT_TRUE(disk.make_directory(to));
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const std::string path = to + "/" + entry.path().filename().string();
    if (entry.is_directory()) {
      copy_folder(entry.path(), path, disk);
      continue;
    }
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    File file = std::move(disk.open(path, OpenFor::kCreatingExclusively).value());
    ASSERT_TRUE(file.write_all(std::as_bytes(std::span(bytes))));
  }
}

// Returns all cells of a table as text, or its error without the path of the root.
std::string cells_of(const Result<Table>& table, const std::string& root) {
  std::string text;
  Result<TableScanner> scanner = table ? table->scan({}) : Result<TableScanner>(table.error());
  Result<bool> found = scanner ? scanner->next() : Result<bool>(scanner.error());
  for (; found && *found; found = scanner->next()) {
    for (const KeptCell& kept : scanner->result().cells()) {
      const CellKey& key = kept.cell().key;
      text += std::string(key.row) + " " + std::string(key.family) + ":" + std::string(key.qualifier) + " " +
              std::to_string(key.timestamp) + " " + std::string(kept.cell().value) + "\n";
    }
  }
  text += found ? "" : found.error().to_string();
  for (std::size_t at = text.find(root); at != std::string::npos; at = text.find(root)) {
    text.erase(at, root.size());
  }
  return text;
}

// Compares every table and snapshot of a root with a copy on a simulated disk.
void compare_root(const std::string& root) {
  SCOPED_TRACE(root);
  SimulatedDisk disk;
  ASSERT_TRUE(disk.make_directory("/nowhere"));
  copy_folder(root, "/nowhere/root", disk);
  const auto listing = Table::list(root);
  ASSERT_TRUE(listing);
  TableOptions options{.now_ms = 1'700'000'000'000};
  TableOptions on_disk = options;
  on_disk.files = &disk;
  for (const std::string& name : listing->tables) {
    const auto copy = Table::open_table("/nowhere/root", name, on_disk);
    EXPECT_EQ(cells_of(Table::open_table(root, name, options), root), cells_of(copy, "/nowhere/root"))
        << name;
  }
  for (const std::string& name : listing->snapshots) {
    const auto copy = Table::open_snapshot("/nowhere/root", name, on_disk);
    EXPECT_EQ(cells_of(Table::open_snapshot(root, name, options), root), cells_of(copy, "/nowhere/root"))
        << name;
  }
}

// Unpacks a golden archive.
void unpack(const std::string& archive, const TestFolder& folder) {
  const std::string command = "zstd -dcq '" + std::string(BLOOMERY_SOURCE) + "/tests/golden/" + archive +
                              "' | tar -x -C '" + folder.path("") + "' -f -";
  ASSERT_EQ(std::system(command.c_str()), 0);
}

TEST(DiskTable, HBasesTablesReadTheSameFromTheDisk) {
  const TestFolder folder;
  unpack("hbase-tables/hbase.tar.zst", folder);
  compare_root(folder.path("root"));
}

TEST(DiskTable, RootsWithLogsReadTheSameFromTheDisk) {
  const TestFolder folder;
  unpack("hbase-wal/roots.tar.zst", folder);
  for (const auto& root : fs::directory_iterator(folder.path("roots"))) {
    compare_root(root.path().string());
  }
}

TEST(DiskTable, AFinishedHFileIsLostWithAFolderThatWasNotSynced) {
  SimulatedDisk disk;
  ASSERT_TRUE(disk.make_directory("/nowhere"));
  ASSERT_TRUE(disk.make_directory("/nowhere/load"));
  ASSERT_TRUE(disk.make_directory("/nowhere/load/f"));
  const std::string path = "/nowhere/load/f/0123456789abcdef0123456789abcdef";
  auto writer = hfile::WriterAccess::create_in(disk, path, {});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append({.key = {"row", "f", "q", 5, CellType::kPut}, .value = "value"}));
  ASSERT_TRUE(writer->finish());
  disk.crash(0, CrashMode::kDropAll);
  EXPECT_TRUE(disk.all_files().empty()) << "the names of the folders were never synced";
}

TEST(DiskTable, AnHFileThatWasFinishedIsDurable) {
  SimulatedDisk disk;
  ASSERT_TRUE(disk.make_directory("/load"));
  ASSERT_TRUE(disk.make_directory("/load/f"));
  ASSERT_TRUE(disk.sync_directory_of("/load"));
  ASSERT_TRUE(disk.sync_directory_of("/load/f"));
  auto writer = hfile::WriterAccess::create_in(disk, "/load/f/0123456789abcdef0123456789abcdef", {});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append({.key = {"row", "f", "q", 5, CellType::kPut}, .value = "value"}));
  ASSERT_TRUE(writer->finish());
  disk.crash(0, CrashMode::kDropAll);
  TableOptions options;
  options.files = &disk;
  EXPECT_EQ(cells_of(Table::open("/load", options), "/load"), "row f:q 5 value\n");
  EXPECT_EQ(cells_of(Table::open_files(disk.all_files(), options), "/load"), "row f:q 5 value\n");
  EXPECT_EQ(Table::open("/none", options).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(Table::open(disk.all_files().front(), options).error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace bloomery::store::sim
