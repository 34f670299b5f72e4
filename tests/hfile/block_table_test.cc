// The table answers as a map does, also where offsets fall on one place and entries move when one goes.
#include "hfile/block_table.h"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace bloomery::hfile {
namespace {

constexpr std::uint64_t kSeed = 20261122;

BlockPointer block_at(std::uint64_t offset) {
  return std::make_shared<Block>(BlockHeader{}, offset, std::make_unique<std::byte[]>(1), 0);
}

void expect_equal(BlockTable& table, const std::map<std::uint64_t, BlockPointer>& model,
                  std::uint64_t offset) {
  const BlockTable::Entry* const found = table.find(offset);
  const auto expected = model.find(offset);
  ASSERT_EQ(found != nullptr, expected != model.end()) << offset;
  if (found != nullptr) {
    EXPECT_EQ(found->offset, offset);
    EXPECT_EQ(found->block, expected->second);
  }
}

TEST(BlockTable, AnswersAsAMap) {
  RecordProperty("seed", std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  for (const std::uint64_t offsets : {8U, 60U, 1000U}) {
    BlockTable table;
    std::map<std::uint64_t, BlockPointer> model;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t offset = random() % offsets * 65'600;
      if (model.contains(offset) && random() % 2 == 0) {
        table.erase(offset);
        model.erase(offset);
      } else if (!model.contains(offset)) {
        model[offset] = block_at(offset);
        table.insert(model[offset]);
      }
      expect_equal(table, model, random() % offsets * 65'600);
    }
    for (std::uint64_t i = 0; i < offsets; ++i) {
      expect_equal(table, model, i * 65'600);
    }
    table.clear();
    EXPECT_EQ(table.find(0), nullptr);
    table.insert(block_at(0));
    EXPECT_NE(table.find(0), nullptr);
  }
}

TEST(BlockTable, AnEntryThatMovesKeepsThatItWasAsked) {
  BlockTable table;
  for (std::uint64_t i = 0; i < 500; ++i) {
    table.insert(block_at(i));
    table.find(i)->was_asked = i % 3 == 0;
  }
  for (std::uint64_t i = 1; i < 500; i += 2) {
    table.erase(i);
  }
  for (std::uint64_t i = 0; i < 500; i += 2) {
    EXPECT_EQ(table.find(i)->was_asked, i % 3 == 0) << i;
  }
}

TEST(BlockTable, ABlockThatWasErasedIsLetGo) {
  BlockTable table;
  BlockPointer block = block_at(7);
  const std::weak_ptr<const Block> watched = block;
  table.insert(std::move(block));
  table.erase(7);
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace bloomery::hfile
