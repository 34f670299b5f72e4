// Indexes are given in the order of arrival, and then to replace the least recently used word.
#include "wal/word_dictionary.h"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

using wal::WordDictionary;

TEST(WordDictionary, TheLeastRecentlyUsedWordIsReplaced) {
  WordDictionary words(3, nullptr);
  for (const char* const word : {"a", "b", "c"}) {
    ASSERT_TRUE(words.add(word));
  }
  EXPECT_EQ(words.find(0), "a");  // now "b" is the oldest
  ASSERT_TRUE(words.add("d"));
  EXPECT_EQ(words.find(1), "d");
  EXPECT_EQ(words.find(0), "a");
  ASSERT_TRUE(words.add("e"));
  EXPECT_EQ(words.find(2), "e");
  EXPECT_EQ(words.find(3), std::nullopt);
}

TEST(WordDictionary, OneWord) {
  WordDictionary words(1, nullptr);
  EXPECT_EQ(words.find(0), std::nullopt);
  for (const char* const word : {"a", "b", "c"}) {
    ASSERT_TRUE(words.add(word));
    EXPECT_EQ(words.find(0), word);
  }
}

TEST(WordDictionary, AnEmptyWordIsNotAdded) {
  WordDictionary words(2, nullptr);
  ASSERT_TRUE(words.add(""));
  EXPECT_EQ(words.find(0), std::nullopt);
}

TEST(WordDictionary, AReplacedWordLivesUntilItIsForgotten) {
  WordDictionary words(1, nullptr);
  ASSERT_TRUE(words.add("first"));
  const auto view = words.find(0);
  ASSERT_TRUE(words.add("second"));
  EXPECT_EQ(view, "first");
  words.forget_replaced();
  EXPECT_EQ(words.find(0), "second");
}

TEST(WordDictionary, MemoryIsLimited) {
  const auto budget = std::make_shared<MemoryBudget>(1000);
  WordDictionary words(10, budget);
  ASSERT_TRUE(words.add(std::string(500, 'a')));
  const Status added = words.add(std::string(500, 'b'));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code(), ErrorCode::kCapacity);
}

// A list that moves a word to its front at each use is the same.
TEST(WordDictionary, IsAListInTheOrderOfUse) {
  std::mt19937_64 random(1);
  for (const std::size_t capacity : {1U, 2U, 3U, 7U, 127U}) {
    WordDictionary words(capacity, nullptr);
    std::vector<std::pair<std::size_t, std::string>> list;  // newest first
    for (int i = 0; i < 5000; ++i) {
      if (list.empty() || random() % 2 == 0) {
        const std::string word = "word-" + std::to_string(i);
        std::size_t index = list.size();
        if (index == capacity) {
          index = list.back().first;
          list.pop_back();
        }
        list.insert(list.begin(), {index, word});
        ASSERT_TRUE(words.add(word));
      } else {
        const auto at = list.begin() + static_cast<std::ptrdiff_t>(random() % list.size());
        ASSERT_EQ(words.find(at->first), at->second);
        std::rotate(list.begin(), at, at + 1);
      }
      words.forget_replaced();
    }
  }
}

}  // namespace
}  // namespace bloomery
