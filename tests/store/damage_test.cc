// Damage of every file of a small store (experiment C4 of the store): bits, cuts, zeroed sectors, exchanged
// files.
//
// The store is opened, and all is read. Each read returns what was written, or an error; the same holds for
// the open. Nothing that was synced is lost in silence. Three stores: one that was closed; one that lost its
// power, with edits in the log alone; and one whose log has edits after its mark, of which damage may lose
// the last ones.
//
// Each failure prints the file and the place. Every byte needs BLOOMERY_LONG_TESTS=1.
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/long_tests.h"
#include "tests/store/sim/ledger.h"
#include "tests/store/simulated_store.h"

namespace bloomery::store {
namespace {

using sim::CrashMode;
using sim::Ledger;
using sim::SimulatedDisk;

struct Damaged {
  std::unique_ptr<SimulatedDisk> disk;
  Ledger ledger;
  std::uint64_t opened = 0;   // damaged stores that were opened
  std::uint64_t refused = 0;  // by open()
  std::uint64_t unread = 0;   // opened, but some reads were errors
};

void put(SimulatedStore& machine, Ledger& ledger, int number, Durability durability) {
  const std::string row = "row " + std::to_string(number);
  const sim::ModelCell cell{.row = row,
                            .family = "f",
                            .qualifier = "q",
                            .timestamp = 5 + number,
                            .value = "value " + std::to_string(number)};
  const Mutation mutation{.row = cell.row,
                          .family = cell.family,
                          .qualifier = cell.qualifier,
                          .timestamp = cell.timestamp,
                          .value = cell.value};
  ASSERT_TRUE(machine.table("t").mutate({&mutation, 1}, {.durability = durability}));
  sim::Step step{.table = "t", .cells = {cell}};
  ledger.tail.push_back(step);
  if (durability == Durability::kFsyncWal) {
    ledger.settle();
  }
}

// Has the next file get both filters.
void ask_for_absent_keys(const StoreTable& table) {
  for (int i = 0; i < 40; ++i) {
    GetRequest get;
    get.row = i % 2 == 0 ? "row 1" : "row 11";
    if (i % 2 == 0) {
      get.columns = {{.family = "f", .qualifier = "none"}};
    }
    EXPECT_TRUE(table.reader().get(get));
  }
}

enum class Kind { kClosed, kCrashed, kAfterMark };

Damaged make_store(Kind kind) {
  SimulatedStore machine(7);
  Damaged made;
  EXPECT_TRUE(machine.create()) << machine.error();
  {
    StoreTable table = machine.make_table("t", {"f"});
    TableSchema schema = table.schema();
    EXPECT_TRUE(schema.set("f", "BLOOMFILTER", "AUTO"));
    EXPECT_TRUE(machine.store().alter_table(schema));
    made.ledger.certain["t"] = {.schema = table.schema()};
    for (int i = 0; i < 12; ++i) {
      put(machine, made.ledger, i, Durability::kFsyncWal);
      if (i == 5) {
        EXPECT_TRUE(table.flush());
        ask_for_absent_keys(table);
      }
    }
    machine.clock().advance(5000);
    machine.executor().run_due();  // the mark of all that is synced
    if (kind == Kind::kAfterMark) {
      for (int i = 12; i < 18; ++i) {
        put(machine, made.ledger, i, Durability::kSyncWal);
      }
    }
  }
  if (kind == Kind::kClosed) {
    EXPECT_TRUE(machine.close()) << machine.error();
  } else {
    machine.crash(1, CrashMode::kKeepAll);
  }
  made.disk = machine.disk().clone();
  return made;
}

// Opens a damaged copy. Returns what is wrong, or nothing.
std::string problem_of(Damaged& damaged, std::unique_ptr<SimulatedDisk> disk) {
  SimulatedStore machine(99, {}, std::move(disk));
  if (!machine.open()) {
    ++damaged.refused;
    return machine.error().empty() ? "an error without a text" : "";
  }
  ++damaged.opened;
  Ledger ledger = damaged.ledger;
  const std::string problem = sim::recover(ledger, machine.store(), false);
  const bool is_error = problem.starts_with("an error of a read");
  damaged.unread += is_error ? 1 : 0;
  if (!problem.empty() && !is_error) {
    return problem;
  }
  for (const auto& [row, families] : damaged.ledger.certain.at("t").rows) {
    GetRequest get;
    get.row = row;
    const auto found = machine.table("t").reader().get(get);
    const std::string expected = families.begin()->second.begin()->second;
    if (found && (found->empty() || found->cells().front().cell().value != expected)) {
      return "a get of " + row + " found another value";
    }
  }
  return "";
}

using Change = std::function<void(SimulatedDisk&)>;

void expect_sound(Damaged& damaged, const std::string& what, const Change& change) {
  auto disk = damaged.disk->clone();
  change(*disk);
  const std::string problem = problem_of(damaged, std::move(disk));
  EXPECT_EQ(problem, "") << what;
}

void damage_file(Damaged& damaged, const std::string& path) {
  const std::string bytes = damaged.disk->read_all(path).value();
  const std::size_t every = runs_long_tests() ? 1 : 17;
  for (std::size_t at = bytes.size() % every; at < bytes.size(); at += every) {
    for (std::size_t bit = runs_long_tests() ? 0 : at % 8; bit < 8; bit += runs_long_tests() ? 1U : 8U) {
      expect_sound(damaged, path + ": bit " + std::to_string(bit) + " of byte " + std::to_string(at),
                   [&](SimulatedDisk& disk) { ASSERT_TRUE(disk.flip_bit(path, at * 8 + bit)); });
    }
    expect_sound(damaged, path + ": cut at " + std::to_string(at),
                 [&](SimulatedDisk& disk) { ASSERT_TRUE(disk.cut(path, at)); });
  }
  for (std::size_t at = 0; at < bytes.size(); at += SimulatedDisk::kSectorBytes) {
    expect_sound(damaged, path + ": zeros from " + std::to_string(at), [&](SimulatedDisk& disk) {
      std::string zeroed = bytes;
      for (std::size_t i = at; i < std::min(bytes.size(), at + SimulatedDisk::kSectorBytes); ++i) {
        zeroed[i] = '\0';
      }
      ASSERT_TRUE(disk.overwrite(path, zeroed));
    });
  }
}

void swap_files(Damaged& damaged) {
  const auto paths = damaged.disk->all_files();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (std::size_t j = i + 1; j < paths.size(); ++j) {
      expect_sound(damaged, "exchanged: " + paths[i] + " and " + paths[j], [&](SimulatedDisk& disk) {
        const std::string first = disk.read_all(paths[i]).value();
        ASSERT_TRUE(disk.overwrite(paths[i], disk.read_all(paths[j]).value()));
        ASSERT_TRUE(disk.overwrite(paths[j], first));
      });
    }
  }
}

void damage_all(Kind kind) {
  Damaged damaged = make_store(kind);
  ASSERT_EQ(problem_of(damaged, damaged.disk->clone()), "");
  for (const std::string& path : damaged.disk->all_files()) {
    damage_file(damaged, path);
  }
  swap_files(damaged);
  std::printf("%llu damaged stores were refused, %llu opened, of which %llu had reads with an error\n",
              static_cast<unsigned long long>(damaged.refused),
              static_cast<unsigned long long>(damaged.opened),
              static_cast<unsigned long long>(damaged.unread));
}

TEST(Damage, OfAClosedStoreIsNeverAWrongValue) {
  damage_all(Kind::kClosed);
}

TEST(Damage, OfAStoreWithoutPowerIsNeverAWrongValue) {
  damage_all(Kind::kCrashed);
}

TEST(Damage, AfterTheMarkLosesOnlyTheLastEdits) {
  damage_all(Kind::kAfterMark);
}

TEST(Damage, TheMarkOfAnotherStoreIsNoMark) {
  Damaged damaged = make_store(Kind::kCrashed);
  SimulatedStore other(1234);
  other.clock().advance(77'000);
  ASSERT_TRUE(other.create()) << other.error();
  (void)other.make_table("u", {"f"});
  ASSERT_TRUE(other.table("u").put("row", "f", "q", "value"));
  const std::string mark = other.disk().read_all("/root/.bloomery/MARK").value();
  auto disk = damaged.disk->clone();
  ASSERT_TRUE(disk->overwrite("/root/.bloomery/MARK", mark));
  EXPECT_EQ(problem_of(damaged, std::move(disk)), "");
  EXPECT_EQ(damaged.refused, 1u);
}

}  // namespace
}  // namespace bloomery::store
