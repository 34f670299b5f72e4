// Whatever memory it has, the sorter keeps the same edits: each once, the last one of equal ones, in order.
#include "table/logs/edit_sorter.h"

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/reader_access.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

using table::EditSorter;

constexpr std::size_t kLogs = 5;
constexpr std::size_t kStores = 3;
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40;

// The place of an edit in a file: row, qualifier, time downwards, mvcc downwards.
using EditPlace = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;
using Edits = std::map<EditPlace, std::string>;

std::vector<TableLog> some_logs() {
  std::vector<TableLog> logs(kLogs);
  for (std::size_t i = 0; i < kLogs; ++i) {
    logs[i].path = "WALs/server/log." + std::to_string(i);
  }
  return logs;
}

// Adds random edits, of which many are equal. Returns what each store must have.
std::vector<Edits> add_edits(EditSorter& sorter, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return random() % n; };
  std::vector<Edits> expected(kStores);
  for (std::size_t i = 0; i < kStores; ++i) {
    EXPECT_EQ(sorter.add_store(), i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t store = below(kStores);
    const std::string row = "row-" + std::to_string(below(20));
    const std::string qualifier(below(3), 'q');
    const auto time = static_cast<std::int64_t>(below(4));
    const std::uint64_t mvcc = 1 + below(5);
    const std::string value = std::to_string(i) + std::string(below(50), 'v');
    const std::string tag("\0\3\1ab", 5);
    const Cell cell{.key = {row, "f", qualifier, time, CellType::kPut},
                    .value = value,
                    .tags = store == 1 ? std::string_view(tag) : std::string_view()};
    const Status added = sorter.add(store, cell, mvcc, i * kLogs / count);
    EXPECT_TRUE(added) << added.error().to_string();
    expected[store][{row, qualifier, -time, -static_cast<std::int64_t>(mvcc)}] = value;
  }
  return expected;
}

// Reads a file, which must be in order. Adds its cells.
void read_run(const table::LoggedFile& file, Edits& to) {
  const auto opened = open_logged(file, {});
  ASSERT_TRUE(opened) << opened.error().to_string();
  HFileScanner scanner = hfile::ReaderAccess::reader_of(*opened).scan();
  std::uint64_t cells = 0;
  EditPlace last;
  for (auto found = scanner.seek_to_first(); found && *found; found = scanner.next()) {
    const Cell& cell = scanner.cell();
    const EditPlace place{std::string(cell.key.row), std::string(cell.key.qualifier), -cell.key.timestamp,
                          -cell.mvcc};
    EXPECT_TRUE(cells == 0 || last < place);
    EXPECT_TRUE(to.emplace(place, cell.value).second) << "an edit is there twice";
    last = place;
    ++cells;
  }
  EXPECT_EQ(cells, file.cells);
}

TEST(EditSorter, AnyMemoryKeepsTheSameEdits) {
  for (const auto& [memory, count] : std::vector<std::pair<std::uint64_t, std::size_t>>{
           {1, 400}, {3000, 4000}, {200'000, 4000}, {kNoLimit, 4000}}) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE("memory " + std::to_string(memory) + ", seed " + std::to_string(seed));
      std::vector<TableLog> logs = some_logs();
      EditSorter sorter(logs, memory, "");
      const std::vector<Edits> expected = add_edits(sorter, count, seed);
      ASSERT_TRUE(sorter.finish());
      for (std::size_t store = 0; store < kStores; ++store) {
        const auto files = sorter.files(store);
        EXPECT_EQ(files.size(), memory == kNoLimit ? kLogs : 1u);
        Edits found;
        for (const table::LoggedFile& file : files) {
          read_run(file, found);
        }
        EXPECT_EQ(found, expected[store]);
      }
    }
  }
}

TEST(EditSorter, FilesHaveTheNamesOfTheirLogs) {
  std::vector<TableLog> logs = some_logs();
  EditSorter in_memory(logs, kNoLimit, "");
  (void)add_edits(in_memory, 1000, 1);
  ASSERT_TRUE(in_memory.finish());
  const auto files = in_memory.files(0);
  ASSERT_EQ(files.size(), kLogs);
  for (std::size_t i = 0; i < kLogs; ++i) {
    EXPECT_EQ(files[i].path, logs[i].path);
  }
  EditSorter on_disk(logs, 10'000, "");
  (void)add_edits(on_disk, 1000, 1);
  ASSERT_TRUE(on_disk.finish());
  EXPECT_EQ(on_disk.files(0).at(0).path, logs[0].path + " to " + logs[kLogs - 1].path);
}

TEST(EditSorter, WithoutEditsThereAreNoFiles) {
  std::vector<TableLog> logs = some_logs();
  EditSorter sorter(logs, 1, "");
  sorter.add_store();
  ASSERT_TRUE(sorter.finish());
  EXPECT_TRUE(sorter.files(0).empty());
}

TEST(EditSorter, AFolderThatIsNotThereIsAnErrorWithItsNameAndOnlyIfItIsNeeded) {
  const TestFolder folder;
  std::vector<TableLog> logs = some_logs();
  const Cell cell{.key = {"row", "f", "q", 5, CellType::kPut}, .value = "value"};
  for (const std::uint64_t memory : {std::uint64_t{1}, kNoLimit}) {
    EditSorter sorter(logs, memory, folder.path("absent"));
    sorter.add_store();
    ASSERT_TRUE(sorter.add(0, cell, 1, 0));
    const Status added = sorter.add(0, cell, 2, 0);
    EXPECT_EQ(static_cast<bool>(added), memory == kNoLimit);
    if (!added) {
      EXPECT_NE(added.error().to_string().find(folder.path("absent")), std::string::npos)
          << added.error().to_string();
    }
  }
}

}  // namespace
}  // namespace bloomery
