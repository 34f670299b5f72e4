// What check_store() counts in a store that is intact, and the fault that it names in one that is not.
#include "store/store_check.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "tests/store/simulated_store.h"

namespace bloomery::store {
namespace {

using sim::SimulatedDisk;

std::string path_with(const SimulatedDisk& disk, const std::string& part) {
  for (const std::string& path : disk.all_files()) {
    if (path.find(part) != std::string::npos) {
      return path;
    }
  }
  return "";
}

std::vector<std::string> log_paths(const SimulatedDisk& disk) {
  std::vector<std::string> logs;
  for (const std::string& path : disk.all_files()) {
    if (path.find("/WALs/") != std::string::npos) {
      logs.push_back(path);
    }
  }
  return logs;
}

// A store of two families in one region, one of which has a file, with edits in several logs.
std::unique_ptr<SimulatedDisk> checked_disk() {
  SimulatedStore machine(3, {.log_bytes = 600, .most_logs = 100, .flushes_at_close = false});
  EXPECT_TRUE(machine.create()) << machine.error();
  {
    StoreTable table = machine.make_table("t", {"f", "g"});
    EXPECT_TRUE(table.put("row", "f", "q", "value"));
    EXPECT_TRUE(table.flush());
    for (int i = 0; i < 12; ++i) {
      EXPECT_TRUE(table.put("row" + std::to_string(i), "g", "q", "value"));
    }
  }
  EXPECT_TRUE(machine.close()) << machine.error();
  return machine.disk().clone();
}

TEST(StoreCheck, CountsWhatAnIntactStoreHas) {
  const auto disk = checked_disk();
  const auto check = check_store(*disk, "/root");
  ASSERT_TRUE(check) << check.error().to_string();
  EXPECT_TRUE(check->faults.empty()) << check->faults.front().to_string();
  EXPECT_EQ(check->descriptors, 1U);
  EXPECT_EQ(check->lists, 2U);
  EXPECT_EQ(check->logs, log_paths(*disk).size());
  EXPECT_GE(check->logs, 3U);
  EXPECT_GE(check->entries, 12U);  // and markers of flushes
  EXPECT_TRUE(is_store(*disk, "/root"));
  EXPECT_FALSE(is_store(*disk, "/"));
}

// Expects one fault or more, of which the first names this.
void expect_fault(const std::string& words, const std::function<void(SimulatedDisk&)>& damage) {
  const auto disk = checked_disk();
  damage(*disk);
  const auto check = check_store(*disk, "/root");
  ASSERT_TRUE(check) << check.error().to_string();
  ASSERT_FALSE(check->faults.empty()) << words;
  EXPECT_NE(check->faults.front().to_string().find(words), std::string::npos)
      << check->faults.front().to_string();
}

TEST(StoreCheck, NamesADescriptorThatTheStoreDidNotWrite) {
  expect_fault("a descriptor with a checksum that the store knows",
               [](SimulatedDisk& disk) { ASSERT_TRUE(disk.flip_bit(path_with(disk, ".tableinfo"), 300)); });
}

TEST(StoreCheck, NamesAListThatIsDamagedOrGone) {
  expect_fault(".filelist",
               [](SimulatedDisk& disk) { ASSERT_TRUE(disk.flip_bit(path_with(disk, "/f/.filelist"), 70)); });
  expect_fault("a list of the family's files, found none",
               [](SimulatedDisk& disk) { ASSERT_TRUE(disk.remove(path_with(disk, "/f/.filelist"))); });
}

TEST(StoreCheck, NamesALogThatIsGone) {
  expect_fault("of the mark", [](SimulatedDisk& disk) { ASSERT_TRUE(disk.remove(log_paths(disk).back())); });
  const auto disk = checked_disk();
  ASSERT_TRUE(disk->remove(log_paths(*disk)[1]));
  const auto check = check_store(*disk, "/root");
  ASSERT_TRUE(check);
  ASSERT_FALSE(check->faults.empty());
  EXPECT_NE(check->faults.front().to_string().find(log_paths(*disk)[0]), std::string::npos)
      << check->faults.front().to_string();
}

TEST(StoreCheck, NamesALogThatIsCutOrDamaged) {
  for (const std::size_t log : {0U, 1U}) {
    expect_fault("/WALs/", [&](SimulatedDisk& disk) {
      const std::string path = log_paths(disk)[log];
      ASSERT_TRUE(disk.cut(path, disk.read_all(path).value().size() / 2));
    });
    expect_fault("/WALs/",
                 [&](SimulatedDisk& disk) { ASSERT_TRUE(disk.flip_bit(log_paths(disk)[log], 8 * 200)); });
  }
}

// As open() removes it: without a header there was no entry.
TEST(StoreCheck, IgnoresALogThatWasBegunAndNotMarked) {
  const auto disk = checked_disk();
  const std::string last = log_paths(*disk).back();
  ASSERT_TRUE(disk->open(last.substr(0, last.rfind('.')) + ".9999999999999", OpenFor::kCreatingExclusively));
  const auto check = check_store(*disk, "/root");
  ASSERT_TRUE(check) << check.error().to_string();
  EXPECT_TRUE(check->faults.empty()) << check->faults.front().to_string();
}

}  // namespace
}  // namespace bloomery::store
