// A filter of a server, asked in batches. A no is always the answer of a filter: never of a key that is not there.
#include "connect/redis/filter_key.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/connect/redis/fake_server.h"
#include "tests/connect/redis/one_key.h"

namespace bloomery::redis {
namespace {

class RedisFilterKey : public testing::Test {
 protected:
  // Connects again and opens the key.
  Result<FilterKey> open(std::string_view name = "k") {
    BLOOMERY_ASSIGN_OR_RETURN(Client connected, Client::connect(server.url()));
    client.emplace(std::move(connected));
    return FilterKey::open(*client, name);
  }
  // Asks the open filter for two items, of which it has the first.
  Status ask_two(const FilterKey& filter) {
    const std::vector<std::string_view> items = {"yes", "no"};
    return filter.ask(*client, items, {&answers, 1});
  }

  OneKey key;
  FakeServer server{[this](const Words& words) { return key(words); }};
  std::optional<Client> client;
  std::uint64_t answers = 0;
};

std::vector<std::string> many_items() {
  std::vector<std::string> items;
  for (int i = 0; i < 4321; ++i) {
    items.push_back((i % 3 == 0 ? "y" : "n") + std::to_string(i));
  }
  items.push_back("y" + std::string(600000, 'l'));  // larger than a command else is
  items.push_back("");
  items.push_back("y");
  return items;
}

TEST_F(RedisFilterKey, IsAskedInBatches) {
  const Result<FilterKey> filter = open("black list");
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_STREQ(filter->command(), "BF.MEXISTS");
  const std::vector<std::string> items = many_items();
  const std::vector<std::string_view> views(items.begin(), items.end());
  std::vector<std::uint64_t> words((items.size() + 63) / 64, ~std::uint64_t{0});
  const Status asked = filter->ask(*client, views, words);
  ASSERT_TRUE(asked) << asked.error().to_string();
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ((words[i / 64] >> (i % 64)) & 1, items[i].starts_with('y') ? 1u : 0u) << i;
  }
  EXPECT_EQ(server.heard("EXEC"), 7u)
      << "four of 1,000 items, one of the rest, the large one, and what is behind it";
}

TEST_F(RedisFilterKey, EachMakersCommandIsUsed) {
  for (const auto& [type, command] :
       {std::pair{"MBbloom--", "BF.MEXISTS"}, std::pair{"MBbloomCF", "CF.MEXISTS"},
        std::pair{"bloomfltr", "BF.MEXISTS"}}) {
    key.type = type;
    const Result<FilterKey> filter = open();
    ASSERT_TRUE(filter);
    EXPECT_STREQ(filter->command(), command);
    ASSERT_TRUE(ask_two(*filter));
    EXPECT_EQ(answers, 1u);
    EXPECT_EQ(server.heard().back(), "EXEC");
    EXPECT_EQ(server.heard()[server.heard().size() - 2], std::string(command) + " k yes no");
  }
}

TEST_F(RedisFilterKey, OurModuleIsAskedByItsOwnCommandWhereTheServerHasIt) {
  for (const auto& [info, command] :
       {std::pair{"*1\r\n*-1", "BF.MEXISTS"}, std::pair{"*1\r\n*1\r\n$13\r\nbloom.mexists", "BLOOM.MEXISTS"},
        std::pair{"-NOPERM no", "BF.MEXISTS"}}) {
    key.type = "bloomery-";
    key.info = info;
    const Result<FilterKey> filter = open();
    ASSERT_TRUE(filter);
    EXPECT_STREQ(filter->command(), command);
    EXPECT_STREQ(filter->maker(), "Bloomery");
  }
}

TEST_F(RedisFilterKey, OurDeletableFilterIsAskedByItsOwnCommandWhereTheServerHasIt) {
  for (const auto& [info, command] : {std::pair{"*1\r\n*-1", "CF.MEXISTS"},
                                      std::pair{"*1\r\n*1\r\n$13\r\nbloom.mexists", "BLOOM.MEXISTS"}}) {
    key.type = "bloomeryQ";
    key.info = info;
    const Result<FilterKey> filter = open();
    ASSERT_TRUE(filter);
    EXPECT_STREQ(filter->command(), command);
    EXPECT_STREQ(filter->maker(), "Bloomery, a filter with deletes");
  }
}

TEST_F(RedisFilterKey, AKeyThatIsNoFilterIsAnError) {
  for (const auto& [type, code] :
       {std::pair{"none", ErrorCode::kNotFound}, std::pair{"string", ErrorCode::kInvalidArgument},
        std::pair{"MBbloom-2", ErrorCode::kInvalidArgument}}) {
    key.type = type;
    const Result<FilterKey> filter = open("the key");
    ASSERT_FALSE(filter);
    EXPECT_EQ(filter.error().code(), code);
    EXPECT_EQ(filter.error().subject(), "redis " + server.address() + ": key the\\x20key");
  }
}

// RedisBloom answers 0 for every item then.
TEST_F(RedisFilterKey, AKeyThatGoesMeanwhileIsNeverANo) {
  for (const char* const later : {"none", "string", "MBbloomCF"}) {
    key.type = "MBbloom--";
    const Result<FilterKey> filter = open();
    ASSERT_TRUE(filter);
    key.type = later;
    const Status asked = ask_two(*filter);
    ASSERT_FALSE(asked) << later;
    EXPECT_NE(asked.error().to_string().find("expected the type MBbloom-- as before"), std::string::npos)
        << asked.error().to_string();
  }
}

TEST_F(RedisFilterKey, AnswersOfAnotherShapeAreErrors) {
  for (const auto& [answer, code] :
       {std::pair{"*1\r\n:1\r\n", ErrorCode::kCorruption},
        std::pair{"*3\r\n:1\r\n:1\r\n:1\r\n", ErrorCode::kCorruption},
        std::pair{"*2\r\n:1\r\n:2\r\n", ErrorCode::kCorruption},
        std::pair{"*2\r\n:1\r\n$1\r\n1\r\n", ErrorCode::kCorruption},
        std::pair{"*2\r\n:1\r\n-ERR no\r\n", ErrorCode::kCorruption},
        std::pair{":1\r\n", ErrorCode::kCorruption}, std::pair{"*2\r\n:-1\r\n:0\r\n", ErrorCode::kCorruption},
        std::pair{"-WRONGTYPE no\r\n", ErrorCode::kInvalidArgument},
        std::pair{"-ERR unknown command 'BF.MEXISTS'\r\n", ErrorCode::kUnsupported}}) {
    key.answer = answer;
    const Result<FilterKey> filter = open();
    ASSERT_TRUE(filter);
    const Status asked = ask_two(*filter);
    ASSERT_FALSE(asked) << answer;
    EXPECT_EQ(asked.error().code(), code) << answer << ": " << asked.error().to_string();
  }
}

}  // namespace
}  // namespace bloomery::redis
