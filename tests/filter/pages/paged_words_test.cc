// Words in pages are what a plain vector has, whichever are deferred, and copies never see what another one writes.
#include "filter/pages/paged_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "filter/pages/page_memory.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kFewPages = 100'000;     // bytes; its pages are made at once
constexpr std::uint64_t kManyPages = 3'000'008;  // its lines are deferred
constexpr std::uint64_t kPagesSeed = 20261126;

// Words in pages beside the bytes that they should have.
struct PagedPair {
  PagedWords words;
  std::vector<std::byte> model;

  explicit PagedPair(std::uint64_t bytes)
      : words(std::move(PagedWords::zeroed(bytes)).value()), model(bytes) {}

  void set(std::uint64_t bit) {
    ASSERT_TRUE(words.set(bit));
    model[bit / 8] |= static_cast<std::byte>(1U << (bit % 8));
  }
  void write(std::uint64_t word, std::uint64_t value) {
    if (value % 2 == 0) {
      ASSERT_TRUE(words.change_line(word / kWordsInLine, 1,
                                    [&](std::uint64_t* line) { line[word % kWordsInLine] = value; }));
    } else {
      ASSERT_TRUE(words.ready(word, 1));
      words.write(word, value);
    }
    std::memcpy(model.data() + word * kWordBytes, &value, kWordBytes);
  }
  void expect_equal(const char* what) const {
    std::vector<std::byte> bytes(model.size());
    words.load(0, bytes);
    ASSERT_EQ(bytes, model) << what;
  }
  void expect_line(std::uint64_t line) const {
    const std::array<std::uint64_t, kWordsInLine> zeros{};
    LineWords scratch;
    const std::uint64_t* const found = words.line(line, scratch);
    ASSERT_EQ(std::memcmp(found == nullptr ? zeros.data() : found, model.data() + line * 64, 64), 0) << line;
  }
};

class PagedWordsOf : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(PagedWordsOf, AreAsAModelWhateverIsWrittenAndCopied) {
  RecordProperty("seed", std::to_string(kPagesSeed));
  std::mt19937_64 random(kPagesSeed + GetParam());
  const std::uint64_t bytes_before = all_page_bytes();
  {
    std::vector<std::unique_ptr<PagedPair>> pairs;
    pairs.push_back(std::make_unique<PagedPair>(GetParam()));
    for (int step = 0; step < 60'000; ++step) {
      PagedPair& pair = *pairs[random() % pairs.size()];
      // Few places make long lists of which many words are written twice.
      const std::uint64_t places =
          step / 1000 % 3 == 0 ? std::min<std::uint64_t>(GetParam(), 40'000) : GetParam();
      const std::uint64_t bit = random() % (places * 8);
      if (step % 500 == 0) {
        pair.words.begin_step();
      }
      if (step % 10'000 == 9'999) {
        const std::size_t from = random() % pairs.size();
        pairs.push_back(std::make_unique<PagedPair>(*pairs[from]));
      } else if (step % 14'000 == 13'999) {
        pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(random() % (pairs.size() - 1)));
        continue;
      } else if (step % 2 == 0) {
        pair.set(bit);
      } else {
        pair.write(bit / 64 % (GetParam() / 8), random());
        pair.expect_line(bit / 512 % (GetParam() / 64));
      }
      const bool expected = (pair.model[bit / 8] >> (bit % 8) & std::byte{1}) != std::byte{0};
      ASSERT_EQ(pair.words.test(bit), expected) << bit;
    }
    for (const auto& pair : pairs) {
      pair->expect_equal("at the end");
    }
  }
  EXPECT_EQ(all_page_bytes(), bytes_before) << "all memory is given back";
}

TEST_P(PagedWordsOf, OfWhichAPartIsLoadedAndStoredAreTheSame) {
  std::mt19937_64 random(kPagesSeed);
  PagedPair pair(GetParam());
  for (int i = 0; i < 3000; ++i) {
    pair.set(random() % (GetParam() * 8));
  }
  PagedWords again = std::move(PagedWords::zeroed(GetParam())).value();
  for (std::uint64_t at = 0; at < GetParam();) {
    std::vector<std::byte> part(std::min<std::uint64_t>(1 + random() % 100'000, GetParam() - at));
    pair.words.load(at, part);
    ASSERT_EQ(std::memcmp(part.data(), pair.model.data() + at, part.size()), 0) << at;
    ASSERT_TRUE(again.store(at, part));
    at += part.size();
  }
  std::vector<std::byte> bytes(GetParam());
  again.load(0, bytes);
  EXPECT_EQ(bytes, pair.model);
}

TEST_P(PagedWordsOf, AreMovedUnlessACopySharesThem) {
  PagedPair pair(GetParam());
  std::mt19937_64 random(kPagesSeed);
  for (std::uint64_t i = 0; i < GetParam() / 40; ++i) {
    pair.set(random() % (GetParam() * 8));
  }
  std::size_t moved = 0;
  const auto move = [&](void* memory) {
    const std::size_t size = ::malloc_usable_size(memory);
    void* const place = std::malloc(size);
    std::memcpy(place, memory, size);
    std::free(memory);
    ++moved;
    return place;
  };
  const auto move_all = [&](PagedWords& words) {
    for (std::size_t i = 0; i < words.page_count(); ++i) {
      words.move_page(i, move);
    }
  };
  for (std::uint64_t i = 0; i < GetParam(); ++i) {  // so that every page is made
    pair.set(i * 8);
  }
  {
    PagedWords copy(pair.words);
    move_all(copy);
    move_all(pair.words);
    EXPECT_EQ(moved, 0u);
  }
  move_all(pair.words);
  EXPECT_EQ(moved, (GetParam() + kPageBytes - 1) / kPageBytes);
  pair.expect_equal("after");
  pair.set(1);
  pair.expect_equal("when it is written again");
}

INSTANTIATE_TEST_SUITE_P(Sizes, PagedWordsOf, ::testing::Values(64, 8200, kFewPages, kManyPages));

TEST(PagedWords, OfNoBytesOrTooManyAreRefused) {
  EXPECT_FALSE(PagedWords::zeroed(0));
  EXPECT_FALSE(PagedWords::zeroed(kMostPagedBytes + 1));
}

TEST(PagedWords, ZerosThatAreStoredTakeNoMemory) {
  PagedWords words = *PagedWords::zeroed(kManyPages);
  const std::uint64_t before = words.memory_bytes();
  ASSERT_TRUE(words.store(0, std::vector<std::byte>(kManyPages)));
  EXPECT_EQ(words.memory_bytes(), before);
}

TEST(PagedWords, ThatAreNearlyEmptyTakeLittleMemoryAndTheMemoryIsCounted) {
  PagedPair pair(64 << 20);
  const std::uint64_t empty = pair.words.memory_bytes();
  EXPECT_LT(empty, 64U << 10U);
  std::mt19937_64 random(kPagesSeed);
  const std::uint64_t before = all_page_bytes();
  for (int i = 0; i < 10'000; ++i) {
    pair.set(random() % (pair.model.size() * 8));
  }
  EXPECT_LT(pair.words.memory_bytes(), 500'000u);
  EXPECT_GE(pair.words.memory_bytes() - empty, all_page_bytes() - before);
  for (int i = 0; i < 2'000'000; ++i) {
    pair.set(random() % (pair.model.size() * 8));
  }
  EXPECT_EQ(all_page_bytes() - before, std::uint64_t{64} << 20)
      << "all pages are made and no word is deferred";
  EXPECT_NEAR(static_cast<double>(pair.words.memory_bytes()), 64 << 20, 100'000);
  const PagedWords copy(pair.words);
  EXPECT_EQ(copy.memory_bytes(), pair.words.memory_bytes());
  EXPECT_EQ(all_page_bytes() - before, std::uint64_t{64} << 20);
}

TEST(PagedWords, AStepCopiesFewPagesOfAFilterThatIsShared) {
  constexpr std::uint64_t kBytes = 64 << 20;
  PagedPair pair(kBytes);
  for (std::uint64_t i = 0; i < kBytes; i += 64) {
    pair.set(i * 8);
  }
  const PagedPair copy(pair);
  std::mt19937_64 random(kPagesSeed);
  for (int step = 0; step < 20; ++step) {
    pair.words.begin_step();
    const std::uint64_t before = pair.words.memory_bytes();
    const std::uint64_t all = all_page_bytes();
    for (int i = 0; i < 1000; ++i) {
      pair.set(random() % (kBytes * 8));
    }
    const std::uint64_t deferred = pair.words.memory_bytes() - before;
    EXPECT_LE(all_page_bytes() - all - deferred, 2 * kPageBytes) << "two pages, and words beside the others";
  }
  pair.expect_equal("written");
  copy.expect_equal("copy");
}

TEST(PagedWords, OfACopyThatIsWrittenTakeAsMuchMemoryAsBefore) {
  PagedPair pair(kFewPages);
  for (std::uint64_t i = 0; i < kFewPages; ++i) {
    pair.set(i * 8);
  }
  const std::uint64_t usual = pair.words.memory_bytes();
  const std::uint64_t before = all_page_bytes();
  {
    PagedPair copy(pair);
    copy.set(1);
    EXPECT_EQ(copy.words.memory_bytes(), usual);
    EXPECT_EQ(all_page_bytes() - before, kPageBytes) << "one page was copied";
    copy.expect_equal("copy");
    pair.expect_equal("original");
  }
  EXPECT_EQ(all_page_bytes(), before);
}

TEST(PagedWords, OfACopyKeepTheirDeferredWordsWhenTheOthersCopyThePage) {
  PagedPair pair(kManyPages);
  for (std::uint64_t i = 0; i < 900; ++i) {
    const PagedPair copy(pair);
    pair.set(i * 64);  // all in one page, which is made after some of them
    copy.expect_equal("copy");
    pair.expect_equal("original");
  }
}

TEST(PagedWords, ABitThatIsSetAgainTakesNoMoreMemory) {
  PagedPair pair(kManyPages);
  for (std::uint64_t i = 0; i < 3; ++i) {
    pair.set(i * kPageBytes * 8);  // the third one is deferred
  }
  const std::uint64_t usual = pair.words.memory_bytes();
  for (int i = 0; i < 1000; ++i) {
    pair.set(2 * kPageBytes * 8);
  }
  EXPECT_EQ(pair.words.memory_bytes(), usual);
  pair.expect_equal("three bits");
}

// Memory that is lacking after so many calls. Tests run one at a time.
int calls_left =
    0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): the calls have no argument for it

TEST(PagedWords, WithoutMemoryTheyRefuseAndLoseNothing) {
  for (const std::uint64_t bytes : {kFewPages, kManyPages}) {
    for (int calls = 0; calls < 300; calls += calls < 40 ? 1 : 37) {
      PagedPair pair(bytes);
      std::mt19937_64 random(static_cast<std::uint64_t>(calls));
      for (int i = 0; i < 2000; ++i) {
        pair.set(random() % (bytes * 8) % 3'000'000);
      }
      PagedPair copy(pair);
      calls_left = calls;
      use_page_memory({.try_zeroed = [](std::size_t count, std::size_t size) -> void* {
                         return calls_left-- > 0 ? std::calloc(count, size) : nullptr;
                       },
                       .try_unset = [](std::size_t size) -> void* {
                         return calls_left-- > 0 ? std::malloc(size) : nullptr;
                       },
                       .release = std::free});
      int refused = 0;
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t bit = random() % (bytes * 8) % 3'000'000;
        if (copy.words.set(bit)) {
          copy.model[bit / 8] |= static_cast<std::byte>(1U << (bit % 8));
        } else {
          ++refused;
        }
      }
      use_page_memory({.try_zeroed = std::calloc, .try_unset = std::malloc, .release = std::free});
      copy.expect_equal("the copy has what it took");
      pair.expect_equal("the original has not changed");
      if (calls == 0) {
        EXPECT_GT(refused, 0);
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
