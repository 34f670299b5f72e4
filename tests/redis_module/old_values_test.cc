// Values that older versions saved load, answer as they did, and grow as they would have.
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "redis_module/value_bytes.h"
#include "tests/base/test_bytes.h"
#include "tests/redis_module/rdb_in_memory.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

std::string golden(const std::string& name) {
  std::ifstream in(std::string(BLOOMERY_SOURCE) + "/tests/golden/redis-module/" + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

class OldValues : public ::testing::Test {
 protected:
  OldValues() { use_rdb_in_memory(); }
};

void expect_answers(const FilterValue& value) {
  EXPECT_EQ(value.keys(), 2993u);
  EXPECT_EQ(value.layer_count(), 5u);
  EXPECT_EQ(maybes_of_keys(value, 0, 3000), 3000);
  EXPECT_EQ(maybes_of_keys(value, 1'000'000, 1'100'000), 337);
}

TEST_F(OldValues, OfVersion1AnswerAsTheyDidAndAreSavedAsTheyWere) {
  const std::string bytes = golden("grown_v1.rdb");
  const auto value = loaded(bytes);
  ASSERT_NE(value, nullptr);
  expect_answers(*value);
  EXPECT_EQ(saved(*value), bytes);
}

TEST_F(OldValues, OfVersion1LoadByChunks) {
  const std::string header = golden("grown_v1.header");
  auto value = load_header(bytes_of(header));
  ASSERT_TRUE(value);
  for (int i = 0; i < 5; ++i) {
    const std::string chunk = golden("grown_v1.chunk" + std::to_string(i));
    const std::uint64_t end = (*value)->loaded() + chunk.size() - 24;
    ASSERT_TRUE(load_chunk(**value, 1 + end, bytes_of(chunk))) << i;
  }
  EXPECT_TRUE((*value)->is_loaded());
  expect_answers(**value);
}

TEST_F(OldValues, OfVersion2GrowToTheBytesThatTheOlderVersionMade) {
  const auto value = loaded(golden("fed_v2.rdb"));
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(value->record(), "slot 7");
  EXPECT_EQ(value->lease_until(), 4'000'000'000'000);
  expect_answers(*value);
  add_keys(*value, 3000, 100'000);
  EXPECT_EQ(value->keys(), 99'481u);
  EXPECT_EQ(value->layer_count(), 10u);
  EXPECT_EQ(crc32c(bytes_of(saved(*value))), 0x83c42229u);
}

TEST_F(OldValues, UniteWithNewOnesAndAreSavedTogether) {
  const auto value = loaded(golden("grown_v1.rdb"));
  ASSERT_NE(value, nullptr);
  const auto other = growing_value(3000, 4);
  add_keys(*other, 500'000, 505'000);
  ASSERT_TRUE(other->growing().layers().back().late);
  ASSERT_TRUE(value->growing().unite(other->growing()));
  value->set_loaded(value->payload_bytes());
  const auto again = loaded(saved(*value));
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->growing().plan().schedule, Schedule::kByIndex);
  add_keys(*again, 3000, 20'000);
  add_keys(*value, 3000, 20'000, 77);
  EXPECT_EQ(saved(*again), saved(*value));
  EXPECT_EQ(maybes_of_keys(*again, 0, 20'000), 20'000);
  EXPECT_EQ(maybes_of_keys(*again, 500'000, 505'000), 5000);
}

}  // namespace
}  // namespace bloomery::redis_module
