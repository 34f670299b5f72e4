// Writers that wait for memory: each of them goes on, however much they wrote together.
#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/store/store.h"
#include "tests/base/test_folder.h"

namespace bloomery::store {
namespace {

constexpr std::size_t kWriters = 4;

// All writers find room, and then have four times the limit, in four regions. The flush of one does not make room.
TEST(MemoryLimit, WritersThatExceedItTogetherGoOn) {
  const TestFolder folder;
  StoreOptions options;
  options.flush_bytes = 1 << 20;
  options.memory_bytes = 64 << 10;
  auto store = Store::create(folder.path("root"), options);
  ASSERT_TRUE(store) << store.error().to_string();
  TableSchema schema = *TableSchema::of_table("t");
  ASSERT_TRUE(schema.add_family("f"));
  SplitKeys splits;
  for (std::size_t i = 1; i < kWriters; ++i) {
    ASSERT_TRUE(splits.append(std::to_string(i)));
  }
  auto table = store->create_table(schema, splits);
  ASSERT_TRUE(table) << table.error().to_string();
  std::barrier together(kWriters);
  std::vector<std::jthread> writers;
  for (std::size_t i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] {
      const std::string value(60 << 10, 'v');
      for (int round = 0; round < 20; ++round) {
        together.arrive_and_wait();
        EXPECT_TRUE(table->put(std::to_string(i), "f", "q", value, {.durability = Durability::kAsyncWal}));
      }
    });
  }
  writers.clear();
  EXPECT_GT(store->counters().waits, 0u);
  EXPECT_TRUE(store->close());
}

}  // namespace
}  // namespace bloomery::store
