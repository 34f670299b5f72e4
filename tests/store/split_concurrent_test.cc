// A split beside writers: what they have written is in the new regions, whenever it was written.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/store/store.h"
#include "tests/base/test_folder.h"

namespace bloomery::store {
namespace {

constexpr int kSplitWriters = 3;

TEST(SplitBesideWriters, LosesNothingThatWasAcknowledged) {
  const TestFolder folder;
  StoreOptions options;
  options.flush_bytes = 64 << 10;
  auto store = Store::create(folder.path("root"), options);
  ASSERT_TRUE(store) << store.error().to_string();
  TableSchema schema = *TableSchema::of_table("t");
  ASSERT_TRUE(schema.add_family("f"));
  ASSERT_TRUE(store->create_table(schema));
  std::atomic<bool> is_done = false;
  std::vector<int> acknowledged(kSplitWriters);
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < kSplitWriters; ++writer) {
    writers.emplace_back([&, writer] {
      auto table = store->table("t");
      for (int i = 0; !is_done; ++i) {
        const std::string row =
            std::to_string(i % 10) + "-" + std::to_string(writer) + "-" + std::to_string(i);
        Status put = table->put(row, "f", "q", "value", {.durability = Durability::kSyncWal});
        while (!put) {  // the regions were split
          ASSERT_EQ(put.error().code(), ErrorCode::kNotFound) << put.error().to_string();
          table = store->table("t");
          ASSERT_TRUE(table) << table.error().to_string();
          put = table->put(row, "f", "q", "value", {.durability = Durability::kSyncWal});
        }
        acknowledged[static_cast<std::size_t>(writer)] = i + 1;
      }
    });
  }
  for (const char* const row : {"5", "2", "8", "35"}) {
    const std::vector<std::string> rows = {row};
    const Status split = store->split_table("t", rows);
    ASSERT_TRUE(split) << split.error().to_string();
  }
  is_done = true;
  writers.clear();
  const auto expect_all = [&](const StoreTable& table) {
    for (int writer = 0; writer < kSplitWriters; ++writer) {
      for (int i = 0; i < acknowledged[static_cast<std::size_t>(writer)]; ++i) {
        const std::string row =
            std::to_string(i % 10) + "-" + std::to_string(writer) + "-" + std::to_string(i);
        GetRequest request;
        request.row = row;
        const auto found = table.reader().get(request);
        ASSERT_TRUE(found && found->size() == 1) << row;
      }
    }
  };
  expect_all(*store->table("t"));
  ASSERT_TRUE(store->close());
  store = Store::open(folder.path("root"), options);
  ASSERT_TRUE(store) << store.error().to_string();
  expect_all(*store->table("t"));
}

}  // namespace
}  // namespace bloomery::store
