// Repair of a damaged store. After it the store opens; each value is one that was written, and each row that
// lacks its value is in a range that the report names. Every byte of every file needs BLOOMERY_LONG_TESTS=1.
#include "store/repair.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/long_tests.h"
#include "tests/store/simulated_store.h"

namespace bloomery::store {
namespace {

using sim::SimulatedDisk;

constexpr int kRows = 60;

std::string row_of(int i) {
  return "row " + std::to_string(100 + i);
}
std::string value_in(int i) {
  return "value " + std::to_string(i) + std::string(100, 'x');
}

// Two files of small blocks, and the rest in the log of a machine that lost its power.
std::unique_ptr<SimulatedDisk> make_root() {
  SimulatedStore machine(3, {.compacts = false});
  EXPECT_TRUE(machine.create()) << machine.error();
  TableSchema schema = *TableSchema::of_table("t");
  EXPECT_TRUE(schema.add_family("f"));
  EXPECT_TRUE(schema.set("f", "BLOCKSIZE", "1024"));
  auto table = machine.store().create_table(schema);
  EXPECT_TRUE(table);
  for (int i = 0; i < kRows; ++i) {
    EXPECT_TRUE(table->put(row_of(i), "f", "q", value_in(i)));
    if (i == kRows / 3 || i == 2 * kRows / 3) {
      EXPECT_TRUE(table->flush());
    }
  }
  machine.clock().advance(5000);
  machine.executor().run_due();  // the mark of all that is synced
  machine.crash(1, sim::CrashMode::kKeepAll);
  return machine.disk().clone();
}

Result<RepairReport> repair(SimulatedStore& machine, bool writes) {
  const Environment environment = machine.environment();
  return repair_store(environment, "/root", machine.options(), writes);
}

// Whether the report says that this row may be lost.
bool is_named_in(const RepairReport& report, const std::string& row) {
  for (const RepairNote& note : report.notes) {
    for (const std::string& loss : note.losses) {
      const std::size_t from = loss.find("rows from ");
      if (from == std::string::npos) {
        return true;  // a loss that no rows are known of
      }
      const std::size_t before = loss.find(" to before ");
      const auto text = [&](std::size_t begin, std::size_t end) { return loss.substr(begin, end - begin); };
      const std::string first =
          text(from + 10, std::min({before, loss.find(" on may"), loss.find(" may be lost")}));
      const std::string end = before == std::string::npos ? "" : text(before + 11, loss.find(" may be lost"));
      const auto shown = [](const std::string& of) {  // blanks are escaped in the report
        std::string escaped;
        for (const char byte : of) {
          escaped += byte == ' ' ? std::string("\\x20") : std::string(1, byte);
        }
        return escaped;
      };
      if ((first == "the first one" || first <= shown(row)) && (end.empty() || shown(row) < end)) {
        return true;
      }
    }
  }
  return false;
}

struct Outcomes {
  int whole = 0;
  int repaired = 0;
  int lossy = 0;
  int refused = 0;
};

void repair_and_check(const SimulatedDisk& whole, const std::function<void(SimulatedDisk&)>& damage,
                      const std::string& what, Outcomes& outcomes) {
  auto disk = whole.clone();
  damage(*disk);
  const auto before = disk->clone();
  SimulatedStore machine(5, {.compacts = false}, std::move(disk));
  const auto planned = repair(machine, false);
  ASSERT_TRUE(planned) << what << ": " << planned.error().to_string();
  EXPECT_EQ(machine.disk().all_files(), before->all_files()) << what << ": a dry run writes nothing";
  const auto report = repair(machine, true);
  ASSERT_TRUE(report) << what << ": " << report.error().to_string();
  for (const RepairNote& note : report->notes) {
    if (!note.remedy.empty()) {
      ++outcomes.refused;
      return;
    }
  }
  EXPECT_EQ(report->notes.size(), planned->notes.size()) << what;
  ASSERT_TRUE(machine.open()) << what << ": " << machine.error();
  std::size_t lost = 0;
  for (int i = 0; i < kRows; ++i) {
    const std::string found = value_of(machine.table("t"), row_of(i), "f", "q");
    if (found != value_in(i)) {
      ++lost;
      EXPECT_EQ(found, "") << what;
      EXPECT_TRUE(is_named_in(*report, row_of(i))) << what << ": " << row_of(i) << " is lost in silence";
    }
  }
  ++(report->is_whole() ? outcomes.whole : lost > 0 ? outcomes.lossy : outcomes.repaired);
  ASSERT_TRUE(machine.table("t").put("new", "f", "q", "value")) << what;
  ASSERT_TRUE(machine.close()) << what << ": " << machine.error();
  const auto again = repair(machine, false);
  ASSERT_TRUE(again) << what;
  EXPECT_TRUE(again->is_whole()) << what << ": " << again->notes.front().path << ": "
                                 << again->notes.front().damage.to_string();
}

TEST(Repair, OfAWholeStoreChangesNothing) {
  Outcomes outcomes;
  repair_and_check(
      *make_root(), [](SimulatedDisk&) {}, "nothing", outcomes);
  EXPECT_EQ(outcomes.whole, 1);
}

TEST(Repair, SavesWhatIsWholeAndNamesWhatIsLost) {
  const auto whole = make_root();
  Outcomes outcomes;
  for (const std::string& path : whole->all_files()) {
    if (path.find("LOCK") != std::string::npos) {
      continue;
    }
    const std::string bytes = whole->read_all(path).value();
    const std::size_t step = runs_long_tests() ? 1 : std::max<std::size_t>(1, bytes.size() / 40);
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      const auto flip = [&](SimulatedDisk& disk) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 4);
        ASSERT_TRUE(disk.overwrite(path, changed));
      };
      repair_and_check(*whole, flip, path + ": a bit of byte " + std::to_string(at), outcomes);
      const auto cut = [&](SimulatedDisk& disk) { ASSERT_TRUE(disk.overwrite(path, bytes.substr(0, at))); };
      repair_and_check(*whole, cut, path + ": cut at " + std::to_string(at), outcomes);
      if (HasFatalFailure()) {
        return;
      }
    }
    repair_and_check(
        *whole, [&](SimulatedDisk& disk) { ASSERT_TRUE(disk.remove(path)); }, path + ": removed", outcomes);
  }
  std::printf("%d whole, %d repaired without loss, %d with losses that are named, %d refused with a remedy\n",
              outcomes.whole, outcomes.repaired, outcomes.lossy, outcomes.refused);
  EXPECT_GT(outcomes.lossy, 50);
}

// A crash before the removal of the older list leaves both. If the newest one is damaged then, the older one
// does not name the files that were flushed or compacted after it.
TEST(Repair, OfTheNewestOfTwoListsKeepsTheFilesAfterTheOlderOne) {
  for (const bool compacts : {false, true}) {
    SimulatedStore machine(3, {.compacts = false});
    ASSERT_TRUE(machine.create()) << machine.error();
    StoreTable table = machine.make_table("t", {"f"});
    const auto list = [&] {
      std::string found;
      for (const std::string& path : machine.disk().all_files()) {
        found = path.find("/f/.filelist/f") != std::string::npos ? path : found;
      }
      return found;
    };
    std::string older;
    std::string older_bytes;
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(table.put(row_of(i), "f", "q", value_in(i)));
      ASSERT_TRUE(table.flush());
      if (i == (compacts ? 2 : 1)) {
        older = list();
        older_bytes = *machine.disk().read_all(older);
      }
    }
    if (compacts) {
      ASSERT_TRUE(table.major_compact());
    }
    ASSERT_TRUE(machine.close()) << machine.error();
    const std::string newest = list();
    ASSERT_NE(newest, older);
    std::string bytes = *machine.disk().read_all(newest);
    bytes[bytes.size() / 2] ^= 4;
    ASSERT_TRUE(machine.disk().overwrite(newest, bytes));
    auto made = machine.disk().open(older, OpenFor::kCreatingExclusively);
    ASSERT_TRUE(made) << made.error().to_string();
    ASSERT_TRUE(made->write_all_at(0, std::as_bytes(std::span(older_bytes))));
    const auto report = repair(machine, true);
    ASSERT_TRUE(report) << report.error().to_string();
    ASSERT_EQ(report->notes.size(), 1U) << compacts;
    EXPECT_EQ(report->notes.front().path, newest);
    ASSERT_TRUE(machine.open()) << machine.error();
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(value_of(machine.table("t"), row_of(i), "f", "q"), value_in(i)) << compacts;
    }
  }
}

TEST(Repair, ThatLosesItsPowerIsRunAgain) {
  const auto whole = make_root();
  auto disk = whole->clone();
  for (const std::string& path : disk->all_files()) {
    const bool is_file = path.find("/f/") != std::string::npos && path.find(".filelist") == std::string::npos;
    if (is_file || path.find("/WALs/") != std::string::npos) {
      std::string bytes = disk->read_all(path).value();
      bytes[bytes.size() / 2] ^= 4;
      ASSERT_TRUE(disk->overwrite(path, bytes));
    }
  }
  const auto rows_after = [](SimulatedStore& machine) {
    std::string rows;
    EXPECT_TRUE(repair(machine, true));
    EXPECT_TRUE(machine.open()) << machine.error();
    for (int i = 0; i < kRows; ++i) {
      rows += value_of(machine.table("t"), row_of(i), "f", "q").empty() ? "-" : "+";
    }
    return rows;
  };
  SimulatedStore calm(5, {.compacts = false}, disk->clone());
  const std::string expected = rows_after(calm);
  EXPECT_NE(expected.find('-'), std::string::npos);
  EXPECT_NE(expected.find('+'), std::string::npos);
  SimulatedStore machine(6, {.compacts = false}, std::move(disk));
  std::uint64_t calls = 0;
  machine.disk().watch([&] {
    if (++calls % (runs_long_tests() ? 1 : 7) != 0) {
      return;
    }
    for (const auto mode : {sim::CrashMode::kDropAll, sim::CrashMode::kKeepAll, sim::CrashMode::kRandom}) {
      auto copy = machine.disk().clone();
      copy->crash(calls, mode);
      SimulatedStore left(calls, {.compacts = false}, std::move(copy));
      ASSERT_EQ(rows_after(left), expected) << "call " << calls << ", mode " << static_cast<int>(mode);
    }
  });
  ASSERT_TRUE(repair(machine, true));
  machine.disk().watch(nullptr);
  EXPECT_GT(calls, 50U);
}

}  // namespace
}  // namespace bloomery::store
