// No flushed file denies a row or a column that it has (experiment C3 of the store).
//
// Each row and column of a flushed file is asked of that file's own filter, for every number of rows up to a
// bound and for each kind of filter; rows that no file has are asked, too, so that the filters are known to
// deny. Rows are random bytes of every length from 1 on, zeros among them; qualifiers may be empty.
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/reader_access.h"
#include "store/store_access.h"
#include "tests/base/long_tests.h"
#include "tests/store/simulated_store.h"

namespace bloomery::store {
namespace {

std::string random_bytes(std::mt19937_64& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    byte = random() % 4 == 0 ? '\0' : static_cast<char>(random());
  }
  return bytes;
}

// Returns the newest file of the table's only family.
HFileReader newest_file(const Store& store) {
  const auto& region = StoreAccess::state_of(store)->table("t")->regions.front();
  return hfile::ReaderAccess::reader_of(region->families().front().files->files.back()->file);
}

// Asks for absent rows and absent columns, so that the next file of AUTO has both filters.
void ask_for_what_is_absent(const StoreTable& table, const std::string& row) {
  for (const bool names_column : {false, true}) {
    for (int i = 0; i < 15; ++i) {
      GetRequest get;
      get.row = names_column ? row : row + "none" + std::to_string(i);
      if (names_column) {
        get.columns = {{.family = "f", .qualifier = std::string(1, '\xff') + std::to_string(i)}};
      }
      ASSERT_TRUE(table.reader().get(get));
    }
  }
}

struct FilterAnswers {
  std::uint64_t denied = 0;
  std::uint64_t asked = 0;
};

// Writes rows and flushes them. Asks the file for each of them, and for as many that it does not have.
void check_filter_of_rows(SimulatedStore& machine, StoreTable& table, std::size_t count,
                          std::mt19937_64& random, FilterAnswers& absent) {
  std::set<std::string> rows;
  while (rows.size() < count) {
    rows.insert(random_bytes(random, (count < 4000 ? 1 : 4) + rows.size() % 40));  // 256 have one byte
  }
  for (const std::string& row : rows) {
    const Mutation puts[] = {{.row = row, .family = "f", .qualifier = "", .value = "1"},
                             {.row = row, .family = "f", .qualifier = row, .value = "2"}};
    ASSERT_TRUE(table.mutate(puts, {.durability = Durability::kSkipWal}));
  }
  ASSERT_TRUE(table.flush());
  const HFileReader file = newest_file(machine.store());
  ASSERT_TRUE(file.filter_status());
  ASSERT_EQ(file.facts().entry_count, 2 * count);
  ASSERT_NO_FATAL_FAILURE(ask_for_what_is_absent(table, *rows.begin()));
  for (const std::string& row : rows) {
    ASSERT_TRUE(file.may_contain_row(row));
    ASSERT_TRUE(file.may_contain_column(row, ""));
    ASSERT_TRUE(file.may_contain_column(row, row));
    ASSERT_TRUE(file.may_contain_prefix(row.substr(0, 2)));
    const std::string other = "not there " + row;
    ++absent.asked;
    absent.denied += file.may_contain_row(other) && file.may_contain_column(other, "q") ? 0U : 1U;
  }
}

class FlushedFilter : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kinds, FlushedFilter,
                         testing::Values("NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH", "AUTO"),
                         [](const auto& param) { return std::string(param.param); });

TEST_P(FlushedFilter, DeniesNothingThatItsFileHas) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  TableSchema schema = *TableSchema::of_table("t");
  ASSERT_TRUE(schema.add_family("f"));
  ASSERT_TRUE(schema.set("f", "BLOOMFILTER", GetParam()));
  ASSERT_TRUE(schema.set("f", "RowPrefixBloomFilter.prefix_length", "2"));
  ASSERT_TRUE(machine.store().create_table(schema));
  StoreTable table = machine.table("t");
  std::mt19937_64 random(3);
  FilterAnswers absent;
  const std::size_t every_size_to = runs_long_tests() ? 1000 : 40;
  for (std::size_t count = 1; count <= every_size_to; ++count) {
    SCOPED_TRACE(std::to_string(count) + " rows");
    ASSERT_NO_FATAL_FAILURE(check_filter_of_rows(machine, table, count, random, absent));
  }
  for (const std::size_t count : {std::size_t{2048}, std::size_t{runs_long_tests() ? 1'000'000U : 5000U}}) {
    ASSERT_NO_FATAL_FAILURE(check_filter_of_rows(machine, table, count, random, absent));
  }
  if (GetParam() == std::string("AUTO")) {
    EXPECT_TRUE(newest_file(machine.store()).facts().second_bloom);
  }
  if (GetParam() == std::string("ROW")) {
    EXPECT_GT(absent.denied * 100, absent.asked * 97);  // of 1 % false positives
  }
}

}  // namespace
}  // namespace bloomery::store
