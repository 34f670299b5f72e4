// Cuckoo filters of RedisBloom: the golden dumps answer as they did there, and the same items make the same bytes.
#include "redis_module/cuckoo_chain.h"

#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "redis_module/value_bytes.h"
#include "tests/base/test_bytes.h"
#include "tests/redis_module/rdb_in_memory.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

std::string cuckoo_golden(const std::string& name) {
  std::ifstream in(std::string(BLOOMERY_SOURCE) + "/tests/golden/redisbloom-cuckoo/" + name,
                   std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string text_key(int i) {
  const std::string digits = std::to_string(i);
  return "key" + std::string(6 - digits.size(), '0') + digits;
}

struct GoldenRow {
  std::string name;
  int added = 0;
  int copies = 0;
  int deleted = 0;
  int tables = 0;
};

std::vector<GoldenRow> golden_rows() {
  std::vector<GoldenRow> rows;
  std::istringstream lines(cuckoo_golden("manifest.csv"));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) {
      fields.push_back(field);
    }
    rows.push_back({.name = fields[0],
                    .added = std::stoi(fields[5]),
                    .copies = std::stoi(fields[6]),
                    .deleted = std::stoi(fields[7]),
                    .tables = std::stoi(fields[8])});
  }
  EXPECT_EQ(rows.size(), 5u);
  return rows;
}

// Loads a golden dump as CF.LOADCHUNK does.
std::unique_ptr<FilterValue> loaded_golden(const GoldenRow& row) {
  auto value = load_header(bytes_of(cuckoo_golden(row.name + ".header")));
  EXPECT_TRUE(value) << row.name;
  std::uint64_t end = 0;
  for (int i = 0; i < row.tables; ++i) {
    const std::string chunk = cuckoo_golden(row.name + ".chunk" + std::to_string(i));
    end += chunk.size();
    EXPECT_TRUE(load_chunk(**value, 1 + end, bytes_of(chunk))) << row.name;
  }
  EXPECT_TRUE((*value)->is_loaded());
  return std::move(value).value();
}

std::string dumped_payload(const FilterValue& value) {
  std::string payload;
  for (std::uint64_t iterator = 1;;) {
    const auto step = scan_step(value, iterator);
    if (!step || step->iterator == 0) {
      return payload;
    }
    payload.append(reinterpret_cast<const char*>(step->bytes.data()), step->bytes.size());
    iterator = step->iterator;
  }
}

std::string dumped_header(const FilterValue& value) {
  const auto step = scan_step(value, 0);
  EXPECT_TRUE(step);
  return {reinterpret_cast<const char*>(step->bytes.data()), step->bytes.size()};
}

TEST(CuckooChain, GoldenDumpsAnswerAsInRedisBloomAndComeBack) {
  for (const GoldenRow& row : golden_rows()) {
    const auto value = loaded_golden(row);
    const std::string counts = cuckoo_golden(row.name + ".counts");
    for (int i = 0; i < 2000; ++i) {
      const std::string key = text_key(i);
      EXPECT_EQ(value->count(key, 0), static_cast<std::uint64_t>(counts[static_cast<std::size_t>(i)] - '0'))
          << row.name << " " << key;
      std::uint64_t answer = 0;
      const std::string_view item = key;
      value->may_contain(std::span(&item, 1), 0, std::span(&answer, 1));
      EXPECT_EQ(answer, counts[static_cast<std::size_t>(i)] != '0' ? 1U : 0U) << row.name;
    }
    std::string chunks;
    for (int i = 0; i < row.tables; ++i) {
      chunks += cuckoo_golden(row.name + ".chunk" + std::to_string(i));
    }
    EXPECT_EQ(dumped_payload(*value), chunks) << row.name;
    EXPECT_EQ(dumped_header(*value), cuckoo_golden(row.name + ".header")) << row.name;
  }
}

// Moves, new tables and deletes end in RedisBloom's bytes.
TEST(CuckooChain, TheSameAddsAndDeletesMakeTheBytesOfRedisBloom) {
  for (const GoldenRow& row : golden_rows()) {
    std::string empty = cuckoo_golden(row.name + ".header");
    for (const std::size_t field : {0U, 16U, 24U}) {  // items, deleted, tables
      empty.replace(field, 8, std::string(8, '\0'));
    }
    empty[24] = 1;
    auto value = load_header(bytes_of(empty));
    ASSERT_TRUE(value) << row.name;
    (*value)->set_loaded((*value)->payload_bytes());
    std::vector<Added> outcomes(1);
    for (int copy = 0; copy < row.copies; ++copy) {
      for (int i = 0; i < row.added; ++i) {
        const std::string key = text_key(i);
        const std::string_view item = key;
        (*value)->add(std::span(&item, 1), kAnySize, outcomes);
        EXPECT_EQ(outcomes[0], Added::kNew);
      }
    }
    for (int i = 0; i < row.deleted; ++i) {
      EXPECT_EQ((*value)->remove(text_key(i)), Removed::kYes);
    }
    EXPECT_EQ(dumped_header(**value), cuckoo_golden(row.name + ".header")) << row.name;
    EXPECT_EQ(dumped_payload(**value), dumped_payload(*loaded_golden(row))) << row.name;
  }
}

// The model is a multiset: an item that is in is never denied, also while copies share pages.
TEST(CuckooChain, NoItemThatIsInIsDenied) {
  use_rdb_in_memory();
  std::mt19937_64 random(kModuleSeed);
  auto value = loaded_golden(golden_rows().front());
  std::unordered_map<std::string, int> model;
  for (int i = 0; i < 1500; ++i) {
    model[text_key(i)] = 1;
  }
  std::vector<Added> outcomes(1);
  for (int step = 0; step < 20'000; ++step) {
    const std::string key = text_key(static_cast<int>(random() % 6000));
    if (random() % 3 != 0) {
      const std::string_view item = key;
      value->add(std::span(&item, 1), kAnySize, outcomes);
      ASSERT_EQ(outcomes[0], Added::kNew);
      ++model[key];
    } else if (model[key] > 0) {
      ASSERT_EQ(value->remove(key), Removed::kYes) << step;
      --model[key];
    }
    if (step % 4000 == 0) {
      const FilterValue copy(*value);
      value = loaded(saved(copy));
      ASSERT_NE(value, nullptr);
    }
  }
  std::uint64_t items = 0;
  for (const auto& [key, copies] : model) {
    EXPECT_GE(value->count(key, 0), static_cast<std::uint64_t>(copies)) << key;
    items += static_cast<std::uint64_t>(copies);
  }
  EXPECT_EQ(value->keys(), items);
}

TEST(CuckooChain, RefusesBeyondItsLimits) {
  const GoldenRow fixed = golden_rows()[2];  // expansion 0
  auto value = loaded_golden(fixed);
  std::vector<Added> outcomes(1);
  const std::string_view item = "again";
  std::string before;
  for (int i = 0; i < 200; ++i) {
    before = dumped_payload(*value);
    value->add(std::span(&item, 1), kAnySize, outcomes);
  }
  EXPECT_EQ(outcomes[0], Added::kFull);
  EXPECT_EQ(dumped_payload(*value), before) << "a refused item moves nothing";
  auto growing = loaded_golden(golden_rows()[0]);
  for (int i = 0; i < 3000; ++i) {
    growing->add(std::span(&item, 1), 4000, outcomes);
  }
  EXPECT_EQ(outcomes[0], Added::kOverLimit);
  EXPECT_LE(growing->payload_bytes(), 4000u);
}

TEST(CuckooChain, HeadersOfNoFilterAreRefused) {
  const std::string header = cuckoo_golden(golden_rows()[0].name + ".header");
  ASSERT_EQ(header.size(), kCuckooHeaderBytes);
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string changed = header;
    return changed.replace(at, bytes.size(), bytes);
  };
  EXPECT_TRUE(CuckooChain::of_header(bytes_of(header)));
  for (const std::string& bad : {with(8, std::string("\3", 1)),       // buckets
                                 with(8, std::string(8, '\0')),       // none
                                 with(15, std::string("\1", 1)),      // 2^56 and more
                                 with(24, std::string(8, '\0')),      // tables
                                 with(24, std::string("\0\0\1", 3)),  // 65,536
                                 with(24, std::string(8, '\xff')),    //
                                 with(32, std::string(2, '\0')),      // bucket size
                                 with(32, std::string("\0\1", 2)),    // 256
                                 with(34, std::string(2, '\0')),      // iterations
                                 with(36, std::string("\3", 1)),      // expansion
                                 with(36, std::string(2, '\0')),      // none, with two tables
                                 with(24, std::string("\x40", 1)) + "x"}) {
    EXPECT_FALSE(CuckooChain::of_header(bytes_of(bad)));
  }
  EXPECT_FALSE(CuckooChain::of_header(
      bytes_of(with(24, std::string("\x3c", 1)).replace(36, 2, std::string("\0\x40", 2)))))
      << "60 tables, each 16,384 times as large as the one before";
}

}  // namespace
}  // namespace bloomery::redis_module
