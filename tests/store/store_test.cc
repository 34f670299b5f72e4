// A store on a simulated machine: what was written is read, also after it was closed, flushed or crashed.
#include <gtest/gtest.h>

#include "tests/store/simulated_store.h"

namespace bloomery::store {
namespace {

TEST(Store, ReadsWhatWasPut) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f", "g"});
  ASSERT_TRUE(table.put("row", "f", "q", "value"));
  EXPECT_EQ(value_of(table, "row", "f", "q"), "value");
  EXPECT_EQ(value_of(table, "row", "g", "q"), "");
  ASSERT_TRUE(table.put("row", "f", "q", "another"));
  EXPECT_EQ(value_of(table, "row", "f", "q"), "another");
  const Mutation gone{.row = "row", .family = "f", .qualifier = "q", .type = CellType::kDeleteColumn};
  ASSERT_TRUE(table.mutate({&gone, 1}));
  EXPECT_EQ(value_of(table, "row", "f", "q"), "");
}

TEST(Store, KeepsWhatWasPutThroughFlushAndOpen) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  {
    auto table = machine.make_table("t", {"f"});
    ASSERT_TRUE(table.put("a", "f", "q", "1"));
    const Status flushed = table.flush();
    ASSERT_TRUE(flushed) << flushed.error().to_string();
    ASSERT_TRUE(table.put("b", "f", "q", "2"));
    EXPECT_EQ(value_of(table, "a", "f", "q"), "1");
    EXPECT_EQ(value_of(table, "b", "f", "q"), "2");
  }
  ASSERT_TRUE(machine.close()) << machine.error();
  ASSERT_TRUE(machine.open()) << machine.error();
  auto table = machine.table("t");
  EXPECT_EQ(value_of(table, "a", "f", "q"), "1");
  EXPECT_EQ(value_of(table, "b", "f", "q"), "2");
}

TEST(Store, KeepsSyncedWritesThroughAPowerLoss) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  {
    auto table = machine.make_table("t", {"f"});
    ASSERT_TRUE(table.put("a", "f", "q", "1"));
    ASSERT_TRUE(table.put("b", "f", "q", "2", {.durability = Durability::kAsyncWal}));
  }
  machine.crash(1, sim::CrashMode::kDropAll);
  ASSERT_TRUE(machine.open()) << machine.error();
  auto table = machine.table("t");
  EXPECT_EQ(value_of(table, "a", "f", "q"), "1");
  EXPECT_EQ(value_of(table, "b", "f", "q"), "");
}

TEST(Store, AMarkerInMemoryHidesOlderTimesOfAFileFromARequestOfThoseTimes) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  const auto mutate = [&](std::int64_t time, CellType type) {
    const bool is_of_family = type == CellType::kDeleteFamily;
    const Mutation mutation{
        .row = "row", .family = "f", .qualifier = is_of_family ? "" : "q", .timestamp = time, .type = type};
    EXPECT_TRUE(table.mutate({&mutation, 1}));
  };
  GetRequest get;
  get.row = "row";
  get.times.to = 100;
  for (const CellType type : {CellType::kDeleteColumn, CellType::kDeleteFamily}) {
    mutate(type == CellType::kDeleteColumn ? 5 : 50, CellType::kPut);
    ASSERT_TRUE(table.flush());
    EXPECT_EQ(table.reader().get(get)->size(), 1u);
    mutate(type == CellType::kDeleteColumn ? 40 : 200, type);
    get.times.to = type == CellType::kDeleteColumn ? 10 : 100;
    EXPECT_TRUE(table.reader().get(get)->empty());
    get.times.to = 100;
  }
}

TEST(Store, Increments) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  for (std::int64_t i = 1; i <= 10; ++i) {
    const auto sum = table.increment("row", "f", "q", 3);
    ASSERT_TRUE(sum) << sum.error().to_string();
    EXPECT_EQ(*sum, 3 * i);
  }
  ASSERT_TRUE(table.put("row", "f", "short", "1"));
  EXPECT_EQ(table.increment("row", "f", "short", 1).error().code(), ErrorCode::kInvalidArgument);
}

// HBase's HRegion: the time of the old value and one more, or now.
TEST(Store, AnIncrementAndAnAppendAreNewVersionsAfterTheOldOne) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  TableSchema schema = *TableSchema::of_table("t");
  ASSERT_TRUE(schema.add_family("f"));
  ASSERT_TRUE(schema.set("f", "VERSIONS", "10"));
  auto table = *machine.store().create_table(schema);
  const std::int64_t future = std::int64_t{1} << 60;
  for (const std::string qualifier : {"sum", "text"}) {
    const Mutation put{
        .row = "row", .family = "f", .qualifier = qualifier, .timestamp = future, .value = "12345678"};
    ASSERT_TRUE(table.mutate({&put, 1}));
  }
  ASSERT_TRUE(table.increment("row", "f", "sum", 1));
  ASSERT_TRUE(table.append("row", "f", "text", "9"));
  ASSERT_TRUE(table.append("row", "f", "text", "0"));
  GetRequest get;
  get.row = "row";
  get.versions = kAllVersions;
  const auto row = table.reader().get(get);
  ASSERT_TRUE(row) << row.error().to_string();
  std::string found;
  for (const KeptCell& kept : row->cells()) {
    found += std::string(kept.cell().key.qualifier) + " " +
             std::to_string(kept.cell().key.timestamp - future) + " ";
  }
  EXPECT_EQ(found, "sum 1 sum 0 text 2 text 1 text 0 ");
}

// A put at that time would hide every later one.
TEST(Store, TheLatestTimestampIsTheTimeOfTheCall) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  Mutation mutation{
      .row = "row", .family = "f", .qualifier = "q", .timestamp = kLatestTimestamp, .value = "old"};
  ASSERT_TRUE(table.mutate({&mutation, 1}));
  ASSERT_TRUE(table.put("row", "f", "q", "new"));
  GetRequest get;
  get.row = "row";
  EXPECT_EQ(table.reader().get(get)->cells().at(0).cell().value, "new");
  mutation.type = CellType::kDelete;
  mutation.value = "";
  ASSERT_TRUE(table.mutate({&mutation, 1}));  // of the newest version
  EXPECT_TRUE(table.reader().get(get)->empty());
}

// A put that follows a check is not hidden by what was checked, also if the clock went back.
TEST(Store, APutAfterACheckIsNotOlderThanWhatWasChecked) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  ASSERT_TRUE(table.put("row", "f", "q", "old"));
  machine.clock().set_now(machine.clock().now_ms() - 1000);
  const Mutation put{.row = "row", .family = "f", .qualifier = "q", .value = "new"};
  const auto held =
      table.check_and_mutate({.row = "row", .family = "f", .qualifier = "q", .value = "old"}, {&put, 1});
  ASSERT_TRUE(held && *held);
  EXPECT_EQ(value_of(table, "row", "f", "q"), "new");
}

TEST(Store, RefusesASecondWriterAndAForeignRoot) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  const auto second = StoreAccess::open(machine.environment(), "/root", {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().errno_value(), EWOULDBLOCK) << second.error().to_string();
  const auto foreign = StoreAccess::open(machine.environment(), "/other", {});
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code(), ErrorCode::kInvalidArgument) << foreign.error().to_string();
}

// Another process may write the files by then.
TEST(Store, RefusesReadsAndWritesAfterItWasClosed) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  ASSERT_TRUE(table.put("row", "f", "q", "1"));
  ASSERT_TRUE(machine.close()) << machine.error();
  GetRequest get;
  get.row = "row";
  EXPECT_EQ(table.reader().get(get).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(table.put("row", "f", "q", "2").error().code(), ErrorCode::kInvalidArgument);
}

TEST(Store, DropsTruncatesAndAlters) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  ASSERT_TRUE(table.put("row", "f", "q", "1"));
  ASSERT_TRUE(machine.store().truncate_table("t"));
  EXPECT_EQ(table.put("row", "f", "q", "2").error().code(), ErrorCode::kNotFound);
  table = machine.table("t");
  EXPECT_EQ(value_of(table, "row", "f", "q"), "");
  ASSERT_TRUE(table.put("row", "f", "q", "2"));
  TableSchema schema = table.schema();
  ASSERT_TRUE(schema.add_family("g"));
  const Status altered = machine.store().alter_table(schema);
  ASSERT_TRUE(altered) << altered.error().to_string();
  table = machine.table("t");
  ASSERT_TRUE(table.put("row", "g", "q", "3"));
  EXPECT_EQ(value_of(table, "row", "f", "q"), "2");
  EXPECT_EQ(value_of(table, "row", "g", "q"), "3");
  ASSERT_TRUE(machine.store().drop_table("t"));
  EXPECT_TRUE(machine.store().tables().empty());
  ASSERT_TRUE(machine.close()) << machine.error();
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_TRUE(machine.store().tables().empty());
}

TEST(Store, MakesTheNamespaceOfATable) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  for (const char* const name : {"n:t", "n:u"}) {
    auto table = machine.make_table(name, {"f"});
    ASSERT_TRUE(table.put("row", "f", "q", name));
  }
  ASSERT_TRUE(machine.close()) << machine.error();
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_EQ(machine.store().tables(), (std::vector<std::string>{"n:t", "n:u"}));
  EXPECT_EQ(value_of(machine.table("n:u"), "row", "f", "q"), "n:u");
}

// Many short runs leave few logs, and each edit once.
TEST(Store, LeavesEditsInTheLogIfItDoesNotFlushAtClose) {
  SimulatedStore machine(1, {.most_logs = 4, .flushes_at_close = false});
  ASSERT_TRUE(machine.create()) << machine.error();
  (void)machine.make_table("t", {"f"});
  for (std::int64_t i = 1; i <= 20; ++i) {
    ASSERT_TRUE(machine.close()) << machine.error();
    ASSERT_TRUE(machine.open()) << machine.error();
    auto table = machine.table("t");
    const auto sum = table.increment("row", "f", "q", 1);
    ASSERT_TRUE(sum) << sum.error().to_string();
    EXPECT_EQ(*sum, i);
    const auto servers = machine.disk().list("/root/WALs");
    ASSERT_TRUE(servers);
    const auto logs = machine.disk().list("/root/WALs/" + servers->front().name);
    ASSERT_TRUE(logs);
    EXPECT_LE(logs->size(), 6U) << i;
  }
}

TEST(Store, ChecksAMutationAsAWriteDoes) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  EXPECT_TRUE(table.check({.row = "row", .family = "f"}));
  for (const Mutation& wrong : {Mutation{.row = "row", .family = "g"}, Mutation{.row = "", .family = "f"},
                                Mutation{.row = "row", .family = "f", .timestamp = -1}}) {
    EXPECT_EQ(table.check(wrong).error().to_string(), table.mutate({&wrong, 1}).error().to_string());
  }
}

}  // namespace
}  // namespace bloomery::store
